#include "stats/shift.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/random.h"
#include "tests/support/normal.h"

namespace headroom::stats {
namespace {

using headroom::testing::normal_values;

TEST(Shift, IsTheMedianOfAllDifferences) {
  EXPECT_EQ(hodges_lehmann_shift(std::vector<double>{1, 2, 3}, std::vector<double>{5, 6, 90}), 4.0);
  EXPECT_EQ(hodges_lehmann_shift(std::vector<double>{}, std::vector<double>{1}), std::nullopt);
}

TEST(RatioOfMedians, HasAnIntervalFromFiveRunsOn) {
  const std::vector<double> four = {10, 11, 12, 13};
  const std::vector<double> five = {20, 21, 22, 23, 24};
  const Estimate without = ratio_of_medians(four, five, 1).value();
  EXPECT_DOUBLE_EQ(without.value, 22 / 11.5);
  EXPECT_FALSE(without.low || without.high);
  const Estimate with = ratio_of_medians(five, five, 1).value();
  EXPECT_EQ(with.value, 1);
  EXPECT_LT(with.low.value(), 1);
  EXPECT_GT(with.high.value(), 1);
}

TEST(RatioOfMedians, NeedsPositiveValues) {
  EXPECT_EQ(ratio_of_medians(std::vector<double>{0, 1}, std::vector<double>{1}, 1), std::nullopt);
  EXPECT_EQ(ratio_of_medians(std::vector<double>{1}, std::vector<double>{}, 1), std::nullopt);
}

double coverage(std::size_t runs, std::uint64_t seed) {
  Random random(seed);
  constexpr int kRounds = 1'000;
  int covered = 0;
  for (int round = 0; round < kRounds; ++round) {
    const std::vector<double> from = normal_values(random, runs, 100, 2);
    const std::vector<double> to = normal_values(random, runs, 105, 2.1);
    const Estimate estimate = ratio_of_medians(from, to, static_cast<std::uint64_t>(round)).value();
    covered += *estimate.low <= 1.05 && 1.05 <= *estimate.high ? 1 : 0;
  }
  return static_cast<double>(covered) / kRounds;
}

TEST(RatioOfMedians, IntervalsCoverTheTruthAsOftenAsTheySay) {
  for (const std::size_t runs : {5U, 10U, 20U}) {
    const double share = coverage(runs, derive_seed(23, {runs}));
    EXPECT_GE(share, 0.92) << runs;
    EXPECT_LE(share, 0.99) << runs;
  }
}

}  // namespace
}  // namespace headroom::stats
