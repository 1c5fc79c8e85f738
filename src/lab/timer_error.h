// How late a wait of the load engine's kind ends.
#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "base/result.h"
#include "lab/stop_switch.h"
#include "stats/histogram.h"

namespace headroom::lab {

struct TimerError {
  // Of every time that a thread meant to be awake: how much later it was. What fell due during one
  // long sleep counts each by itself, as requests of a schedule would.
  stats::Histogram lateness;
  // Share of the time in which a thread was ready to run and had no CPU; nullopt if the kernel does
  // not tell.
  std::optional<double> kept_waiting_ratio;
};

// `workers` threads each wait in epoll until the next of `rate_per_s` times a second, for `length`;
// as short when `stop` is told.
[[nodiscard]] Result<TimerError> measure_timer_error(std::uint32_t workers, double rate_per_s,
                                                     Nanos length, StopSwitch& stop);

}  // namespace headroom::lab
