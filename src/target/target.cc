#include "target/target.h"

#include <utility>

#include "target/endpoint.h"
#include "target/local.h"
#include "target/program.h"
#include "target/secret.h"

namespace headroom::target {

Status preflight(const scenario::Target& scenario) {
  if (scenario.kind == scenario::TargetKind::kEndpoint) return check_password(scenario);
  if (auto program = find_engine(scenario.engine_path); !program) {
    return fail(std::move(program.error()));
  }
  return {};
}

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
