#include "record/connect_step.h"

namespace headroom::record {

std::string_view connect_step_name(ConnectStep step) {
  switch (step) {
    case ConnectStep::kConnect:
      return "connect";
    case ConnectStep::kTls:
      return "tls";
    case ConnectStep::kGreeting:
      return "greeting";
  }
  return "unknown";
}

std::optional<ConnectStep> connect_step_from_value(int stored) {
  for (const ConnectStep step : kConnectSteps) {
    if (static_cast<int>(step) == stored) return step;
  }
  return std::nullopt;
}

}  // namespace headroom::record
