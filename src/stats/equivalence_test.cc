#include "stats/equivalence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.h"
#include "tests/support/normal.h"

namespace headroom::stats {
namespace {

using headroom::testing::normal_values;

TEST(Equivalence, NeedsTwoPositiveValuesInEachGroup) {
  const std::vector<double> one = {1};
  const std::vector<double> two = {1, 2};
  EXPECT_FALSE(equivalence_test(one, two, 0.05));
  EXPECT_FALSE(equivalence_test(two, std::vector<double>{0, 1}, 0.05));
}

TEST(Equivalence, WithoutSpreadIsWhatTheNumbersSay) {
  const std::vector<double> a = {100, 100};
  EXPECT_EQ(equivalence_test(a, std::vector<double>{104, 104}, 0.05)->p, 0);
  EXPECT_EQ(equivalence_test(a, std::vector<double>{106, 106}, 0.05)->p, 1);
}

TEST(Equivalence, NoDifferenceFoundIsNotEquality) {
  // Wide enough that no test would tell them apart, and no margin of 5 % can be vouched for.
  EXPECT_GT(
      equivalence_test(std::vector<double>{80, 100, 120}, std::vector<double>{82, 101, 119}, 0.05)
          ->p,
      0.05);
}

TEST(Equivalence, IsClaimedAtTheEdgeOfTheMarginInFivePercentOfCasesAtMost) {
  Random random(5);
  constexpr int kRounds = 4'000;
  int claimed = 0;
  int claimed_inside = 0;
  for (int round = 0; round < kRounds; ++round) {
    const std::vector<double> a = normal_values(random, 5, 100, 2);
    const std::vector<double> edge = normal_values(random, 5, 105, 2.1);
    const std::vector<double> same = normal_values(random, 5, 100, 2);
    claimed += equivalence_test(a, edge, 0.05)->p <= 0.05 ? 1 : 0;
    claimed_inside += equivalence_test(a, same, 0.05)->p <= 0.05 ? 1 : 0;
  }
  EXPECT_LE(claimed, 0.05 * kRounds + 4 * std::sqrt(kRounds * 0.05 * 0.95));
  EXPECT_GE(claimed_inside, 0.8 * kRounds);
}

}  // namespace
}  // namespace headroom::stats
