#include "record/outcome.h"

namespace headroom::record {

std::string_view outcome_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::kHit:
      return "hit";
    case Outcome::kMiss:
      return "miss";
    case Outcome::kOk:
      return "ok";
    case Outcome::kRejected:
      return "rejected";
    case Outcome::kError:
      return "error";
    case Outcome::kTimeout:
      return "timeout";
    case Outcome::kLost:
      return "lost";
    case Outcome::kUnsent:
      return "unsent";
    case Outcome::kCorrupt:
      return "corrupt";
  }
  return "unknown";
}

std::optional<Outcome> outcome_from_value(int stored) {
  for (const Outcome outcome : kOutcomes) {
    if (static_cast<int>(outcome) == stored) return outcome;
  }
  return std::nullopt;
}

}  // namespace headroom::record
