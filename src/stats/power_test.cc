#include "stats/power.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/random.h"
#include "stats/permutation.h"
#include "tests/support/normal.h"

namespace headroom::stats {
namespace {

using headroom::testing::normal_values;

TEST(Power, FewestRunsAreThoseWhoseArrangementsSuffice) {
  EXPECT_EQ(fewest_runs_for(0.10), 3U);
  EXPECT_EQ(fewest_runs_for(0.05), 4U);
  EXPECT_EQ(fewest_runs_for(0.01), 5U);
  EXPECT_EQ(fewest_runs_for(1), 1U);
}

TEST(Power, RunsNeededGrowWithSpreadAndShrinkWithTheDifference) {
  EXPECT_EQ(runs_needed(0.05, 0.02, 0.05, 0.8), 4U);
  EXPECT_EQ(runs_needed(0.05, 0.05, 0.05, 0.8), 17U);
  EXPECT_GT(runs_needed(0.01, 0.02, 0.05, 0.8), runs_needed(0.02, 0.02, 0.05, 0.8));
  EXPECT_EQ(runs_needed(0.05, 0, 0.05, 0.8), 4U) << "no spread still needs arrangements";
  EXPECT_EQ(runs_needed(0.0001, 0.2, 0.05, 0.8), std::nullopt);
  EXPECT_EQ(runs_needed(0, 0.02, 0.05, 0.8), std::nullopt);
}

TEST(Power, OfThePermutationTestIsThatOfTheTTest) {
  for (const std::size_t runs : {5U, 8U}) {
    Random random(derive_seed(31, {runs}));
    constexpr int kRounds = 2'000;
    int found = 0;
    for (int round = 0; round < kRounds; ++round) {
      const std::vector<double> a = normal_values(random, runs, 100, 2);
      const std::vector<double> b = normal_values(random, runs, 104, 2);
      found += permutation_test(a, b, 1).p <= 0.05 ? 1 : 0;
    }
    EXPECT_NEAR(static_cast<double>(found) / kRounds, power_of_t_test(2, runs, 0.05), 0.04) << runs;
  }
}

TEST(Power, FarBeyondAnyDoubtIsCertain) { EXPECT_DOUBLE_EQ(power_of_t_test(1000, 5, 0.05), 1); }

}  // namespace
}  // namespace headroom::stats
