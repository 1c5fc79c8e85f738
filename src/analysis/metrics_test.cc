#include "analysis/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/run_builder.h"

namespace headroom::analysis {
namespace {

using record::Point;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

constexpr Nanos ms(std::int64_t value) { return milliseconds{value}; }

record::Run run_with(std::vector<Point> points, const std::string& metric = "Evictions") {
  record::Run run;
  run.header.scenario.timing.sample_interval = seconds{1};
  run.metrics.push_back({metric, "", std::move(points)});
  return run;
}

TEST(CounterGrowth, IsTakenBetweenTheSamplesNearestToTheEdges) {
  const record::Run run =
      run_with({{ms(400), 3}, {ms(1'010), 10}, {ms(2'000), 30}, {ms(2'990), 70}, {ms(4'000), 99}});
  const auto growth = counter_growth(run, {"w", seconds{1}, seconds{3}}, "Evictions");
  ASSERT_TRUE(growth);
  EXPECT_EQ(growth->value, 60);
  EXPECT_DOUBLE_EQ(growth->seconds, 1.98);
}

TEST(CounterGrowth, OfTwoEquallyNearSamplesTakesTheEarlier) {
  const record::Run run = run_with({{ms(500), 1}, {ms(1'500), 2}, {ms(2'500), 4}});
  const auto growth = counter_growth(run, {"w", seconds{1}, seconds{2}}, "Evictions");
  ASSERT_TRUE(growth);
  EXPECT_EQ(growth->value, 1);
}

TEST(CounterGrowth, IsUnknownWhenTheCounterWentBack) {
  const record::Run run = run_with({{ms(1'000), 50}, {ms(2'000), 2}, {ms(3'000), 60}});
  const auto growth = counter_growth(run, {"w", seconds{1}, seconds{3}}, "Evictions");
  ASSERT_FALSE(growth);
  EXPECT_THAT(growth.error(), HasSubstr("went back"));
}

TEST(CounterGrowth, SaysWhatIsMissing) {
  const Window window{"w", seconds{10}, seconds{20}};
  const record::Run none;
  EXPECT_THAT(counter_growth(none, window, "Evictions").error(), HasSubstr("not sampled"));

  const record::Run early = run_with({{ms(10'000), 1}, {ms(17'499), 2}});
  EXPECT_THAT(counter_growth(early, window, "Evictions").error(), HasSubstr("window's end"));

  const record::Run late = run_with({{ms(12'501), 1}, {ms(20'000), 2}});
  EXPECT_THAT(counter_growth(late, window, "Evictions").error(), HasSubstr("window's begin"));

  const record::Run one = run_with({{ms(10'500), 1}});
  EXPECT_THAT(counter_growth(one, {"w", seconds{10}, seconds{11}}, "Evictions").error(),
              HasSubstr("fewer than two"));
}

TEST(CounterGrowth, AcceptsAnEdgeSampleExactlyAtTheTolerance) {
  const record::Run run = run_with({{ms(12'500), 1}, {ms(17'500), 2}});
  EXPECT_TRUE(counter_growth(run, {"w", seconds{10}, seconds{20}}, "Evictions"));
}

TEST(MemoryUsedRatio, DividesOnlyWhatWasSampledTogether) {
  record::Run run =
      run_with({{ms(1'000), 50}, {ms(2'000), 60}, {ms(3'000), 80}}, "BytesUsedForCache");
  run.metrics.push_back({"maxmemory", "", {{ms(1'000), 100}, {ms(3'000), 200}}});
  const auto ratios = memory_used_ratio(run, {"w", seconds{1}, seconds{3}});
  ASSERT_TRUE(ratios);
  ASSERT_EQ(ratios->size(), 2U);
  EXPECT_DOUBLE_EQ((*ratios)[0].value, 0.5);
  EXPECT_DOUBLE_EQ((*ratios)[1].value, 0.4);
}

TEST(MemoryUsedRatio, IsUnknownWithoutALimit) {
  record::Run run = run_with({{ms(1'000), 50}, {ms(2'000), 60}}, "BytesUsedForCache");
  const Window window{"w", seconds{1}, seconds{2}};
  EXPECT_THAT(memory_used_ratio(run, window).error(), HasSubstr("maxmemory"));
  run.metrics.push_back({"maxmemory", "", {{ms(1'000), 0}, {ms(2'000), 0}}});
  EXPECT_THAT(memory_used_ratio(run, window).error(), HasSubstr("not set"));
}

TEST(TimeWeightedMean, WeighsValuesByTheTimeTheyStandFor) {
  const std::vector<Point> points = {
      {ms(0), 0}, {ms(1'000), 0}, {ms(1'001), 100}, {ms(2'000), 100}};
  EXPECT_NEAR(time_weighted_mean(points), 49.975, 1e-9);
}

TEST(PointBefore, NeverReachesForwardNorTooFarBack) {
  const record::MetricSeries series{"m", "", {{ms(1'000), 5}, {ms(2'000), 6}}};
  EXPECT_FALSE(point_before(series, ms(999), seconds{9}));
  EXPECT_EQ(point_before(series, ms(1'000), seconds{9})->value, 5);
  EXPECT_EQ(point_before(series, ms(1'999), seconds{9})->value, 5);
  EXPECT_EQ(point_before(series, ms(3'500), ms(1'500))->value, 6);
  EXPECT_FALSE(point_before(series, ms(3'501), ms(1'500)));
}

TEST(ValueAt, NeedsTheExactTime) {
  const record::MetricSeries series{"m", "", {{ms(1'000), 5}}};
  EXPECT_EQ(value_at(series, ms(1'000)), 5);
  EXPECT_FALSE(value_at(series, ms(1'001)));
}

}  // namespace
}  // namespace headroom::analysis
