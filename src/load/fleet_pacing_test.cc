// Open loop, think time and emulated round trip, against a server whose behaviour is known.
#include <cmath>

#include "load/schedule.h"
#include "tests/support/fleet_fixture.h"

namespace headroom::load {
namespace {

using record::LatencyKind;
using scenario::Arrivals;
using scenario::ConstantRate;
using scenario::ThinkTime;

class FleetPacingTest : public FleetTest {
 protected:
  [[nodiscard]] record::ScheduleHealth schedule(const std::set<Phase>& phases = {
                                                    record::kPhases.begin(),
                                                    record::kPhases.end()}) const {
    record::ScheduleHealth sum;
    for (const auto& interval : sink_.content().intervals) {
      if (!interval.health.schedule || !phases.contains(interval.interval.phase)) continue;
      sum.due += interval.health.schedule->due;
      sum.late += interval.health.schedule->late;
      sum.lag_max = std::max(sum.lag_max, interval.health.schedule->lag_max);
    }
    return sum;
  }
  [[nodiscard]] stats::Histogram histogram(LatencyKind kind, Outcome outcome) const {
    stats::Histogram merged;
    for (const auto& interval : sink_.content().intervals) {
      for (const auto& series : interval.latencies) {
        if (series.key.kind == kind && series.key.outcome == outcome)
          merged.merge(series.histogram);
      }
    }
    return merged;
  }
  [[nodiscard]] stats::Histogram completed(LatencyKind kind) const {
    stats::Histogram merged;
    for (const Outcome outcome : {Outcome::kHit, Outcome::kMiss, Outcome::kOk})
      merged.merge(histogram(kind, outcome));
    return merged;
  }

  // Of an open loop: what was due was sent or is unsent, and every request has a response time.
  void expect_nothing_is_missing() const {
    EXPECT_EQ(schedule().due, sent() + total(Outcome::kUnsent));
    std::uint64_t ended = 0;
    for (const Outcome outcome : record::kOutcomes) {
      ended += total(outcome);
      EXPECT_EQ(histogram(LatencyKind::kResponse, outcome).count(), total(outcome))
          << record::outcome_name(outcome);
      EXPECT_EQ(histogram(LatencyKind::kService, outcome).count(),
                record::has_reply(outcome) ? total(outcome) : 0)
          << record::outcome_name(outcome);
    }
    EXPECT_EQ(sent() + total(Outcome::kUnsent), ended);
    stats::Histogram lag;
    for (const auto& interval : sink_.content().intervals) lag.merge(interval.schedule_lag);
    EXPECT_EQ(lag.count(), sent());
  }

  void go(std::uint64_t rate, Nanos measure, Arrivals arrivals = Arrivals::kEven) {
    config_.load.rate = ConstantRate{rate};
    config_.load.arrivals = arrivals;
    connect();
    run(0s, measure);
  }
};

TEST_F(FleetPacingTest, RatesArriveAsAskedWhoeverSharesThem) {
  using Rates = std::vector<std::pair<std::uint64_t, std::uint32_t>>;
  for (const auto& [rate, workers] : Rates{{1, 1}, {151, 2}, {999, 9}, {6'000, 2}}) {
    fleet_.reset();
    sink_.clear();
    serve({});
    config_.load.workers = workers;
    config_.load.connections = 5;
    go(rate, 2s);
    EXPECT_EQ(schedule({Phase::kMeasure}).due, rate * 2);
    // On a starved machine some of the last may find no slot.
    const double asked = static_cast<double>(rate) * 2;
    EXPECT_NEAR(static_cast<double>(sent()), asked, std::max(1.0, asked * 0.001));
    EXPECT_EQ(server_->observed().count("GET") + server_->observed().count("SET"), sent());
    expect_nothing_is_missing();
  }
}

TEST_F(FleetPacingTest, PoissonArrivalsAreThoseOfTheSchedule) {
  serve({});
  config_.load.connections = 5;
  go(2'000, 2s, Arrivals::kPoisson);
  const Schedule expected{*RateCurve::make(ConstantRate{2'000}), Arrivals::kPoisson, 1, 42};
  ArrivalWalk walk(expected, 0);
  walk.skip_to(2s);
  EXPECT_EQ(schedule().due, walk.passed());
  expect_nothing_is_missing();
}

TEST_F(FleetPacingTest, WarmupHasItsShareOfTheSchedule) {
  serve({});
  config_.load.rate = scenario::RampRate{500, 1'500, 1s};
  config_.load.connections = 4;
  connect();
  run(1s, 1s);
  EXPECT_EQ(schedule({Phase::kWarmup}).due, 500U);
  EXPECT_EQ(schedule({Phase::kMeasure}).due, 1'000U);
  expect_nothing_is_missing();
}

TEST_F(FleetPacingTest, AStallShowsInResponseNotInServiceAndIsMadeUpFor) {
  Script script;
  script.stall(2s, 400ms);
  serve(std::move(script));
  config_.load.connections = 4;
  go(1'000, 4500ms);  // stalls at 2 s and at 4 s
  expect_nothing_is_missing();
  EXPECT_EQ(schedule().due, 4'500U);
  EXPECT_EQ(sent(), 4'500U);  // what the stalls held up was sent afterwards
  EXPECT_GT(*completed(LatencyKind::kResponse).quantile(0.99), 300ms);
  EXPECT_LT(*completed(LatencyKind::kService).quantile(0.99), 100ms);
  EXPECT_GT(schedule().late, 600U);
  EXPECT_GT(schedule().lag_max, 350ms);
}

TEST_F(FleetPacingTest, AClosedLoopLeavesTheStallOut) {
  Script script;
  script.stall(2s, 400ms);
  serve(std::move(script));
  config_.load.connections = 4;
  config_.load.think_time = ThinkTime{ThinkTime::Kind::kFixed, 4ms};  // some 1,000/s
  connect();
  run(0s, 4500ms);
  // Nobody asks while the server stalls: four slots wait each time, and the rest never was.
  EXPECT_LT(*completed(LatencyKind::kService).quantile(0.99), 100ms);
  EXPECT_LT(sent(), 4 * (3'750 / 4));
  EXPECT_TRUE(completed(LatencyKind::kResponse).empty());
  expect_conservation();
}

TEST_F(FleetPacingTest, WhatWasDueAndNotSentIsUnsentWithItsAge) {
  Script script;
  script.on({"GET", "SET"}).from(10).never_answer();
  serve(std::move(script));
  config_.load.connections = 2;
  config_.load.pipeline = 3;
  config_.load.rate = ConstantRate{1'000};
  connect();
  run(0s, 1s, 100ms);
  expect_nothing_is_missing();
  EXPECT_EQ(schedule({Phase::kMeasure}).due, 1'000U);
  EXPECT_EQ(totals({Phase::kMeasure})[0].of(Outcome::kUnsent) +
                totals({Phase::kMeasure})[1].of(Outcome::kUnsent),
            1'000U - sent());
  EXPECT_LE(sent(), 16U);
  const stats::Histogram unsent = histogram(LatencyKind::kResponse, Outcome::kUnsent);
  EXPECT_NEAR(std::chrono::duration<double>(*unsent.quantile(0.5)).count(), 0.49, 0.02);
  // By weight, as they would have been sent.
  const double sets = static_cast<double>(totals()[0].of(Outcome::kUnsent));
  EXPECT_NEAR(sets / static_cast<double>(unsent.count()), 0.25, 0.06);
  // What stays open at the end counts until the drain gave it up.
  EXPECT_GE(*histogram(LatencyKind::kResponse, Outcome::kLost).max(), 1s);
}

TEST_F(FleetPacingTest, AMillionPerSecondAgainstASilentServerIsOnlyAPosition) {
  Script script;
  script.on({"GET", "SET"}).never_answer();
  serve(std::move(script));
  go(1'000'000, 3s, Arrivals::kPoisson);
  EXPECT_NEAR(static_cast<double>(schedule({Phase::kMeasure}).due), 3e6, 4 * std::sqrt(3e6));
  expect_nothing_is_missing();
  std::vector<std::uint64_t> backlog;
  for (const auto& interval : sink_.content().intervals) {
    if (interval.interval.phase == Phase::kMeasure)
      backlog.push_back(interval.health.schedule->backlog);
  }
  ASSERT_EQ(backlog.size(), 3U);
  EXPECT_NEAR(static_cast<double>(backlog[1]), 2e6, 4 * std::sqrt(2e6));
  EXPECT_EQ(backlog[2], 0U);  // given up
  expect_complete_intervals(Phase::kMeasure, windows_.measure_begin, windows_.measure_end);
}

TEST_F(FleetPacingTest, LatencyDoesNotFallWhenTheRateRises) {
  Script script;
  script.on({"GET", "SET"}).delay(5ms);
  serve(std::move(script));
  std::vector<Nanos> response;
  for (const std::uint64_t rate : {20U, 190U}) {  // one slot can do 200/s, nearly
    fleet_.reset();
    sink_.clear();
    go(rate, 3s, Arrivals::kPoisson);
    expect_nothing_is_missing();
    response.push_back(*completed(LatencyKind::kResponse).quantile(0.5));
    EXPECT_GE(response.back(), *completed(LatencyKind::kService).quantile(0.5));
  }
  EXPECT_LT(response[0] * 3 / 2, response[1]);
}

TEST_F(FleetPacingTest, RequestsThatEndWithoutAReplyKeepTheirResponseTime) {
  Script script;
  script.on({"GET"}).nth(50).disconnect_before();
  script.on({"GET"}).nth(200).never_answer();
  serve(std::move(script));
  config_.load.connections = 3;
  config_.load.pipeline = 4;
  config_.load.request_timeout = 300ms;
  go(1'000, 1500ms);
  expect_nothing_is_missing();
  EXPECT_EQ(total(Outcome::kTimeout), 1U);
  EXPECT_GE(*histogram(LatencyKind::kResponse, Outcome::kTimeout).min(), 300ms);
  EXPECT_GE(total(Outcome::kLost), 1U);
}

TEST_F(FleetPacingTest, StopEndsTheScheduleWhereItStopped) {
  serve({});
  config_.load.connections = 5;
  config_.load.workers = 2;
  config_.load.rate = ConstantRate{2'000};
  connect();
  run_until(seen("GET", 500));
  expect_nothing_is_missing();
  EXPECT_GE(schedule().due, 500U);
  EXPECT_EQ(schedule({Phase::kDrain}).due, 0U);
}

TEST_F(FleetPacingTest, AnEmulatedRoundTripIsPartOfEveryLatencyAndHoldsItsSlot) {
  serve({});
  config_.load.connections = 4;
  config_.load.emulated_rtt = 20ms;
  connect();
  run(0s, 1s);
  expect_conservation();
  EXPECT_GE(*completed(LatencyKind::kService).min(), 20ms);
  EXPECT_LT(*completed(LatencyKind::kService).quantile(0.5), 40ms);
  EXPECT_LE(sent(), 4U * 51);
  EXPECT_GE(sent(), 4U * 20);
}

TEST_F(FleetPacingTest, AnEmulatedRoundTripAddsToTheResponseOnce) {
  serve({});
  config_.load.connections = 50;
  config_.load.emulated_rtt = 20ms;
  go(500, 1s);
  expect_nothing_is_missing();
  EXPECT_GE(*completed(LatencyKind::kResponse).min(), 20ms);
  EXPECT_LT(*completed(LatencyKind::kResponse).quantile(0.5), 30ms);
}

TEST_F(FleetPacingTest, RepliesOnTheirEmulatedWayAreLostWhenTheDrainEnds) {
  serve({});
  config_.load.emulated_rtt = 800ms;
  connect();
  run(0s, 1s, 0s);
  expect_conservation();
  EXPECT_EQ(total(Outcome::kLost), 1U);
}

TEST_F(FleetPacingTest, UsersThinkBetweenAReplyAndTheirNextRequest) {
  for (const auto kind : {ThinkTime::Kind::kFixed, ThinkTime::Kind::kExponential}) {
    fleet_.reset();
    sink_.clear();
    serve({});
    config_.load.connections = 20;
    config_.load.pipeline = 2;
    config_.load.think_time = ThinkTime{kind, 20ms};
    connect();
    run(0s, 2s);
    expect_conservation();
    // 40 users, 20 ms each, and the server is quick.
    EXPECT_NEAR(static_cast<double>(sent()), 4'000, 600);
    EXPECT_LT(*completed(LatencyKind::kService).quantile(0.5), 10ms);
  }
}

}  // namespace
}  // namespace headroom::load
