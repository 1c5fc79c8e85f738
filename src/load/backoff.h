// How long to wait before a broken connection is opened again. Pure.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/clock.h"
#include "base/random.h"

namespace headroom::load {

inline constexpr Nanos kFirstBackoff = std::chrono::milliseconds{10};
inline constexpr Nanos kLongestBackoff = std::chrono::seconds{1};

// Doubles with every failure in a row, from kFirstBackoff to kLongestBackoff, and is then drawn
// from the upper half of that, so that connections which broke together do not return together.
[[nodiscard]] inline Nanos backoff(std::uint32_t failures_in_a_row, Random& random) {
  const std::uint32_t doublings = std::min(failures_in_a_row, 16U);
  const Nanos whole = std::min(kLongestBackoff, Nanos{kFirstBackoff.count() << doublings});
  const Nanos half = whole / 2;
  return half + Nanos{static_cast<std::int64_t>(
                    random.below(static_cast<std::uint64_t>((whole - half).count()) + 1))};
}

}  // namespace headroom::load
