#include "analysis/cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/window.h"
#include "tests/support/run_builder.h"

namespace headroom::analysis {
namespace {

using headroom::testing::RunBuilder;
using record::Outcome;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr Nanos kBegin = RunBuilder::kLoadBegin;

record::NodeSeries series_of(std::string node, std::uint64_t hits, std::uint64_t lost,
                             Nanos latency) {
  record::NodeSeries series;
  series.node = std::move(node);
  series.counts.requests.sent = hits + lost;
  series.counts.requests.outcomes[static_cast<std::size_t>(Outcome::kHit)] = hits;
  series.counts.requests.outcomes[static_cast<std::size_t>(Outcome::kLost)] = lost;
  series.counts.moved = 2;
  series.service.record(latency, hits);
  return series;
}

// Two nodes over 20 s; "b" serves nobody in the seconds 10 to 12, in which throughput is a tenth.
// Two workers see it, one after the other.
record::Run run_with_outage() {
  return RunBuilder()
      .measure(20)
      .load([](std::int64_t second) {
        const bool down = second >= 10 && second < 13;
        return headroom::testing::LoadSecond{.hits = down ? 90U : 900U, .misses = 0};
      })
      .edit([](record::Run& run) {
        for (record::MergedInterval& interval : run.intervals) {
          if (interval.interval.phase != record::Phase::kMeasure) continue;
          const bool down = interval.interval.index >= 10 && interval.interval.index < 13;
          interval.nodes.push_back(series_of("a:1", 100, 0, milliseconds{1}));
          interval.nodes.push_back(series_of("b:2", down ? 0 : 100, down ? 7 : 0, milliseconds{3}));
          if (interval.interval.index == 13) {
            interval.outages = {
                {"b:2", 0, kBegin + milliseconds{10'200}, kBegin + milliseconds{13'000}, "c:3"},
                {"b:2", 1, kBegin + milliseconds{10'100}, kBegin + milliseconds{13'100}, "c:3"}};
          }
        }
      })
      .build();
}

ClusterSummary summary_of(const record::Run& run) {
  const auto window = measure_window(run);
  EXPECT_TRUE(window);
  const auto summary = summarize_cluster(run, *window);
  EXPECT_TRUE(summary);
  return summary.value_or(ClusterSummary{});
}

TEST(Cluster, SumsUpEachNode) {
  const ClusterSummary summary = summary_of(run_with_outage());
  ASSERT_THAT(summary.nodes, SizeIs(2));
  EXPECT_EQ(summary.nodes[0].node, "a:1");
  EXPECT_EQ(summary.nodes[0].counts.requests.sent, 2000U);
  EXPECT_DOUBLE_EQ(*summary.nodes[0].throughput_per_s, 100);
  EXPECT_EQ(summary.nodes[1].counts.requests.of(Outcome::kLost), 21U);
  EXPECT_EQ(summary.nodes[1].counts.moved, 40U);
  ASSERT_TRUE(summary.nodes[1].service.p99);
  EXPECT_NEAR(static_cast<double>(summary.nodes[1].service.p99->count()), 3e6, 3e3);
  EXPECT_FALSE(summary.nodes[1].response);
  EXPECT_EQ(summary.total.requests.sent, 2000U + 1700U + 21U);
}

TEST(Cluster, MakesOneOutageOfWhatSeveralWorkersSaw) {
  const ClusterSummary summary = summary_of(run_with_outage());
  ASSERT_THAT(summary.outages, SizeIs(1));
  const OutageSummary& outage = summary.outages[0];
  EXPECT_EQ(outage.node, "b:2");
  EXPECT_EQ(outage.begin, kBegin + milliseconds{10'100});
  EXPECT_EQ(outage.end, kBegin + milliseconds{13'100});
  EXPECT_EQ(outage.workers, 2U);
  EXPECT_EQ(outage.successor, "c:3");
  EXPECT_EQ(outage.failed, 21U);
}

TEST(Cluster, TellsWhenThroughputWasBack) {
  const ClusterSummary summary = summary_of(run_with_outage());
  ASSERT_THAT(summary.outages, SizeIs(1));
  // The second that begins at 13 s is the first with 1,000 again, and the outage ends inside it.
  EXPECT_EQ(summary.outages[0].recovered_after, milliseconds{3'000});
}

TEST(Cluster, KeepsApartOutagesThatDoNotOverlap) {
  record::Run run = run_with_outage();
  for (record::MergedInterval& interval : run.intervals) {
    if (interval.interval.phase == record::Phase::kMeasure && interval.interval.index == 19) {
      interval.outages = {{"b:2", 0, kBegin + seconds{19}, std::nullopt, ""},
                          {"a:1", 0, kBegin + seconds{11}, kBegin + seconds{12}, "a:1"}};
    }
  }
  const ClusterSummary summary = summary_of(run);
  ASSERT_THAT(summary.outages, SizeIs(3));
  EXPECT_EQ(summary.outages[1].node, "a:1");
  EXPECT_FALSE(summary.outages[2].end);
  EXPECT_FALSE(summary.outages[2].recovered_after);
}

TEST(Cluster, OfAnotherTargetIsAbsent) {
  const record::Run run = RunBuilder().measure(3).build();
  EXPECT_FALSE(summarize_cluster(run, *measure_window(run)));
  EXPECT_FALSE(summarize(run).cluster);
}

TEST(Cluster, SaysThatOneNodeOfSeveralWasSampled) {
  record::Run run = run_with_outage();
  run.header.scenario.target.kind = scenario::TargetKind::kEndpoint;
  run.header.scenario.target.host = "a";
  run.header.scenario.target.port = 1;
  EXPECT_THAT(summarize(run).warnings,
              Contains(::testing::AllOf(
                  Field(&Doubt::kind, record::WarningKind::kTelemetryAbsent),
                  Field(&Doubt::seen, HasSubstr("those of a:1 alone, one of 2 nodes")))));
}

TEST(Cluster, AnOutageIsAWarning) {
  const Summary summary = summarize(run_with_outage());
  EXPECT_THAT(summary.warnings,
              Contains(::testing::AllOf(
                  Field(&Doubt::kind, record::WarningKind::kOutage),
                  Field(&Doubt::seen, HasSubstr("slots of b:2 for 3.00 s, from 10.1 s into the "
                                                "window; 21 requests failed there; c:3 took "
                                                "over; throughput was back after 3.00 s")))));
}

}  // namespace
}  // namespace headroom::analysis
