#include "analysis/series.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/run_builder.h"

namespace headroom::analysis {
namespace {

using headroom::testing::RunBuilder;
using std::chrono::microseconds;

TEST(PerSecond, HasARowForEverySecondUnderLoadInOrder) {
  const auto seconds = per_second(RunBuilder().warmup(2).measure(3).build());
  ASSERT_EQ(seconds.size(), 5U);
  EXPECT_EQ(seconds[1].interval.phase, record::Phase::kWarmup);
  EXPECT_EQ(seconds[2].interval.phase, record::Phase::kMeasure);
  EXPECT_EQ(seconds[2].completed, 3'300U);
  EXPECT_EQ(seconds[2].throughput_per_s, 3'300);
}

TEST(PerSecond, ReadsLatenciesPerOperationAndTogether) {
  const auto seconds = per_second(RunBuilder().measure(1).build());
  EXPECT_EQ(seconds[0].latencies[0].count, 300U);
  EXPECT_EQ(seconds[0].latencies[0].p999, std::nullopt);  // needs 1,000
  EXPECT_EQ(seconds[0].latencies[0].max, Nanos{microseconds{120}});
  EXPECT_EQ(seconds[0].all.count, 3'300U);
  EXPECT_TRUE(seconds[0].all.p999);
}

TEST(PerSecond, TakesEvictionsBetweenTheSamplesAtItsEnds) {
  const auto seconds =
      per_second(RunBuilder()
                     .measure(10)
                     .metric("Evictions", [](double t) { return t < 4 ? 0 : t * 10; })
                     .build());
  EXPECT_EQ(seconds[0].evictions_per_s, 0);
  EXPECT_EQ(seconds[4].evictions_per_s, 45);  // 3.5 s: none; 4.5 s: 45
  // The last second ends at a sample of its own, 1.5 s after the one before it.
  EXPECT_DOUBLE_EQ(seconds[9].evictions_per_s.value(), 10);
}

TEST(PerSecond, LeavesTelemetryOutWhereNoSampleIsNear) {
  const auto seconds = per_second(RunBuilder().measure(20).hole(5, 15).build());
  EXPECT_TRUE(seconds[4].memory_used_ratio);
  EXPECT_FALSE(seconds[9].memory_used_ratio);
  EXPECT_FALSE(seconds[9].evictions_per_s);
  EXPECT_FALSE(seconds[9].keys);
  EXPECT_TRUE(seconds[17].memory_used_ratio);
}

TEST(PerSecond, LeavesEvictionsOutWhereTheCounterWentBack) {
  const auto seconds =
      per_second(RunBuilder()
                     .measure(10)
                     .metric("Evictions", [](double t) { return t < 5 ? 90.0 : 0.0; })
                     .build());
  EXPECT_FALSE(seconds[5].evictions_per_s);
  EXPECT_EQ(seconds[7].evictions_per_s, 0);
}

TEST(PerSecond, ShowsTheBusiestWorker) {
  const auto seconds = per_second(RunBuilder()
                                      .measure(2)
                                      .edit([](record::Run& run) {
                                        run.workers[1].health.cpu = std::chrono::milliseconds{700};
                                        run.workers[2].health.in_flight = 4;
                                        run.workers[2].health.connections_lost = 1;
                                      })
                                      .build());
  EXPECT_DOUBLE_EQ(seconds[0].worker_cpu_max_ratio.value(), 0.7);
  EXPECT_DOUBLE_EQ(seconds[1].worker_cpu_max_ratio.value(), 0.3);
  EXPECT_EQ(seconds[0].in_flight, 4U);
  EXPECT_EQ(seconds[0].connections_lost, 1U);
}

TEST(PerSecond, OfAnEmptyRunIsEmpty) { EXPECT_TRUE(per_second(record::Run{}).empty()); }

}  // namespace
}  // namespace headroom::analysis
