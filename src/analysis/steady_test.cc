#include "analysis/steady.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/window.h"
#include "base/random.h"
#include "tests/support/run_builder.h"

namespace headroom::analysis {
namespace {

using headroom::testing::LoadSecond;
using headroom::testing::RunBuilder;
using std::chrono::seconds;
using ::testing::HasSubstr;

// About 1 % of noise around a level.
std::function<LoadSecond(std::int64_t)> noisy(std::function<double(std::int64_t)> level) {
  return [level = std::move(level), random = Random(7)](std::int64_t second) mutable {
    LoadSecond load;
    load.hits = static_cast<std::uint64_t>(level(second) * (1 + 0.02 * (random.uniform() - 0.5)));
    return load;
  };
}

Known<StableSegment> steady(const record::Run& run) {
  Reasons reasons;
  return stable_segment(run, measure_window(run).value(), reasons);
}

TEST(StableSegment, IsTheWholeWindowOfALevelRun) {
  const auto stable =
      steady(RunBuilder().measure(60).load(noisy([](std::int64_t) { return 900.0; })).build());
  ASSERT_TRUE(stable);
  EXPECT_EQ(stable->segments, 1U);
  EXPECT_EQ(stable->summary.window.seconds(), 60);
  EXPECT_LT(stable->low_per_s.value(), stable->mean_per_s);
  EXPECT_GT(stable->high_per_s.value(), stable->mean_per_s);
  EXPECT_NEAR(stable->mean_per_s, stable->summary.throughput_per_s.value(), 1e-6);
}

TEST(StableSegment, LeavesTheLevelBeforeAChangeOut) {
  const auto stable =
      steady(RunBuilder()
                 .measure(60)
                 .load(noisy([](std::int64_t second) { return second < 15 ? 2'000.0 : 900.0; }))
                 .build());
  ASSERT_TRUE(stable);
  EXPECT_EQ(stable->segments, 2U);
  EXPECT_EQ(stable->summary.window.begin, RunBuilder::kLoadBegin + seconds{15});
  EXPECT_EQ(stable->summary.window.seconds(), 45);
  EXPECT_NEAR(stable->mean_per_s, 3'300, 30);
}

TEST(StableSegment, OfConstantThroughputHasAnIntervalWithoutWidth) {
  const auto stable = steady(RunBuilder().measure(30).build());
  ASSERT_TRUE(stable);
  EXPECT_EQ(stable->segments, 1U);
  EXPECT_DOUBLE_EQ(stable->low_per_s.value(), 3'300);
  EXPECT_DOUBLE_EQ(stable->high_per_s.value(), 3'300);
}

TEST(StableSegment, IsUnknownForAShortWindowOrWithoutALastingLevel) {
  EXPECT_THAT(steady(RunBuilder().measure(19).build()).error(),
              HasSubstr("20 full seconds, has 19"));
  const auto stairs = RunBuilder()
                          .measure(60)
                          .load(noisy([](std::int64_t second) {
                            return 500.0 + 300.0 * static_cast<double>(second / 10);
                          }))
                          .build();
  EXPECT_THAT(steady(stairs).error(), HasSubstr("no level lasted 20 seconds"));
}

}  // namespace
}  // namespace headroom::analysis
