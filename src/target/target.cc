#include "target/target.h"

#include "target/endpoint.h"
#include "target/local.h"

namespace headroom::target {

std::unique_ptr<Target> make_target(const scenario::Target& scenario, const Clock& clock,
                                    Nanos origin, record::Sink& sink) {
  switch (scenario.kind) {
    case scenario::TargetKind::kLocal:
      return std::make_unique<Local>(scenario, clock, origin, sink);
    case scenario::TargetKind::kEndpoint:
      return std::make_unique<Endpoint>(scenario, clock, origin, sink);
  }
  return nullptr;
}

}  // namespace headroom::target
