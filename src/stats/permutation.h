// Whether two groups of numbers differ more than relabelling them at random would make them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace headroom::stats {

struct PermutationTest {
  double p = 1;           // two-sided
  double smallest_p = 1;  // that groups of these sizes can reach at all: 2 / arrangements
  double arrangements = 0;
  bool exact = false;  // every arrangement was looked at, not a sample of them
};

// Up to this many arrangements all are looked at.
inline constexpr double kMostArrangements = 100'000;

// Ways to choose which `a` of a + b values are the first group's; exact below 2^53.
[[nodiscard]] double count_arrangements(std::size_t a, std::size_t b);

// Permutation test of the difference of means (Fisher: The Design of Experiments, 1935, 21; Ernst:
// Permutation methods: a basis for exact inference, Statistical Science 19, 2004). p is twice the
// smaller tail, the observed arrangement included. Valid without any distribution, as long as the
// values could have come in any order if there were no difference.
//
// Beyond kMostArrangements 99,999 arrangements are drawn with `seed`, and the observed one counts
// among them (Phipson, Smyth: Permutation p-values should never be zero, 2010), so p is never too
// small. Neither group may be empty; all values are finite.
[[nodiscard]] PermutationTest permutation_test(std::span<const double> a, std::span<const double> b,
                                               std::uint64_t seed);

}  // namespace headroom::stats
