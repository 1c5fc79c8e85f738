#include "analysis/outline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "analysis/latency.h"
#include "tests/support/run_builder.h"
#include "tests/support/sample_runs.h"

namespace headroom::analysis {
namespace {

// The same run as it is read without the latencies of single seconds (store::Detail::kPhases).
record::Run by_phases(record::Run run) {
  std::vector<record::LatencySeries> all;
  for (record::MergedInterval& interval : run.intervals) {
    if (interval.interval.phase == record::Phase::kMeasure)
      merge_latencies(all, interval.latencies);
    interval.latencies.clear();
  }
  run.worker_windows.front().latencies = std::move(all);
  return run;
}

TEST(Outline, HasAPointASecondUpToItsMost) {
  const record::Run run = headroom::testing::boundary_run().build();
  const Outline outline = course_of(run, summarize(run)).outline;
  EXPECT_EQ(outline.step_s, 1);
  ASSERT_EQ(outline.throughput_per_s.size(), 40U);
  EXPECT_GT(*outline.throughput_per_s.front(), *outline.throughput_per_s.back());
  EXPECT_NEAR(*outline.memory_ratio.back(), 1, 1e-9);
  EXPECT_NEAR(*outline.first_eviction_s, 20.5, 0.5);
}

TEST(Outline, JoinsTheSecondsOfALongRun) {
  const record::Run run = headroom::testing::RunBuilder().measure(3'600).build();
  const Outline outline = course_of(run, summarize(run)).outline;
  EXPECT_EQ(outline.step_s, 30);
  EXPECT_EQ(outline.throughput_per_s.size(), kOutlinePoints);
  EXPECT_EQ(outline.p99_ns.size(), kOutlinePoints);
  EXPECT_DOUBLE_EQ(*outline.throughput_per_s.front(), 3'300);
}

TEST(Outline, OfARunReadByPhasesHasNoLatencyOverTimeButTheWholeOfIt) {
  const record::Run run = headroom::testing::boundary_run().build();
  const record::Run phases = by_phases(run);
  const Course whole = course_of(run, summarize(run));
  const Course course = course_of(phases, summarize(phases));
  EXPECT_EQ(course.latency, whole.latency);
  EXPECT_EQ(course.outline.throughput_per_s, whole.outline.throughput_per_s);
  EXPECT_TRUE(
      std::ranges::none_of(course.outline.p99_ns, [](const auto& p) { return p.has_value(); }));
}

TEST(SummaryOfARunReadByPhases, HasTheSameLatenciesOverMeasureAndNoneOfItsParts) {
  const record::Run run = headroom::testing::boundary_run().build();
  const Summary whole = summarize(run);
  const Summary summary = summarize(by_phases(run));
  ASSERT_EQ(summary.measure.latencies.size(), whole.measure.latencies.size());
  for (std::size_t i = 0; i < whole.measure.latencies.size(); ++i) {
    const LatencySummary& row = summary.measure.latencies[i];
    EXPECT_EQ(latency_label(row), latency_label(whole.measure.latencies[i]));
    EXPECT_EQ(row.count, whole.measure.latencies[i].count);
    EXPECT_EQ(row.p99, whole.measure.latencies[i].p99);
    EXPECT_EQ(row.mean_ns, whole.measure.latencies[i].mean_ns);
  }
  EXPECT_EQ(summary.measure.concurrency, whole.measure.concurrency);
  ASSERT_TRUE(summary.before_eviction);
  EXPECT_TRUE(summary.before_eviction->latencies.empty());
  EXPECT_EQ(summary.not_available.at("before_first_eviction.latency"),
            "the latencies of single seconds were not read");
  EXPECT_EQ(summary.before_eviction->throughput_per_s, whole.before_eviction->throughput_per_s);
}

}  // namespace
}  // namespace headroom::analysis
