// What stages change, as a sequence of states that a worker goes through, and as a rate over time.
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "load/rate_curve.h"
#include "scenario/loads.h"

namespace headroom::load {

// How a load behaves from a moment on, until the next one.
struct LoadState {
  Nanos begin{0};                 // since measure began; of the first one Nanos::min()
  std::uint32_t connections = 0;  // in use, of each worker
  std::optional<scenario::ThinkTime> think_time;
  std::vector<std::uint32_t> weights;  // of the operations, in their order
  friend bool operator==(const LoadState&, const LoadState&) = default;
};

// By time, one at least. A ramp of connections is a state for each connection, entered when it is
// due by a straight line: with N steps, step i after (i - 1/2) / N of the stage.
[[nodiscard]] std::vector<LoadState> load_states(const LoadState& outside,
                                                 const std::vector<scenario::Operation>& operations,
                                                 const std::vector<scenario::StageChange>& stages);

// The rate of `load.rate`, over the time since measure began, with what the stages make of it.
// Fails where a file of rates cannot be read.
[[nodiscard]] Result<RateCurve> staged_curve(const scenario::Rate& rate,
                                             const std::vector<scenario::StageChange>& stages);

}  // namespace headroom::load
