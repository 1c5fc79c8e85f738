#include "stats/sample.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.h"

namespace headroom::stats {
namespace {

// Expected values come from NumPy 2.4:
//   x = [48912.0, 50231.5, 47110.25, 49990.0, 51002.75, 48003.5, 49555.0]
//   np.mean(x); np.std(x, ddof=1); np.std(x, ddof=1) / np.mean(x); np.quantile(x, q)
const std::vector<double> kThroughputs = {48912.0,  50231.5, 47110.25, 49990.0,
                                          51002.75, 48003.5, 49555.0};

TEST(Sample, MomentsAgreeWithNumPy) {
  EXPECT_DOUBLE_EQ(*mean(kThroughputs), 49257.857142857145);
  EXPECT_DOUBLE_EQ(*standard_deviation(kThroughputs), 1349.209891142643);
  EXPECT_DOUBLE_EQ(*coefficient_of_variation(kThroughputs), 0.027390754884640597);
}

TEST(Sample, QuantilesAgreeWithNumPy) {
  constexpr std::pair<double, double> kCases[] = {
      {0, 47110.25},  {0.1, 47646.2},    {0.25, 48457.75}, {0.5, 49555.0},
      {0.9, 50540.0}, {0.99, 50956.475}, {1, 51002.75},
  };
  for (const auto& [q, expected] : kCases)
    EXPECT_NEAR(*quantile(kThroughputs, q), expected, 1e-9) << q;
}

TEST(Sample, TooFewValuesGiveNothing) {
  const std::vector<double> none;
  const std::vector<double> one = {5};
  EXPECT_EQ(mean(none), std::nullopt);
  EXPECT_EQ(median(none), std::nullopt);
  EXPECT_EQ(standard_deviation(none), std::nullopt);
  EXPECT_EQ(standard_deviation(one), std::nullopt);
  EXPECT_EQ(coefficient_of_variation(one), std::nullopt);
  EXPECT_EQ(autocorrelation(std::vector<double>{1, 2}, 1), std::nullopt);
  EXPECT_EQ(mean(one), 5);
  EXPECT_EQ(quantile(one, 0.99), 5);
  EXPECT_EQ(sum(none), 0);
}

TEST(Sample, NoVariationHasNoRatioToAMeanOfZero) {
  EXPECT_EQ(coefficient_of_variation(std::vector<double>{0, 0, 0}), std::nullopt);
  EXPECT_EQ(coefficient_of_variation(std::vector<double>{-1, 1}), std::nullopt);
  EXPECT_EQ(coefficient_of_variation(std::vector<double>{4, 4, 4}), 0);
  EXPECT_DOUBLE_EQ(*coefficient_of_variation(std::vector<double>{-1, -3}), std::sqrt(2.0) / 2);
  EXPECT_EQ(autocorrelation(std::vector<double>{3, 3, 3, 3}, 1), std::nullopt);
}

TEST(Sample, SumsDoNotLoseSmallAddends) {
  std::vector<double> values(10'000, 1.0);
  values.front() = 1e17;
  values.push_back(-1e17);
  EXPECT_EQ(sum(values), 9'999);
  EXPECT_DOUBLE_EQ(*standard_deviation(std::vector<double>{1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16}),
                   std::sqrt(30));
}

TEST(Sample, QuantilesMatchSortedSamplesAndGrowWithQ) {
  Random random(3);
  for (int round = 0; round < 50; ++round) {
    std::vector<double> values(1 + random.below(40));
    for (double& value : values) value = std::floor(random.uniform() * 20);  // with ties
    std::vector<double> sorted = values;
    std::ranges::sort(sorted);
    double last = sorted.front();
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      const double q =
          sorted.size() == 1 ? 0 : static_cast<double>(i) / static_cast<double>(sorted.size() - 1);
      const double value = *quantile(values, q);
      EXPECT_NEAR(value, sorted[i], 1e-9);
      EXPECT_GE(value, last - 1e-9);
      last = value;
    }
  }
}

TEST(Autocorrelation, SeesAlternationAndMemory) {
  std::vector<double> alternating;
  std::vector<double> steps;
  for (int i = 0; i < 1000; ++i) {
    alternating.push_back(i % 2);
    steps.push_back(i / 100);
  }
  EXPECT_NEAR(*autocorrelation(alternating, 1), -1, 0.01);
  EXPECT_NEAR(*autocorrelation(alternating, 2), 1, 0.01);
  EXPECT_GT(*autocorrelation(steps, 1), 0.95);
}

}  // namespace
}  // namespace headroom::stats
