#include "load/load_states.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "load/schedule.h"

namespace headroom::load {
namespace {

using namespace std::chrono_literals;
using scenario::ConnectionsInUse;
using scenario::ConstantRate;
using scenario::Rate;
using scenario::RateFactor;
using scenario::StageChange;
using testing::ElementsAre;

StageChange stage(Nanos begin, Nanos end) { return {begin, end, {}, {}, {}, {}}; }

const LoadState kOutside{Nanos::min(), 5, std::nullopt, {1, 10}};

std::vector<scenario::Operation> operations() {
  scenario::Workload workload;
  workload.set_weight = 1;
  workload.get_weight = 10;
  return scenario::operations_of(workload);
}

TEST(LoadStates, WithoutStagesThereIsOne) {
  EXPECT_THAT(load_states(kOutside, operations(), {}), ElementsAre(kOutside));
}

TEST(LoadStates, AStageIsEnteredAndLeft) {
  StageChange change = stage(2s, 3s);
  change.connections = ConnectionsInUse{2, 2};
  change.think_time = scenario::ThinkTime{scenario::ThinkTime::Kind::kFixed, 1ms};
  change.mix = scenario::Mix{{{"SET", 7}}};
  LoadState inside{2s, 2, change.think_time, {7, 0}};
  LoadState after = kOutside;
  after.begin = 3s;
  EXPECT_THAT(load_states(kOutside, operations(), {change}), ElementsAre(kOutside, inside, after));
}

TEST(LoadStates, StagesThatFollowOneAnotherHaveNothingBetween) {
  StageChange first = stage(2s, 3s);
  first.connections = ConnectionsInUse{1, 1};
  StageChange second = stage(3s, 4s);
  second.connections = ConnectionsInUse{9, 9};
  const auto states = load_states(kOutside, operations(), {first, second});
  ASSERT_EQ(states.size(), 4U);
  EXPECT_EQ(states[2].begin, 3s);
  EXPECT_EQ(states[2].connections, 9U);
  EXPECT_EQ(states[3].begin, 4s);
  EXPECT_EQ(states[3].connections, 5U);
}

TEST(LoadStates, ARampOfConnectionsIsAStateForEachEvenlySpread) {
  for (const auto& [from, to] : {std::pair{2U, 6U}, std::pair{6U, 2U}}) {
    StageChange ramp = stage(10s, 14s);
    ramp.connections = ConnectionsInUse{from, to};
    const auto states = load_states(kOutside, operations(), {ramp});
    ASSERT_EQ(states.size(), 7U);
    EXPECT_EQ(states[1].connections, from);
    const std::vector<Nanos> begins = {10s, 10500ms, 11500ms, 12500ms, 13500ms, 14s};
    for (std::size_t i = 0; i < begins.size(); ++i) EXPECT_EQ(states[i + 1].begin, begins[i]);
    EXPECT_EQ(states[5].connections, to);
    EXPECT_EQ(states[6].connections, 5U);
  }
}

RateCurve curve(const Rate& rate, const std::vector<StageChange>& stages) {
  auto made = staged_curve(rate, stages);
  EXPECT_TRUE(made) << made.error().message;
  return *made;
}

std::vector<Nanos> due_times(const RateCurve& curve, std::size_t count) {
  const Schedule schedule{curve, scenario::Arrivals::kEven, 1, 1};
  ArrivalWalk walk(schedule, 0);
  std::vector<Nanos> times;
  for (; times.size() < count && walk.due() != Nanos::max(); walk.advance())
    times.push_back(walk.due());
  return times;
}

TEST(StagedCurve, DueTimesAreExactAcrossBoundaries) {
  StageChange change = stage(1s, 2s);
  change.rate = Rate(ConstantRate{4});
  // 2/s, then 4/s for a second, then 2/s again: by 1 s 2 were due, by 2 s 6.
  const RateCurve staged = curve(ConstantRate{2}, {change});
  EXPECT_THAT(due_times(staged, 8),
              ElementsAre(250ms, 750ms, 1125ms, 1375ms, 1625ms, 1875ms, 2250ms, 2750ms));
  EXPECT_EQ(staged.expected_by(1s), 2);
  EXPECT_EQ(staged.expected_by(2s), 6);
  EXPECT_EQ(staged.rate_per_s(1s), 4) << "a boundary belongs to what begins there";
  EXPECT_EQ(staged.rate_per_s(2s), 2);
}

TEST(StagedCurve, AFactorOfNothingPauses) {
  StageChange pause = stage(1s, 3s);
  pause.rate = RateFactor{0};
  EXPECT_THAT(due_times(curve(ConstantRate{2}, {pause}), 4),
              ElementsAre(250ms, 750ms, 3250ms, 3750ms));
}

TEST(StagedCurve, ALoadThatOnlyAStageHasEndsWithIt) {
  StageChange fill = stage(2s, 3s);
  fill.rate = Rate(ConstantRate{2});
  EXPECT_THAT(due_times(curve(ConstantRate{0}, {fill}), 9), ElementsAre(2250ms, 2750ms));
}

TEST(StagedCurve, ACurveInAStageBeginsWithIt) {
  StageChange ramp = stage(10s, 12s);
  ramp.rate = Rate(scenario::RampRate{0, 100, 2s});
  const RateCurve staged = curve(ConstantRate{10}, {ramp});
  EXPECT_EQ(staged.rate_per_s(9999ms), 10);
  EXPECT_NEAR(staged.rate_per_s(11s), 50, 1e-9);
  EXPECT_EQ(staged.rate_per_s(12s), 10);
  EXPECT_NEAR(staged.expected_by(12s), 100 + 100, 1e-9);
}

TEST(StagedCurve, AfterAStageTheRateIsWhereItWouldHaveBeen) {
  StageChange burst = stage(1s, 3500ms);
  burst.rate = RateFactor{3};
  const std::vector<Rate> rates = {scenario::SineRate{100, 80, 4s}, scenario::RampRate{10, 400, 5s},
                                   scenario::StepsRate{{{50, 2s}, {80, 2s}, {20, 9s}}}};
  for (const Rate& rate : rates) {
    const RateCurve plain = curve(rate, {});
    const RateCurve staged = curve(rate, {burst});
    for (Nanos at{0}; at < 8s; at += 37ms) {
      const double factor = at >= 1s && at < 3500ms ? 3 : 1;
      EXPECT_NEAR(staged.rate_per_s(at), factor * plain.rate_per_s(at), 1e-6) << at.count();
    }
    const double inside = plain.expected_by(3500ms) - plain.expected_by(1s);
    EXPECT_NEAR(staged.expected_by(8s), plain.expected_by(8s) + 2 * inside, 1e-6);
    // Due times are where the integral is, on both sides of every boundary.
    const auto times = due_times(staged, 500);
    for (std::size_t i = 0; i < times.size(); ++i)
      ASSERT_NEAR(staged.expected_by(times[i]), static_cast<double>(i) + 0.5, 1e-4) << i;
  }
}

}  // namespace
}  // namespace headroom::load
