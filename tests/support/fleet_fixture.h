// What the tests of a fleet share: a scripted server, a recording sink, and sums over what it got.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "load/fleet.h"
#include "scripted/scripted_server.h"
#include "tests/support/recording_sink.h"

namespace headroom::load {

using namespace std::chrono_literals;
using record::EventKind;
using record::Outcome;
using record::Phase;
using scripted::Script;
using scripted::ScriptedServer;

// At least so many requests of a command.
inline auto seen(const std::string& command, std::uint64_t count) {
  return [=](const scripted::Observed& observed) { return observed.count(command) >= count; };
}

inline constexpr Nanos kSoon = 20s;  // longer than anything here takes, however slow the machine

class FleetTest : public testing::Test {
 protected:
  void serve(Script script) {
    auto server = ScriptedServer::start(std::move(script));
    ASSERT_TRUE(server) << server.error().message;
    server_ = std::move(*server);
    config_.server.address = server_->address();
  }

  Fleet& fleet() {
    if (!fleet_) {
      config_.clock = &real_clock();
      config_.origin = real_clock().now();
      config_.sink = &sink_;
      fleet_.emplace(config_);
    }
    return *fleet_;
  }
  [[nodiscard]] Nanos now() const { return real_clock().now() - config_.origin; }

  LoadSpans run(Nanos warmup, Nanos measure, Nanos drain = 2s) {
    const Nanos begin = now();
    windows_ = {begin, begin + warmup, begin + warmup + measure, begin + warmup + measure + drain};
    return fleet().run(windows_);
  }
  // Runs without warm-up until the server has seen enough, then stops and drains.
  LoadSpans run_until(const std::function<bool(const scripted::Observed&)>& enough,
                      Nanos drain = kSoon) {
    return run_until([&] { return server_->wait_until(enough, kSoon); }, drain);
  }
  LoadSpans run_until(const std::function<bool()>& wait, Nanos drain) {
    auto running = std::async(std::launch::async, [&] { return run(0s, 600s, drain); });
    EXPECT_TRUE(wait());
    EXPECT_EQ(running.wait_for(0s), std::future_status::timeout);
    fleet().stop();
    return running.get();
  }
  void connect() {
    const Status status = fleet().connect();
    ASSERT_TRUE(status) << status.error().message;
  }

  // Of all workers and the whole run.
  [[nodiscard]] std::vector<record::OperationCounts> totals(const std::set<Phase>& phases = {
                                                                record::kPhases.begin(),
                                                                record::kPhases.end()}) const {
    std::vector<record::OperationCounts> sums(scenario::operations_of(config_.workload).size());
    for (const auto& interval : sink_.content().intervals) {
      if (!phases.contains(interval.interval.phase)) continue;
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i].add(interval.counts[i]);
    }
    return sums;
  }
  [[nodiscard]] std::uint64_t total(Outcome outcome) const {
    std::uint64_t sum = 0;
    for (const auto& counts : totals()) sum += counts.of(outcome);
    return sum;
  }
  [[nodiscard]] std::uint64_t sent() const {
    std::uint64_t sum = 0;
    for (const auto& counts : totals()) sum += counts.sent;
    return sum;
  }
  template <class Counter>
  [[nodiscard]] std::uint64_t health(Counter record::WorkerHealth::* counter) const {
    std::uint64_t sum = 0;
    for (const auto& interval : sink_.content().intervals) sum += interval.health.*counter;
    return sum;
  }
  [[nodiscard]] stats::Histogram latencies(Outcome outcome) const {
    stats::Histogram merged;
    for (const auto& interval : sink_.content().intervals) {
      for (const auto& series : interval.latencies) {
        if (series.key.outcome == outcome) merged.merge(series.histogram);
      }
    }
    return merged;
  }

  void expect_conservation() const {
    for (const auto& counts : totals()) {
      EXPECT_EQ(counts.sent, counts.total());
    }
    for (const Outcome outcome : record::kOutcomes) {
      EXPECT_EQ(latencies(outcome).count(), record::has_reply(outcome) ? total(outcome) : 0)
          << record::outcome_name(outcome);
    }
  }

  // Every worker's intervals of a phase follow one another from its begin to its end.
  void expect_complete_intervals(Phase phase, Nanos begin, Nanos end) const {
    std::map<std::uint32_t, std::vector<record::Interval>> by_worker;
    for (const auto& interval : sink_.content().intervals) {
      if (interval.interval.phase == phase) {
        by_worker[interval.worker].push_back(interval.interval);
      }
    }
    ASSERT_EQ(by_worker.size(), config_.load.workers);
    for (const auto& [worker, intervals] : by_worker) {
      Nanos at = begin;
      for (std::size_t i = 0; i < intervals.size(); ++i) {
        EXPECT_EQ(intervals[i].index, static_cast<std::int64_t>(i));
        EXPECT_EQ(intervals[i].begin, at);
        at = std::min(at + record::kIntervalLength, end);
        EXPECT_EQ(intervals[i].end, at);
      }
      EXPECT_EQ(at, end);
    }
  }

  [[nodiscard]] std::string texts(EventKind kind) const {
    std::string result;
    for (const auto& event : sink_.content().events) {
      if (event.kind == kind) result += event.text + "\n";
    }
    return result;
  }

  RecordingSink sink_;
  FleetConfig config_ = [] {
    FleetConfig config;
    config.workload.value_size = 32U;
    config.workload.set_weight = 1;
    config.workload.get_weight = 3;
    config.keys = 100;
    config.load = {1, 1, 1, 5s, 5s};
    config.seed = 42;
    return config;
  }();
  LoadWindows windows_;
  std::unique_ptr<ScriptedServer> server_;
  std::optional<Fleet> fleet_;
};

}  // namespace headroom::load
