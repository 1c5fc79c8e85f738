#include "analysis/latency.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headroom::analysis {
namespace {

using record::LatencyKey;
using record::LatencyKind;
using record::LatencySeries;
using record::Outcome;
using std::chrono::microseconds;
using ::testing::ElementsAre;

LatencySeries series(std::uint16_t operation, Outcome outcome, Nanos latency, std::uint64_t times,
                     LatencyKind kind = LatencyKind::kService) {
  LatencySeries result{{operation, outcome, kind}, {}};
  result.histogram.record(latency, times);
  return result;
}

const std::vector<std::string> kOperations = {"SET", "GET"};

TEST(MergeLatencies, AddsUpEqualKeysAndKeepsTheOrder) {
  std::vector<LatencySeries> merged;
  merge_latencies(merged, std::vector{series(1, Outcome::kHit, microseconds{5}, 3)});
  merge_latencies(merged, std::vector{series(0, Outcome::kOk, microseconds{7}, 2),
                                      series(1, Outcome::kHit, microseconds{9}, 4)});
  ASSERT_EQ(merged.size(), 2U);
  EXPECT_EQ(merged[0].key, (LatencyKey{0, Outcome::kOk, LatencyKind::kService}));
  EXPECT_EQ(merged[1].histogram.count(), 7U);
  EXPECT_EQ(merged[1].histogram.max(), Nanos{microseconds{9}});
}

TEST(CompletedLatency, LeavesOutErrorsAndOtherKinds) {
  const std::vector all = {series(0, Outcome::kOk, microseconds{1}, 10),
                           series(0, Outcome::kError, microseconds{2}, 100),
                           series(1, Outcome::kHit, microseconds{3}, 20),
                           series(1, Outcome::kMiss, microseconds{4}, 30),
                           series(1, Outcome::kHit, microseconds{3}, 500, LatencyKind::kResponse)};
  EXPECT_EQ(completed_latency(all, LatencyKind::kService).count(), 60U);
  EXPECT_EQ(completed_latency(all, LatencyKind::kService, 1).count(), 50U);
  EXPECT_EQ(completed_latency(all, LatencyKind::kResponse).count(), 500U);
}

TEST(SupportedQuantile, NeedsASampleExpectedBeyondIt) {
  const std::vector<std::pair<Quantile, std::uint64_t>> needs = {{Quantile::kP50, 2},
                                                                 {Quantile::kP90, 10},
                                                                 {Quantile::kP99, 100},
                                                                 {Quantile::kP999, 1'000},
                                                                 {Quantile::kP9999, 10'000}};
  for (const auto& [quantile, needed] : needs) {
    EXPECT_EQ(samples_needed(quantile), needed);
    stats::Histogram histogram;
    histogram.record(Nanos{100}, needed - 1);
    EXPECT_FALSE(supported_quantile(histogram, quantile)) << quantile_name(quantile);
    histogram.record(Nanos{100});
    EXPECT_EQ(supported_quantile(histogram, quantile), Nanos{100}) << quantile_name(quantile);
  }
}

TEST(SummarizeLatencies, ShowsTheWholeThenOperationsThenOutcomes) {
  std::vector<LatencySeries> merged;
  merge_latencies(merged, std::vector{series(0, Outcome::kOk, microseconds{10}, 100),
                                      series(0, Outcome::kRejected, microseconds{2}, 5),
                                      series(1, Outcome::kHit, microseconds{20}, 300),
                                      series(1, Outcome::kMiss, microseconds{30}, 200)});
  Reasons reasons;
  std::vector<std::string> labels;
  const auto rows = summarize_latencies(merged, kOperations, reasons, "measure");
  for (const auto& row : rows) labels.push_back(latency_label(row));
  EXPECT_THAT(labels, ElementsAre("all", "SET ok", "SET rejected", "GET", "GET hit", "GET miss"));
  EXPECT_EQ(rows[0].count, 600U);
  EXPECT_EQ(rows[0].max, Nanos{microseconds{30}});
  EXPECT_EQ(rows[3].count, 500U);
  EXPECT_EQ(rows[2].p50, Nanos{microseconds{2}});
}

TEST(SummarizeLatencies, GivesTheReasonForEveryQuantileItLeavesOut) {
  const std::vector merged = {series(0, Outcome::kOk, microseconds{10}, 812)};
  Reasons reasons;
  const auto rows = summarize_latencies(merged, kOperations, reasons, "measure");
  EXPECT_TRUE(rows[0].p99);
  EXPECT_FALSE(rows[0].p999);
  EXPECT_EQ(reasons.at("measure.latency[SET ok].p99.9"), "needs 1,000 samples, there are 812");
  EXPECT_EQ(reasons.at("measure.latency[all].p99.99"), "needs 10,000 samples, there are 812");
  EXPECT_FALSE(reasons.contains("measure.latency[all].p99"));
}

TEST(SummarizeLatencies, CountsWhatFellOutsideTheRange) {
  const std::vector merged = {series(0, Outcome::kOk, std::chrono::hours{2}, 3)};
  Reasons reasons;
  const auto rows = summarize_latencies(merged, kOperations, reasons, "measure");
  EXPECT_EQ(rows[0].out_of_range, 3U);
  EXPECT_EQ(rows[0].max, Nanos{std::chrono::hours{2}});
}

TEST(SummarizeLatencies, OfNothingIsNothing) {
  Reasons reasons;
  EXPECT_TRUE(summarize_latencies({}, kOperations, reasons, "measure").empty());
  EXPECT_TRUE(reasons.empty());
}

}  // namespace
}  // namespace headroom::analysis
