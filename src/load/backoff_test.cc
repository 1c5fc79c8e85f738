#include "load/backoff.h"

#include <gtest/gtest.h>

namespace headroom::load {
namespace {

TEST(Backoff, DoublesUpToItsLimitAndIsDrawnFromTheUpperHalf) {
  Random random(1);
  Nanos whole = kFirstBackoff;
  for (std::uint32_t failures = 0; failures < 100; ++failures) {
    for (int i = 0; i < 100; ++i) {
      const Nanos wait = backoff(failures, random);
      EXPECT_GE(wait, whole / 2);
      EXPECT_LE(wait, whole);
    }
    whole = std::min(2 * whole, kLongestBackoff);
  }
}

TEST(Backoff, IsSpreadAndTheSameForTheSameSeed) {
  Random one(3);
  Random other(3);
  Nanos least = Nanos::max();
  Nanos most{0};
  for (int i = 0; i < 1000; ++i) {
    const Nanos wait = backoff(10, one);
    EXPECT_EQ(wait, backoff(10, other));
    least = std::min(least, wait);
    most = std::max(most, wait);
  }
  EXPECT_GT(most - least, kLongestBackoff * 2 / 5);
}

}  // namespace
}  // namespace headroom::load
