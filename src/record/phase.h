// The phases of a run, in order. Values are stored in run files and never change.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace headroom::record {

enum class Phase : int {
  kProvision = 0,  // the target is made, or looked at
  kConnect = 1,    // workers open their connections
  kPrefill = 2,    // every key is written once
  kWarmup = 3,     // load at full strength that no number is about
  kMeasure = 4,    // what the numbers are about
  kDrain = 5,      // nothing new is sent; replies in flight are waited for
  kTeardown = 6,   // what the run made is taken down
  kVerify = 7,     // and proved to be gone
};

inline constexpr std::array kPhases = {Phase::kProvision, Phase::kConnect, Phase::kPrefill,
                                       Phase::kWarmup,    Phase::kMeasure, Phase::kDrain,
                                       Phase::kTeardown,  Phase::kVerify};

// "provision", "connect", ...
[[nodiscard]] std::string_view phase_name(Phase phase);
[[nodiscard]] std::optional<Phase> phase_from_value(int stored);

}  // namespace headroom::record
