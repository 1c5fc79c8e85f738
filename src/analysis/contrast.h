// Two arms in one figure: what separates them, and whether that would happen again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/arm.h"
#include "stats/equivalence.h"
#include "stats/permutation.h"
#include "stats/shift.h"

namespace headroom::analysis {

// How the ranges of two arms lie: a statement about these runs and no others.
enum class Separation { kAbove, kBelow, kOverlapping };  // of the second against the first
[[nodiscard]] std::optional<Separation> separation_of(const Spread& first, const Spread& second);

// What can be said beyond these runs.
enum class Decision {
  kDifferent,   // found, at the level asked for, over all tests of its family
  kNotFound,    // tested, not found: not the same as equal
  kTooFewRuns,  // so few that no difference, however large, could have been found
  kDrift,       // found, but the arms ran one after the other and the difference is within what the
                // machine may have drifted meanwhile
  kRegimes,     // the arms were in different regimes
  kNotTested,   // secondary, and a primary figure was not found to differ
  kUnknown,     // not every run's value is known
};

struct Contrast {
  Figure figure = Figure::kThroughput;
  std::size_t first = 0;  // arms, by index
  std::size_t second = 0;
  Spread from, to;  // of first and second
  bool primary = false;
  std::optional<Separation> separation;
  std::optional<double> ratio;                 // of the centres, second to first
  std::optional<stats::PermutationTest> test;  // of the difference of means
  std::optional<double> adjusted_p;            // by Holm, over its family
  Decision decision = Decision::kUnknown;
  // Runs an arm that would find `smallest_difference` with a power of 80 %, at the larger spread of
  // the two; and that could find any difference at all.
  std::optional<std::size_t> runs_needed;
  std::size_t fewest_runs = 0;
  std::optional<double> shift;                    // Hodges-Lehmann, second less first
  std::optional<stats::Estimate> ratio_interval;  // of medians, or of quantiles of all requests
  std::optional<stats::EquivalenceTest> equivalence;
};

struct ContrastOptions {
  double alpha = 0.05;
  double smallest_difference = 0.05;  // that would matter, as a ratio
  std::optional<double> margin;       // within which arms count as equal
  // Stated in advance: tested first, the others only if all of these differ.
  std::vector<Figure> primary = {Figure::kThroughput, Figure::kLatencyP99};
  // Shifts, intervals, equivalence and runs needed, which no decision rests on.
  bool estimates = true;
  std::uint64_t seed = 1;
};

// In arms that ran one after the other a difference must exceed this many times what either arm
// scatters: drift that shows between arms shows within them.
inline constexpr double kDriftFactor = 3;
// The power that runs_needed asks for.
inline constexpr double kPower = 0.8;

// One contrast for every pair of arms and every figure that both know something of. Figures are
// tested in two families, so that at most alpha of comparisons without any true difference find
// one: first the primary ones of all pairs, adjusted by Holm; the others, adjusted among
// themselves, only if every primary one was found to differ (serial gatekeeping; Westfall, Krishen:
// Optimally weighted, fixed sequence and gatekeeper multiple testing procedures, 2001).
[[nodiscard]] std::vector<Contrast> contrast_arms(std::span<const Arm> arms,
                                                  const ContrastOptions& options);

}  // namespace headroom::analysis
