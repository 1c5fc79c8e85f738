#include "base/clock.h"

#include <gtest/gtest.h>

namespace headroom {
namespace {

TEST(RealClock, NeverGoesBack) {
  const Clock& clock = real_clock();
  Nanos last = clock.now();
  for (int i = 0; i < 1000; ++i) {
    const Nanos now = clock.now();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(RealClock, HasNanosecondSteps) {
  // A coarse clock would show multiples of a tick only.
  const Clock& clock = real_clock();
  bool fine = false;
  for (int i = 0; i < 10'000 && !fine; ++i) fine = clock.now().count() % 1000 != 0;
  EXPECT_TRUE(fine);
}

TEST(RealClock, WallTimeIsOfThisCentury) {
  EXPECT_GT(real_clock().wall().since_epoch, std::chrono::seconds{1'700'000'000});
}

TEST(FakeClock, MovesOnlyWhenTold) {
  FakeClock clock(Nanos{5}, WallTime{Nanos{100}});
  EXPECT_EQ(clock.now(), Nanos{5});
  clock.advance(std::chrono::seconds{1});
  EXPECT_EQ(clock.now(), Nanos{1'000'000'005});
  EXPECT_EQ(clock.wall().since_epoch, Nanos{1'000'000'100});
}

}  // namespace
}  // namespace headroom
