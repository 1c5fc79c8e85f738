// Runs against those of a baseline: what got worse, so that a gate may fail on it, and what could
// not be told, so that nobody takes silence for proof.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/arm.h"
#include "analysis/contrast.h"

namespace headroom::analysis {

enum class Against {
  kRegressed,   // worse, and by more than the margin: shown beyond these runs
  kHeld,        // shown not to be worse by more than the margin
  kCannotTell,  // neither: `why` says what held it back
};
[[nodiscard]] std::string_view against_name(Against against);  // "regressed"

struct AgainstBaseline {
  Figure figure = Figure::kThroughput;
  bool primary = false;  // stated in advance
  Against verdict = Against::kCannotTell;
  Spread before, now;
  std::optional<double> change;  // of the centres, as a ratio: -0.09 is 9 % less
  std::string why;       // of kCannotTell: one clause and, where known, what would settle it
  std::string evidence;  // "p 0.0079, adjusted 0.016"; empty: not tested

  // "throughput is 9.1 % lower: median 48,912 /s, now 44,461 /s; p 0.0079, adjusted 0.016"
  [[nodiscard]] std::string line() const;
};

// Every figure that is better higher or lower and is known of both, those stated in advance first.
//
// The baseline's values are made worse by `margin` (a ratio, 0 for none) before the two are tested
// (analysis/contrast.h), so that what is found lies beyond the margin, with the level and the
// guards that every claim has: too few runs, drift between arms that ran one after the other,
// different regimes. Neither arm is empty, and their contract is not invalid.
[[nodiscard]] std::vector<AgainstBaseline> against_baseline(const Arm& baseline, const Arm& now,
                                                            double margin,
                                                            const ContrastOptions& options);

[[nodiscard]] bool any_regressed(const std::vector<AgainstBaseline>& figures);

}  // namespace headroom::analysis
