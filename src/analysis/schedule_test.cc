#include "analysis/schedule.h"

#include <gtest/gtest.h>

#include "tests/support/sample_runs.h"

namespace headroom::analysis {
namespace {

using headroom::testing::open_loop_run;
using headroom::testing::RunBuilder;
using std::chrono::milliseconds;

TEST(SummarizeSchedule, AddsUpWhatTheWorkersKept) {
  const auto schedule = summarize(open_loop_run().build()).schedule;
  ASSERT_TRUE(schedule);
  EXPECT_EQ(schedule->due, 132'000U);
  EXPECT_DOUBLE_EQ(schedule->asked_per_s, 3'300);
  EXPECT_EQ(schedule->sent, 131'820U);
  EXPECT_EQ(schedule->unsent, 180U);
  EXPECT_EQ(schedule->late, 3'300U);
  EXPECT_EQ(schedule->backlog_max, 3'300U);
  EXPECT_EQ(schedule->lag_max, milliseconds{400});
  EXPECT_NEAR(static_cast<double>(schedule->lag_p50->count()), 20'000, 20);
  EXPECT_NEAR(static_cast<double>(schedule->lag_p99->count()), 400e6, 400e3);
  EXPECT_EQ(schedule->oldest_unsent, milliseconds{35});
}

TEST(SummarizeSchedule, OfAWarmupCountsNothing) {
  const auto schedule = summarize(open_loop_run().warmup(20).measure(20).build()).schedule;
  ASSERT_TRUE(schedule);
  EXPECT_EQ(schedule->due, 66'000U);
  EXPECT_EQ(schedule->late, 0U);
}

TEST(SummarizeSchedule, OfAClosedLoopIsAbsent) {
  EXPECT_FALSE(summarize(RunBuilder().build()).schedule);
}

TEST(SummarizeSchedule, OfAKilledRunHasNoDistributionOfItsLag) {
  const auto schedule = summarize(open_loop_run().killed_after(20).build()).schedule;
  ASSERT_TRUE(schedule);
  EXPECT_EQ(schedule->due, 66'000U);
  EXPECT_EQ(schedule->lag_p99, std::nullopt);
  EXPECT_EQ(schedule->oldest_unsent, std::nullopt);
}

}  // namespace
}  // namespace headroom::analysis
