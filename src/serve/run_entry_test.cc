#include "serve/run_entry.h"

#include <gmock/gmock.h>

#include "tests/support/sample_runs.h"

namespace headroom::serve {
namespace {

using headroom::testing::RunBuilder;
using ::testing::IsEmpty;
using ::testing::SizeIs;

RunEntry entry(RunBuilder builder) {
  const record::Run run = builder.build();
  return entry_of(run, analysis::summarize(run));
}

TEST(RunEntry, HasTheWordsAndFiguresOfTheReport) {
  const record::Run run = headroom::testing::boundary_run().build();
  const analysis::Summary summary = analysis::summarize(run);
  const RunEntry entry = entry_of(run, summary);
  EXPECT_EQ(entry.scenario, "first-run");
  EXPECT_EQ(entry.engine, "valkey 9.1.2");
  EXPECT_EQ(entry.headline, "Full after 20.5 s: evictions began");
  EXPECT_EQ(entry.tone, "caution");
  EXPECT_EQ(entry.state, "complete");
  EXPECT_EQ(entry.regime, analysis::Regime::kBoundary);
  EXPECT_EQ(entry.throughput_per_s, summary.measure.throughput_per_s);
  EXPECT_EQ(entry.p99, summary.measure.latencies.front().p99);
  EXPECT_EQ(entry.evictions, 80'000);
  EXPECT_EQ(entry.warnings, summary.warnings.size());
  EXPECT_THAT(entry.throughput_line, SizeIs(40));
  EXPECT_DOUBLE_EQ(entry.throughput_line[5].value(), 66'000);
}

TEST(RunEntry, DrawsNoMoreColumnsThanFit) {
  RunBuilder builder;
  builder.measure(200);
  const RunEntry long_run = entry(std::move(builder));
  EXPECT_LE(long_run.throughput_line.size(), kSparklineColumns);
  EXPECT_GE(long_run.throughput_line.size(), kSparklineColumns / 2);
}

TEST(RunEntry, ShowsWhatUsersWaitForInOpenLoop) {
  RunBuilder builder;
  builder.asked(3'000).load([](std::int64_t) {
    headroom::testing::LoadSecond load;
    load.due = 1'100;
    load.waited = std::chrono::milliseconds{7};
    return load;
  });
  const RunEntry open = entry(std::move(builder));
  EXPECT_TRUE(open.open_loop);
  EXPECT_GT(open.p99.value(), std::chrono::milliseconds{7});
}

TEST(RunEntry, SaysOfARunThatMeasuredNothingHowItEnded) {
  const RunEntry failed = entry(headroom::testing::failed_run());
  EXPECT_EQ(failed.state, "failed");
  EXPECT_FALSE(failed.throughput_per_s);
  EXPECT_FALSE(failed.limiter);
  EXPECT_THAT(failed.throughput_line, IsEmpty());
  EXPECT_EQ(entry(headroom::testing::killed_run()).state, "unfinished");
}

}  // namespace
}  // namespace headroom::serve
