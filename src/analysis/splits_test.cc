#include "analysis/splits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/run_builder.h"

namespace headroom::analysis {
namespace {

using headroom::testing::RunBuilder;
using record::LatencyKind;
using record::Outcome;
using std::chrono::milliseconds;
using std::chrono::seconds;

stats::Histogram times(Nanos value, std::uint64_t count) {
  stats::Histogram histogram;
  histogram.record(value, count);
  return histogram;
}

TEST(Splits, AreSummedUpByPartAndOperation) {
  const record::Run run =
      RunBuilder()
          .measure(3)
          .edit([](record::Run& made) {
            using record::Split;
            made.splits = {
                {{Split::kKeys, record::kHotKeys, {1, Outcome::kHit, LatencyKind::kService}},
                 times(milliseconds{1}, 30)},
                {{Split::kKeys, record::kHotKeys, {1, Outcome::kMiss, LatencyKind::kService}},
                 times(milliseconds{2}, 10)},
                {{Split::kValueSize, 128, {0, Outcome::kOk, LatencyKind::kService}},
                 times(milliseconds{3}, 1)}};
          })
          .build();
  Reasons reasons;
  const auto splits = summarize_splits(run, reasons);
  ASSERT_EQ(splits.size(), 2U);
  EXPECT_EQ(splits[0].part, 128U);
  const auto& hot = splits[1].latencies;
  ASSERT_EQ(hot.size(), 4U);  // all, GET, GET hit, GET miss
  EXPECT_EQ(hot[1].operation, "GET");
  EXPECT_TRUE(hot[1].all_completed);
  EXPECT_EQ(hot[1].count, 40U);
  EXPECT_EQ(hot[1].max, milliseconds{2});
  EXPECT_EQ(reasons["splits[65B to 128B].latency[SET ok].p50"], "needs 2 samples, there are 1");
}

TEST(CacheAside, CountsTheWindowAndWhatWaitedAtItsEnd) {
  const record::Run run =
      RunBuilder()
          .warmup(1)
          .measure(3)
          .edit([](record::Run& made) {
            made.header.scenario.workload.backend_time = Nanos{milliseconds{2}};
            for (record::MergedInterval& interval : made.intervals) {
              interval.cache_aside = record::CacheAside{
                  5, 3, 1, 0, times(milliseconds{7}, 3), times(milliseconds{8}, 3)};
            }
          })
          .build();
  Reasons reasons;
  const Summary summary = summarize(run);
  ASSERT_TRUE(summary.cache_aside);
  EXPECT_EQ(summary.cache_aside->begun, 15U);
  EXPECT_EQ(summary.cache_aside->filled, 9U);
  EXPECT_EQ(summary.cache_aside->failed, 3U);
  EXPECT_EQ(summary.cache_aside->waiting_at_end, 4U);  // one in each second, the warm-up's too
  std::size_t rows = 0;
  for (const LatencySummary& row : summary.measure.latencies) {
    if (row.operation != kCacheAsideName) continue;
    ++rows;
    EXPECT_EQ(row.count, 9U);
  }
  EXPECT_EQ(rows, 2U);
  // What users waited is no request of its own.
  const record::Run plain = RunBuilder().warmup(1).measure(3).build();
  EXPECT_EQ(summary.measure.completed, summarize(plain).measure.completed);
  EXPECT_FALSE(summarize(plain).cache_aside);
}

}  // namespace
}  // namespace headroom::analysis
