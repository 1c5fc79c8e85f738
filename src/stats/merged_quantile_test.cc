#include "stats/merged_quantile.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/random.h"

namespace headroom::stats {
namespace {

using std::chrono::microseconds;

// Latencies between `from` and 2 `from`, more of them where `samples` is larger.
Histogram run_of(Random& random, microseconds from, std::uint64_t samples) {
  Histogram histogram;
  for (std::uint64_t i = 0; i < samples; ++i)
    histogram.record(from + Nanos{static_cast<std::int64_t>(
                                random.below(static_cast<std::uint64_t>(Nanos(from).count())))});
  return histogram;
}

TEST(RunMixture, GivesTheQuantilesOfTheMerge) {
  Random random(3);
  const std::vector<Histogram> runs = {run_of(random, microseconds{100}, 1'000),
                                       run_of(random, microseconds{300}, 5'000),
                                       run_of(random, microseconds{50}, 300)};
  const RunMixture mixture(runs);
  Histogram merged;
  for (const std::size_t run : {0U, 1U, 1U, 1U}) merged.merge(runs[run]);
  const std::vector<std::uint64_t> times = {1, 3, 0};
  for (const double q : {0.0, 0.1, 0.5, 0.9, 0.99, 1.0}) {
    const auto expected = static_cast<double>(merged.quantile(q)->count());
    EXPECT_NEAR(mixture.quantile(q, times), expected, 0.001 * expected) << q;
  }
}

TEST(RunMixture, KeepsWhatLiesOutsideTheRange) {
  Histogram histogram;
  histogram.record(microseconds{1});
  histogram.record(std::chrono::hours{2}, 9);
  const std::vector<Histogram> runs = {histogram};
  const std::vector<std::uint64_t> once = {1};
  EXPECT_EQ(RunMixture(runs).quantile(0.99, once), 7'200e9);
}

TEST(RatioOfMergedQuantiles, HasAnIntervalThatHoldsTheTruth) {
  Random random(9);
  std::vector<Histogram> from;
  std::vector<Histogram> to;
  for (int i = 0; i < 5; ++i) {
    from.push_back(run_of(random, microseconds{100 + i}, 2'000));
    to.push_back(run_of(random, microseconds{200 + 2 * i}, 2'000));
  }
  const Estimate ratio =
      ratio_of_merged_quantiles(RunMixture(from), RunMixture(to), 0.99, 1).value();
  EXPECT_NEAR(ratio.value, 2, 0.03);
  EXPECT_LE(ratio.low.value(), 2.01);
  EXPECT_GE(ratio.high.value(), 1.99);
  from.pop_back();
  EXPECT_FALSE(ratio_of_merged_quantiles(RunMixture(from), RunMixture(to), 0.99, 1)->low);
}

}  // namespace
}  // namespace headroom::stats
