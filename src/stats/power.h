// How many runs would settle a question.
#pragma once

#include <cstddef>
#include <optional>

namespace headroom::stats {

// Probability that a two-sided two-sample t test at level `alpha` finds a difference of `effect`
// standard deviations with `runs` values a group (Cohen: Statistical Power Analysis, 1988, 2;
// exactly, by the noncentral t distribution). runs >= 2, effect >= 0. The permutation test of
// stats/permutation.h has nearly the same power (power_test.cc).
[[nodiscard]] double power_of_t_test(double effect, std::size_t runs, double alpha);

// The fewest runs an arm of which a permutation test at level `alpha` can say anything at all:
// 2 / (2n over n) <= alpha.
[[nodiscard]] std::size_t fewest_runs_for(double alpha);

// The fewest runs an arm, fewest_runs_for(alpha) at least, with which a difference of `difference`
// (a ratio, 0.05 is 5 %) is found with probability `power`, when runs of one arm scatter with the
// coefficient of variation `cv`. nullopt beyond 1,000, and for a difference of 0.
[[nodiscard]] std::optional<std::size_t> runs_needed(double difference, double cv, double alpha,
                                                     double power);

}  // namespace headroom::stats
