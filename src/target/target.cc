#include "target/target.h"

#include <utility>

#include "scenario/engine_settings.h"
#include "target/endpoint.h"
#include "target/local.h"
#include "target/program.h"
#include "target/secret.h"
#include "target/server.h"

namespace headroom::target {

Status preflight(const scenario::Target& scenario) {
  if (scenario.kind == scenario::TargetKind::kEndpoint) {
    if (auto known = check_password(scenario); !known) return known;
    if (auto tls = tls_of(scenario); !tls) return fail(std::move(tls.error()));
    return {};
  }
  if (auto program = find_engine(scenario.engine_path); !program) {
    return fail(std::move(program.error()));
  }
  return {};
}

Nanos start_limit(const scenario::Target& scenario) {
  using std::chrono::seconds;
  return seconds{30} + (scenario::engine_count(scenario) - 1) * seconds{5};
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
