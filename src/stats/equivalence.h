// Whether two groups are as good as equal: not that no difference was found, but that one larger
// than a stated margin is excluded.
#pragma once

#include <optional>
#include <span>

namespace headroom::stats {

struct EquivalenceTest {
  double ratio = 1;  // of the geometric means, second to first
  // The larger of the p-values of the two one-sided tests: at or below 0.05 the groups are
  // equivalent within the margin.
  double p = 1;
};

// Two one-sided tests (Schuirmann 1987) of the ratio of geometric means lying between
// 1 / (1 + margin) and 1 + margin: Welch's t on the logarithms, which takes unequal spreads.
// margin > 0, as a ratio (0.05 is 5 %).
//
// nullopt: a group has fewer than two values, or one that is not positive.
[[nodiscard]] std::optional<EquivalenceTest> equivalence_test(std::span<const double> a,
                                                              std::span<const double> b,
                                                              double margin);

}  // namespace headroom::stats
