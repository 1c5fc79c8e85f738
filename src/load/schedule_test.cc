#include "load/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace headroom::load {
namespace {

using namespace std::chrono_literals;
using scenario::Arrivals;
using scenario::ConstantRate;
using scenario::RampRate;
using scenario::Rate;
using scenario::SineRate;
using scenario::StepsRate;

Schedule schedule_of(const Rate& rate, std::uint32_t workers = 1,
                     Arrivals arrivals = Arrivals::kEven, std::uint64_t seed = 42) {
  auto curve = RateCurve::make(rate);
  EXPECT_TRUE(curve);
  return {*std::move(curve), arrivals, workers, seed};
}

std::vector<Nanos> due_before(const Schedule& schedule, std::uint32_t worker, Nanos end) {
  std::vector<Nanos> times;
  for (ArrivalWalk walk(schedule, worker); walk.due() < end; walk.advance())
    times.push_back(walk.due());
  return times;
}

std::vector<Nanos> due_of_all_before(const Schedule& schedule, Nanos end) {
  std::vector<Nanos> times;
  for (std::uint32_t worker = 0; worker < schedule.workers; ++worker) {
    const std::vector<Nanos> own = due_before(schedule, worker, end);
    times.insert(times.end(), own.begin(), own.end());
  }
  std::ranges::sort(times);
  return times;
}

TEST(Schedule, EvenRatesOfAnySizeAndDivisionAreExactOverWholeSeconds) {
  for (const std::uint64_t rate : {1U, 151U, 999U, 50'000U}) {
    for (const std::uint32_t workers : {1U, 2U, 9U}) {
      const Schedule schedule = schedule_of(ConstantRate{rate}, workers);
      EXPECT_EQ(due_of_all_before(schedule, 30s).size(), rate * 30) << rate << " / " << workers;
    }
  }
}

TEST(Schedule, WorkersTogetherAreAsEvenAsOne) {
  for (const Rate& rate :
       {Rate(ConstantRate{999}), Rate(RampRate{10, 2'000, 3s}), Rate(SineRate{500, 400, 2s})}) {
    EXPECT_EQ(due_of_all_before(schedule_of(rate, 9), 4s),
              due_of_all_before(schedule_of(rate, 1), 4s));
  }
}

TEST(Schedule, GapsOfAnEvenRateDifferByRoundingAlone) {
  const std::vector<Nanos> times = due_of_all_before(schedule_of(ConstantRate{999}, 9), 10s);
  for (std::size_t i = 1; i < times.size(); ++i) {
    const Nanos gap = times[i] - times[i - 1];
    EXPECT_GE(gap, 1'001'001ns);
    EXPECT_LE(gap, 1'001'002ns);
  }
}

TEST(Schedule, CountsFollowTheIntegralOfAnyCurve) {
  for (const Rate& rate : {Rate(RampRate{0, 5'000, 7s}), Rate(SineRate{1'000, 1'000, 3s}),
                           Rate(StepsRate{{{100, 1s}, {0, 2s}, {3'000, 1500ms}}})}) {
    const Schedule schedule = schedule_of(rate, 3);
    const std::vector<Nanos> times = due_of_all_before(schedule, 8s);
    for (Nanos at = 250ms; at < 8s; at += 333ms) {
      const auto before = std::ranges::lower_bound(times, at) - times.begin();
      EXPECT_NEAR(static_cast<double>(before), schedule.curve.expected_by(at), 0.5 + 1e-6);
    }
  }
}

TEST(Schedule, SameSeedSameTimesAndEveryWorkerItsOwn) {
  const auto times = [](std::uint64_t seed, std::uint32_t worker) {
    return due_before(schedule_of(ConstantRate{1'000}, 2, Arrivals::kPoisson, seed), worker, 2s);
  };
  EXPECT_EQ(times(1, 0), times(1, 0));
  EXPECT_NE(times(1, 0), times(2, 0));
  EXPECT_NE(times(1, 0), times(1, 1));
}

// The greatest distance between the distribution of `values` and the uniform one, times the root
// of their number: below 1.95 in 999 of 1,000 cases (Kolmogorov).
double kolmogorov(std::vector<double> values) {
  std::ranges::sort(values);
  const auto n = static_cast<double>(values.size());
  double distance = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto rank = static_cast<double>(i);
    distance = std::max({distance, values[i] - rank / n, (rank + 1) / n - values[i]});
  }
  return distance * std::sqrt(n);
}

TEST(Schedule, PoissonGapsAreExponentialForOneWorkerAndForAllTogether) {
  for (const std::uint32_t workers : {1U, 9U}) {
    const Schedule schedule = schedule_of(ConstantRate{1'000}, workers, Arrivals::kPoisson);
    const std::vector<Nanos> times = due_of_all_before(schedule, 60s);
    EXPECT_NEAR(static_cast<double>(times.size()), 60'000, 4 * std::sqrt(60'000));
    std::vector<double> uniform;
    for (std::size_t i = 1; i < times.size(); ++i) {
      const double gap_s = std::chrono::duration<double>(times[i] - times[i - 1]).count();
      uniform.push_back(1 - std::exp(-gap_s * 1'000));
    }
    EXPECT_LT(kolmogorov(uniform), 1.95);
  }
}

TEST(Schedule, PoissonArrivalsOfACurveAreUniformOnItsIntegral) {
  const Schedule schedule = schedule_of(RampRate{0, 10'000, 10s}, 4, Arrivals::kPoisson);
  std::vector<double> share;
  for (const Nanos time : due_of_all_before(schedule, 10s))
    share.push_back(schedule.curve.expected_by(time) / 50'000);
  EXPECT_NEAR(static_cast<double>(share.size()), 50'000, 4 * std::sqrt(50'000));
  EXPECT_LT(kolmogorov(share), 1.95);
}

TEST(ArrivalWalk, ACopyWalksOnOverTheSameTimes) {
  const Schedule schedule = schedule_of(SineRate{500, 500, 1s}, 2, Arrivals::kPoisson);
  ArrivalWalk walk(schedule, 1);
  walk.skip_to(700ms);
  ArrivalWalk copy = walk;
  for (int i = 0; i < 1'000; ++i) {
    EXPECT_EQ(copy.due(), walk.due());
    EXPECT_EQ(copy.passed(), walk.passed());
    walk.advance();
    copy.advance();
  }
}

TEST(ArrivalWalk, KnowsHowManyAreDueBeforeItHasWalked) {
  const Schedule schedule = schedule_of(ConstantRate{1'000}, 4);
  ArrivalWalk walk(schedule, 2);
  EXPECT_EQ(walk.about_due_by(2ms), 0U);
  EXPECT_EQ(walk.about_due_by(3ms), 1U);  // number 2, due at 2.5 ms
  EXPECT_EQ(walk.about_due_by(1s), 250U);
  walk.skip_to(500ms);
  EXPECT_EQ(walk.passed(), 125U);
  EXPECT_EQ(walk.about_due_by(1s), 125U);
}

TEST(ArrivalWalk, KnowsTheMeanGapOfItsOwnShare) {
  const Schedule schedule = schedule_of(StepsRate{{{1'000, 1s}, {0, 1s}}}, 4);
  const ArrivalWalk walk(schedule, 0);
  EXPECT_EQ(walk.mean_gap_at(500ms), 4ms);
  EXPECT_GT(walk.mean_gap_at(1500ms), 24h);
}

TEST(ArrivalWalk, EndsWhenTheRateHasComeToNothing) {
  const Schedule schedule = schedule_of(RampRate{100, 0, 2s});
  ArrivalWalk walk(schedule, 0);
  walk.skip_to(1h);
  EXPECT_EQ(walk.passed(), 100U);
  EXPECT_EQ(walk.due(), Nanos::max());
}

}  // namespace
}  // namespace headroom::load
