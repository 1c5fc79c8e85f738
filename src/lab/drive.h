// A short load of Headroom's own against a server in this process, and what the workers measured.
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "base/result.h"
#include "lab/stop_switch.h"
#include "net/address.h"
#include "stats/histogram.h"

namespace headroom::lab {

struct DriveLoad {
  std::uint32_t workers = 1;
  std::uint32_t connections = 1;  // per worker
  std::uint32_t pipeline = 1;
  Nanos length{0};
};

struct Driven {
  // Of every request that was answered, those after the end of the load's time included.
  stats::Histogram latency;
  stats::Histogram loop_lag;    // of all workers
  std::uint64_t completed = 0;  // within the load's time
  std::uint64_t failed = 0;     // ended in any other way, ever
  Nanos cpu{0};                 // of all workers together, within the load's time
  Nanos length{0};              // of the load's time, as it was
};

// SET and GET 1:10 of 100-byte values over 1,000 keys per worker, in closed loop, for
// `load.length`. Ends early when `stop` is told, which is an error (kIncomplete).
[[nodiscard]] Result<Driven> drive(const net::Address& address, const DriveLoad& load,
                                   StopSwitch& stop);

}  // namespace headroom::lab
