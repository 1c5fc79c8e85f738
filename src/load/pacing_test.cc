#include "load/pacing.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace headroom::load {
namespace {

using namespace std::chrono_literals;

TEST(FreeConnections, ComeOutInTheOrderOfTheirComingAndOnce) {
  FreeConnections free(3);
  EXPECT_TRUE(free.empty());
  free.push(2);
  free.push(0);
  free.push(2);
  EXPECT_EQ(free.size(), 2U);
  EXPECT_EQ(free.pop(), 2U);
  free.push(2);
  EXPECT_EQ(free.pop(), 0U);
  EXPECT_EQ(free.pop(), 2U);
  EXPECT_TRUE(free.empty());
}

TEST(WakeLateness, FollowsTheLowerQuartile) {
  WakeLateness lateness;
  Random random(1);
  const auto observe = [&](Nanos least, Nanos most) {
    for (int i = 0; i < 10'000; ++i) {
      const auto width = static_cast<std::uint64_t>((most - least).count());
      lateness.observe(least + Nanos{static_cast<std::int64_t>(random.below(width))});
    }
  };
  observe(20us, 60us);
  EXPECT_NEAR(static_cast<double>(lateness.lower_quartile().count()), 30'000, 3'000);
  observe(1us, 9us);
  EXPECT_NEAR(static_cast<double>(lateness.lower_quartile().count()), 3'000, 1'000);
}

TEST(WakeLateness, StaysBelowItsLimitOnAMachineThatIsAlwaysLate) {
  WakeLateness lateness;
  for (int i = 0; i < 10'000; ++i) lateness.observe(5ms);
  EXPECT_EQ(lateness.lower_quartile(), WakeLateness::kMost);
}

Schedule schedule_of(std::uint64_t rate) {
  return {*RateCurve::make(scenario::ConstantRate{rate}), scenario::Arrivals::kPoisson, 1, 7};
}

TEST(OpenLoop, CountsWhatIsDueThoughNothingWasTaken) {
  const Schedule schedule = schedule_of(1'000);
  ArrivalWalk truth(schedule, 0);
  OpenLoop open{0s, 2s, truth, truth};
  truth.skip_to(1s);
  EXPECT_EQ(open.due_by(1s), (std::pair{truth.passed(), truth.passed()}));
  open.next.skip_to(1500ms);
  open.settled = open.next.passed();
  EXPECT_EQ(open.due_by(1500ms), (std::pair{open.settled, std::uint64_t{0}}));
  truth.skip_to(2s);
  // Nothing is due from its closing on.
  EXPECT_EQ(open.due_by(10s), (std::pair{truth.passed(), truth.passed() - open.settled}));
}

}  // namespace
}  // namespace headroom::load
