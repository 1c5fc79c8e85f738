#include "stats/permutation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.h"
#include "tests/support/normal.h"

namespace headroom::stats {
namespace {

using headroom::testing::normal_values;

TEST(Permutation, CountsArrangements) {
  EXPECT_EQ(count_arrangements(3, 3), 20);
  EXPECT_EQ(count_arrangements(2, 3), 10);
  EXPECT_EQ(count_arrangements(5, 5), 252);
  EXPECT_EQ(count_arrangements(10, 10), 184'756);
  EXPECT_EQ(count_arrangements(0, 7), 1);
}

TEST(Permutation, ThreeAgainstThreeCannotGoBelowOneInTen) {
  const PermutationTest test =
      permutation_test(std::vector<double>{1, 2, 3}, std::vector<double>{101, 102, 103}, 1);
  EXPECT_TRUE(test.exact);
  EXPECT_DOUBLE_EQ(test.p, 0.1);
  EXPECT_DOUBLE_EQ(test.smallest_p, 0.1);
}

TEST(Permutation, IsOneForEqualValuesAndTheSameFromBothSides) {
  const std::vector<double> same(4, 48'912.25);
  EXPECT_EQ(permutation_test(same, same, 1).p, 1);
  const std::vector<double> a = {3, 1, 4, 1, 5};
  const std::vector<double> b = {9, 2, 6, 5};
  EXPECT_DOUBLE_EQ(permutation_test(a, b, 1).p, permutation_test(b, a, 1).p);
}

TEST(Permutation, RoundingDoesNotTellEqualSumsApart) {
  // 0.1 + 0.2 and 0.3 differ in their last bit; the arrangements that swap them are ties.
  const std::vector<double> a = {0.1, 0.2, 0.3};
  const std::vector<double> b = {0.3, 0.2, 0.1};
  EXPECT_EQ(permutation_test(a, b, 1).p, 1);
}

TEST(Permutation, DrawnArrangementsAgreeWithAllOfThem) {
  Random random(7);
  const std::vector<double> a = normal_values(random, 8, 10, 1);
  const std::vector<double> b = normal_values(random, 8, 10.8, 1);
  const PermutationTest exact = permutation_test(a, b, 1);
  ASSERT_TRUE(exact.exact);
  // Two more values at the mean of each group: past the limit, and hardly another question.
  std::vector<double> more_a = a;
  std::vector<double> more_b = b;
  for (int i = 0; i < 2; ++i) {
    more_a.push_back(normal_values(random, 1, 10, 1)[0]);
    more_b.push_back(normal_values(random, 1, 10.8, 1)[0]);
  }
  const PermutationTest drawn = permutation_test(more_a, more_b, 5);
  EXPECT_FALSE(drawn.exact);
  EXPECT_GE(drawn.p, drawn.smallest_p);
  EXPECT_EQ(drawn.p, permutation_test(more_a, more_b, 5).p) << "the same seed, the same p";
  EXPECT_NEAR(drawn.p, permutation_test(more_a, more_b, 6).p, 0.01);
}

// With no difference p is at or below 0.05 in at most 5 % of cases, for any sizes.
TEST(Permutation, FindsNothingWhereNothingIs) {
  for (const std::size_t runs : {3U, 4U, 5U, 8U}) {
    Random random(derive_seed(11, {runs}));
    constexpr int kRounds = 3'000;
    int found = 0;
    for (int round = 0; round < kRounds; ++round) {
      const std::vector<double> a = normal_values(random, runs, 100, 2);
      const std::vector<double> b = normal_values(random, runs, 100, 2);
      found += permutation_test(a, b, 1).p <= 0.05 ? 1 : 0;
    }
    EXPECT_LE(found, kRounds * 0.05 + 4 * std::sqrt(kRounds * 0.05 * 0.95)) << runs;
    if (runs == 3) {
      EXPECT_EQ(found, 0);
    }
  }
}

}  // namespace
}  // namespace headroom::stats
