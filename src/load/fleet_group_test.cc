// Several loads side by side, and stages, against a server whose behaviour is known.
#include "load/fleet_group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <set>

#include "scenario/parse.h"
#include "tests/support/fleet_fixture.h"

namespace headroom::load {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

class FleetGroupTest : public testing::Test {
 protected:
  void serve(Script script) {
    auto server = ScriptedServer::start(std::move(script));
    ASSERT_TRUE(server) << server.error().message;
    server_ = std::move(*server);
  }

  void make(const std::string& text) {
    auto scenario = scenario::parse_scenario(text, "test.toml");
    ASSERT_TRUE(scenario) << scenario.error().message;
    scenario_ = *scenario;
    FleetGroupConfig config;
    config.server.address = server_->address();
    config.loads = scenario::loads_of(scenario_);
    for (const auto& load : config.loads) config.keys.push_back(load.workload.keys.value_or(100));
    config.clock = &real_clock();
    origin_ = config.origin = real_clock().now();
    config.sink = &sink_;
    group_ = std::make_unique<FleetGroup>(std::move(config));
  }

  LoadSpans run() {
    const Nanos begin = real_clock().now() - origin_ + 5ms;
    windows_ = {begin, begin, begin + scenario_.timing.measure,
                begin + scenario_.timing.measure + 2s};
    for (const auto& part : scenario::stage_windows(scenario_))
      if (part.begin > Nanos{0}) windows_.cuts.push_back(begin + part.begin);
    return group_->run(windows_);
  }

  // Of the run's operations, in the intervals of measure that lie between two offsets.
  [[nodiscard]] std::vector<record::OperationCounts> between(Nanos begin, Nanos end) const {
    std::vector<record::OperationCounts> sums(scenario::run_operations(scenario_).size());
    for (const auto& interval : sink_.content().intervals) {
      EXPECT_EQ(interval.counts.size(), sums.size());
      if (interval.interval.phase != Phase::kMeasure) continue;
      if (interval.interval.begin < windows_.measure_begin + begin) continue;
      if (interval.interval.end > windows_.measure_begin + end) continue;
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i].add(interval.counts[i]);
    }
    return sums;
  }

  void expect_conservation() const {
    std::vector<record::OperationCounts> sums(scenario::run_operations(scenario_).size());
    std::uint64_t latencies = 0;
    std::uint64_t replied = 0;
    for (const auto& interval : sink_.content().intervals) {
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i].add(interval.counts[i]);
      for (const auto& series : interval.latencies) {
        EXPECT_LT(series.key.operation, sums.size());
        if (series.key.kind == record::LatencyKind::kService) latencies += series.histogram.count();
      }
    }
    for (const auto& counts : sums) {
      EXPECT_EQ(counts.sent, counts.total() - counts.of(Outcome::kUnsent));
      replied += counts.completed();
    }
    EXPECT_EQ(latencies, replied);
  }

  RecordingSink sink_;
  std::unique_ptr<ScriptedServer> server_;
  scenario::Scenario scenario_;
  Nanos origin_{0};
  LoadWindows windows_;
  std::unique_ptr<FleetGroup> group_;
};

TEST_F(FleetGroupTest, TenantsAreNumberedThroughAndCountedApart) {
  serve({});
  make(
      "[workload]\nvalue_size = \"32B\"\nkeys = 100\n[timing]\nmeasure = \"1s\"\n"
      "[[tenant]]\nname = \"web\"\nworkers = 2\nrate = 400\nratio = \"0:1\"\n"
      "[[tenant]]\nname = \"batch\"\nratio = \"1:0\"\nthink_time = \"5ms\"\nprefill = true\n");
  ASSERT_TRUE(group_->connect());
  std::uint64_t written = 0;
  std::uint64_t all = 0;
  ASSERT_TRUE(group_->prefill([&](std::uint64_t done, std::uint64_t of) {
    written = done;
    all = of;
  }));
  EXPECT_EQ(written, 100U) << "only batch prefills";
  EXPECT_EQ(all, 100U);
  const LoadSpans spans = run();
  EXPECT_EQ(spans.measure_end, windows_.measure_end);
  EXPECT_FALSE(spans.stopped_early);

  std::set<std::uint32_t> workers;
  for (const auto& interval : sink_.content().intervals) workers.insert(interval.worker);
  EXPECT_THAT(workers, testing::ElementsAre(0U, 1U, 2U));
  const auto counts = between(0s, 1s);
  ASSERT_THAT(counts, SizeIs(2));
  EXPECT_NEAR(static_cast<double>(counts[0].sent), 400, 4);
  EXPECT_GT(counts[1].sent, 10U);
  expect_conservation();
  for (const auto& interval : sink_.content().intervals) {
    if (interval.interval.phase != Phase::kMeasure) continue;
    EXPECT_EQ(interval.health.schedule.has_value(), interval.worker < 2) << interval.worker;
  }
  EXPECT_EQ(server_->observed().count("GET") + server_->observed().count("SET"),
            counts[0].sent + counts[1].sent + 100);
}

TEST_F(FleetGroupTest, WhatATenantTellsInWordsBeginsWithItsName) {
  serve({});
  make(
      "[timing]\nmeasure = \"1s\"\n[workload]\nkeys = 10\n"
      "[[tenant]]\nname = \"web\"\n[[tenant]]\nname = \"batch\"\n");
  ASSERT_TRUE(group_->connect());
  server_.reset();  // both lose their connections
  run();
  std::vector<std::string> texts;
  for (const auto& event : sink_.content().events) texts.push_back(event.text);
  EXPECT_THAT(texts, Contains(StartsWith("web: worker 0, connection")));
  EXPECT_THAT(texts, Contains(StartsWith("batch: worker 0, connection")));
  expect_conservation();
}

TEST_F(FleetGroupTest, AllLoadsEndAtOneMomentWhenTheRunIsStopped) {
  serve({});
  make(
      "[timing]\nmeasure = \"10m\"\n[workload]\nkeys = 10\n"
      "[[tenant]]\nname = \"a\"\n[[tenant]]\nname = \"b\"\nrate = 50\n");
  ASSERT_TRUE(group_->connect());
  auto running = std::async(std::launch::async, [&] { return run(); });
  EXPECT_TRUE(server_->wait_until(seen("GET", 50), kSoon));
  group_->stop();
  const LoadSpans spans = running.get();
  EXPECT_TRUE(spans.stopped_early);
  std::set<Nanos> ends;
  for (const std::uint32_t worker : {0U, 1U}) {
    Nanos end{0};
    for (const auto& interval : sink_.content().intervals) {
      if (interval.worker == worker && interval.interval.phase == Phase::kMeasure)
        end = std::max(end, interval.interval.end);
    }
    ends.insert(end);
  }
  EXPECT_THAT(ends, testing::ElementsAre(spans.measure_end));
  expect_conservation();
}

TEST_F(FleetGroupTest, AFailureToConnectIsToldOnce) {
  serve({});
  make(
      "[workload]\nkeys = 10\n[load]\nconnect_timeout = \"1s\"\n"
      "[[tenant]]\nname = \"a\"\n[[tenant]]\nname = \"b\"\n");
  server_.reset();
  const Status connected = group_->connect();
  ASSERT_FALSE(connected);
  EXPECT_THAT(connected.error().message, HasSubstr("refused"));
}

TEST_F(FleetGroupTest, StagesCutIntervalsAndChangeTheRateExactly) {
  serve({});
  make(
      "[timing]\nmeasure = \"2s\"\n[workload]\nkeys = 100\n[load]\nconnections = 20\nrate = 200\n"
      "[[stage]]\nname = \"burst\"\nat = \"700ms\"\nfor = \"600ms\"\nrate = \"factor(5)\"\n");
  ASSERT_TRUE(group_->connect());
  run();
  const auto due = [&](Nanos begin, Nanos end) {
    std::uint64_t sum = 0;
    for (const auto& interval : sink_.content().intervals) {
      const Nanos from = interval.interval.begin - windows_.measure_begin;
      const Nanos to = interval.interval.end - windows_.measure_begin;
      if (interval.interval.phase == Phase::kMeasure && from >= begin && to <= end)
        sum += interval.health.schedule->due;
    }
    return sum;
  };
  EXPECT_EQ(due(0s, 700ms), 140U);
  EXPECT_EQ(due(700ms, 1300ms), 600U);
  EXPECT_EQ(due(1300ms, 2s), 140U);
  expect_conservation();
}

TEST_F(FleetGroupTest, AStageChangesMixAndConnectionsInUse) {
  // A reply takes 20 ms, so that a connection makes at most 50 requests a second.
  Script script;
  script.on({"GET", "SET"}).delay(20ms);
  serve(std::move(script));
  make(
      "[timing]\nmeasure = \"1500ms\"\n[workload]\nkeys = 100\nvalue_size = \"32B\"\n"
      "[[workload.command]]\ncommand = \"GET __key__\"\n"
      "[[workload.command]]\ncommand = \"SET __key__ x\"\nweight = 0\n"
      "[load]\nconnections = 10\n"
      "[[stage]]\nname = \"quiet\"\nat = \"500ms\"\nfor = \"500ms\"\nconnections = 1\n"
      "mix = \"weights(SET:1)\"\n");
  ASSERT_TRUE(group_->connect());
  run();
  const auto before = between(0s, 500ms);
  const auto quiet = between(500ms, 1s);
  const auto after = between(1s, 1500ms);
  // Ten connections at first, one in the stage, ten again afterwards.
  EXPECT_LE(before[0].sent, 10U * 26);
  EXPECT_LE(quiet[1].sent, 26U);
  EXPECT_GE(before[0].sent, 20U);
  EXPECT_GE(quiet[1].sent, 2U);
  EXPECT_GT(after[0].sent, quiet[1].sent);
  EXPECT_EQ(before[1].sent, 0U);
  EXPECT_LE(quiet[0].sent, 10U) << "what the last turn before the boundary sent";
  EXPECT_LE(after[1].sent, 1U);
  expect_conservation();
}

TEST_F(FleetGroupTest, ThinkTimeChangesInAStage) {
  serve({});
  make(
      "[timing]\nmeasure = \"1s\"\n[workload]\nkeys = 100\n[load]\nconnections = 5\n"
      "think_time = \"10ms\"\n"
      "[[stage]]\nname = \"slow\"\nat = \"500ms\"\nthink_time = \"100ms\"\n");
  ASSERT_TRUE(group_->connect());
  run();
  const auto sum = [](const std::vector<record::OperationCounts>& counts) {
    return counts[0].sent + counts[1].sent;
  };
  EXPECT_LE(sum(between(500ms, 1s)), 5U * (5 + 1) + 5) << "five connections, a pause of 100 ms";
  EXPECT_GT(sum(between(0s, 500ms)), sum(between(500ms, 1s)));
  expect_conservation();
}

TEST_F(FleetGroupTest, AFillTaskWritesNewKeysInItsStageAlone) {
  serve({});
  make(
      "[timing]\nmeasure = \"1500ms\"\n[workload]\nkeys = 100\nratio = \"0:1\"\n"
      "[load]\nthink_time = \"10ms\"\n"
      "[[stage]]\nname = \"fill\"\nat = \"500ms\"\nfor = \"500ms\"\nfill = 1000\n"
      "[[stage]]\nname = \"more\"\nat = \"1s\"\nfor = \"300ms\"\nfill = \"closed(2)\"\n");
  ASSERT_TRUE(group_->connect());
  run();
  EXPECT_EQ(between(0s, 500ms)[1].sent, 0U);
  EXPECT_NEAR(static_cast<double>(between(500ms, 1s)[1].sent), 500, 5);
  EXPECT_EQ(between(500ms, 1s)[2].sent, 0U);
  EXPECT_GT(between(1s, 1300ms)[2].sent, 100U);
  // What was in flight at the boundary was sent before it.
  EXPECT_LE(between(1300ms, 1500ms)[2].sent, 2U);
  expect_conservation();
}

}  // namespace
}  // namespace headroom::load
