#include "analysis/loads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/window.h"
#include "tests/support/run_builder.h"
#include "tests/support/several_loads.h"

namespace headroom::analysis {
namespace {

using headroom::testing::add_stage;
using headroom::testing::LoadSecond;
using headroom::testing::make_two_tenants;
using headroom::testing::RunBuilder;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(Loads, ARunOfOneLoadHasNoParts) {
  const Summary summary = summarize(RunBuilder().build());
  EXPECT_THAT(summary.loads, IsEmpty());
  EXPECT_THAT(summary.stages, IsEmpty());
  EXPECT_EQ(summary.configured_slots, 6U);
}

TEST(Loads, EachHasItsOwnOperationsAndWorkers) {
  const record::Run run = RunBuilder().measure(10).edit(make_two_tenants).build();
  const Summary summary = summarize(run);
  ASSERT_THAT(summary.loads, SizeIs(2));
  const LoadSummary& a = summary.loads[0];
  const LoadSummary& b = summary.loads[1];
  EXPECT_EQ(a.name, "a");
  EXPECT_EQ(a.workers, 1U);
  EXPECT_EQ(b.first_worker, 1U);
  EXPECT_EQ(a.slots, 2U);
  EXPECT_EQ(b.slots, 8U);
  EXPECT_EQ(summary.configured_slots, 10U);
  EXPECT_EQ(a.measure.completed, 1'000U) << "100 SETs a second of one worker";
  EXPECT_EQ(b.measure.completed, 20'000U);
  EXPECT_EQ(a.measure.completed + b.measure.completed, summary.measure.completed);
  EXPECT_THAT(b.measure.outcomes, SizeIs(1));
  EXPECT_EQ(b.measure.outcomes.begin()->first, "GET") << "its own name, without the load's";
  EXPECT_DOUBLE_EQ(b.measure.hit_ratio_client.value(), 0.9);
  EXPECT_EQ(a.measure.hit_ratio_client, std::nullopt);
  EXPECT_EQ(a.measure.memory_used_max_ratio, std::nullopt) << "the engine is everybody's";
  EXPECT_THAT(summary.not_available.at("loads[a].hit_ratio_client"), HasSubstr("no read"));
  ASSERT_FALSE(b.measure.latencies.empty());
  EXPECT_EQ(b.measure.latencies.front().operation, "all");
  EXPECT_EQ(b.sent, b.ended);
  EXPECT_TRUE(a.adds_up);
}

TEST(Loads, OneThatDoesNotAddUpIsNamed) {
  const record::Run run = RunBuilder()
                              .measure(10)
                              .edit(make_two_tenants)
                              .edit([](record::Run& r) { ++r.intervals[3].counts[1].sent; })
                              .build();
  const Summary summary = summarize(run);
  EXPECT_TRUE(summary.loads[0].adds_up);
  EXPECT_FALSE(summary.loads[1].adds_up);
  EXPECT_FALSE(summary.conservation.client_adds_up);
}

TEST(Stages, AreWindowsThatDivideMeasure) {
  const record::Run run =
      RunBuilder()
          .warmup(5)
          .measure(30)
          .load([](std::int64_t second) {
            LoadSecond load;
            if (second >= 15 && second < 20) load.hits = 1'900;  // 10 to 15 s into measure
            return load;
          })
          .metric("Evictions", [](double t) { return t < 16 ? 0.0 : 100 * (t - 16); })
          .edit([](record::Run& r) { add_stage(r, "burst", seconds{10}, seconds{5}); })
          .build();
  const Summary summary = summarize(run);
  ASSERT_THAT(summary.stages, SizeIs(3));
  const auto rates = [&](std::size_t i) { return summary.stages[i].summary.throughput_per_s; };
  EXPECT_EQ(summary.stages[0].summary.window.name, "before burst");
  EXPECT_EQ(summary.stages[1].summary.window.name, "burst");
  EXPECT_TRUE(summary.stages[1].is_stage);
  EXPECT_FALSE(summary.stages[2].is_stage);
  EXPECT_DOUBLE_EQ(rates(0).value(), 3'300);
  EXPECT_DOUBLE_EQ(rates(1).value(), 6'300);
  EXPECT_DOUBLE_EQ(rates(2).value(), 3'300);
  std::uint64_t completed = 0;
  for (const StageSummary& stage : summary.stages) completed += stage.summary.completed;
  EXPECT_EQ(completed, summary.measure.completed);
  EXPECT_EQ(summary.stages[0].summary.evictions, 0);
  EXPECT_GT(summary.stages[1].summary.evictions.value(), 300);
}

TEST(Stages, OfARunThatDiedEndWithIt) {
  const record::Run run = RunBuilder()
                              .measure(30)
                              .killed_after(12)
                              .edit([](record::Run& r) {
                                add_stage(r, "one", seconds{10}, seconds{5});
                                add_stage(r, "two", seconds{20}, seconds{5});
                              })
                              .build();
  const Summary summary = summarize(run);
  ASSERT_THAT(summary.stages, SizeIs(2));
  EXPECT_EQ(summary.stages[1].summary.window.name, "one");
  EXPECT_LE(summary.stages[1].summary.window.seconds(), 2);
}

TEST(Stages, SlotsAreTheMeanOverMeasure) {
  record::Run run = RunBuilder().measure(30).build();
  add_stage(run, "s", seconds{10}, seconds{15});
  run.header.scenario.stages[0].connections = scenario::ConnectionsInUse{2, 10};
  const auto loads = scenario::loads_of(run.header.scenario);
  // Three workers: 2 connections for half of the time, 6 in the mean of the other half.
  EXPECT_EQ(mean_slots(run.header.scenario, loads[0]), 12U);
}

}  // namespace
}  // namespace headroom::analysis
