#include "analysis/connections.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/run_builder.h"

namespace headroom::analysis {
namespace {

using headroom::testing::RunBuilder;
using record::ConnectStep;
using std::chrono::microseconds;
using std::chrono::milliseconds;

stats::Histogram times(Nanos value, std::uint64_t count) {
  stats::Histogram histogram;
  histogram.record(value, count);
  return histogram;
}

// Twelve connections at first, and one that is opened again in each of two later seconds.
record::Run run_with_connects() {
  return RunBuilder()
      .measure(5)
      .edit([](record::Run& run) {
        run.intervals[0].connects = {
            {{ConnectStep::kGreeting, false}, times(microseconds{200}, 12)},
            {{ConnectStep::kConnect, false}, times(microseconds{100}, 12)}};
        run.intervals[2].connects = {{{ConnectStep::kTls, true}, times(milliseconds{1}, 1)}};
        run.intervals[3].connects = {{{ConnectStep::kTls, true}, times(milliseconds{3}, 1)}};
        for (record::WorkerCounts& counts : run.workers) {
          counts.health.connections_opened = 2;
          counts.health.connections_renewed = 1;
          counts.health.connections_idle = 7;
        }
      })
      .build();
}

TEST(Connections, MergesEachStepOverTheWholeRun) {
  Reasons reasons;
  const ConnectionsSummary summary = summarize_connections(run_with_connects(), reasons);
  ASSERT_EQ(summary.steps.size(), 3U);
  EXPECT_EQ(connect_label(summary.steps[0].key), "connect");
  EXPECT_EQ(connect_label(summary.steps[1].key), "greeting");
  EXPECT_EQ(connect_label(summary.steps[2].key), "TLS handshake, again");
  EXPECT_EQ(summary.steps[0].count, 12U);
  EXPECT_EQ(summary.steps[0].max, microseconds{100});
  EXPECT_TRUE(summary.steps[0].p90);
  EXPECT_FALSE(summary.steps[0].p99);
  EXPECT_EQ(summary.steps[2].count, 2U);
  EXPECT_EQ(summary.steps[2].mean_ns, 2e6);
  EXPECT_EQ(reasons["connections[connect].p99"], "needs 100 connections, has 12");
}

TEST(Connections, CountsThemAndTheIdleOnesAtTheEndOfTheWindow) {
  Reasons reasons;
  const record::Run run = run_with_connects();
  const ConnectionsSummary summary = summarize_connections(run, reasons);
  EXPECT_EQ(summary.opened, 2 * run.workers.size());
  EXPECT_EQ(summary.renewed, run.workers.size());
  EXPECT_EQ(summary.idle, 3U * 7U);
}

TEST(Connections, OfARunThatMeasuredNoneAreAbsent) {
  Reasons reasons;
  const ConnectionsSummary summary = summarize_connections({}, reasons);
  EXPECT_TRUE(summary.steps.empty());
  EXPECT_EQ(summary.opened, 0U);
  EXPECT_EQ(summary.idle, std::nullopt);
  EXPECT_TRUE(reasons.empty());
}

}  // namespace
}  // namespace headroom::analysis
