#include "record/phase.h"

namespace headroom::record {

std::string_view phase_name(Phase phase) {
  switch (phase) {
    case Phase::kProvision:
      return "provision";
    case Phase::kConnect:
      return "connect";
    case Phase::kPrefill:
      return "prefill";
    case Phase::kWarmup:
      return "warmup";
    case Phase::kMeasure:
      return "measure";
    case Phase::kDrain:
      return "drain";
    case Phase::kTeardown:
      return "teardown";
    case Phase::kVerify:
      return "verify";
  }
  return "unknown";
}

std::optional<Phase> phase_from_value(int stored) {
  for (const Phase phase : kPhases) {
    if (static_cast<int>(phase) == stored) return phase;
  }
  return std::nullopt;
}

}  // namespace headroom::record
