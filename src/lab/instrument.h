// The instrument tested on this machine: Headroom's own load engine against a server in the same
// process that knows the truth, its timers, and its ceiling against a server that is never the
// limit. What it all means is judged by analysis/instrument.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "analysis/instrument.h"
#include "base/result.h"
#include "lab/stop_switch.h"

namespace headroom::lab {

struct CheckRequest {
  bool quick = false;         // at most some 8 s instead of 30 s
  std::uint32_t workers = 1;  // of the timers and the ceilings
};

// Called on the conducting thread.
class CheckObserver {
 public:
  virtual ~CheckObserver() = default;
  // `step` of `steps` begins; from 1.
  virtual void step_began(std::size_t step, std::size_t steps, const std::string& name) = 0;
};

// Takes the servers' threads and ports of the loopback for its time and leaves nothing behind. An
// Error (kIncomplete) if `stop` was told, or if the system does not give what it takes.
[[nodiscard]] Result<analysis::InstrumentCheck> conduct_check(const CheckRequest& request,
                                                              CheckObserver& observer,
                                                              StopSwitch& stop);

}  // namespace headroom::lab
