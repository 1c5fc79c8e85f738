// What a latency histogram is about.
#pragma once

#include <cstdint>

#include "record/outcome.h"
#include "stats/histogram.h"

namespace headroom::record {

// Which clock start a latency has. Values are stored and never change.
enum class LatencyKind : int {
  kService = 0,   // from the request's own send
  kResponse = 1,  // from the time the schedule intended it for (open loop only)
};

// Identifies a latency histogram. `operation` indexes Run::operations.
struct LatencyKey {
  std::uint16_t operation = 0;
  Outcome outcome = Outcome::kOk;
  LatencyKind kind = LatencyKind::kService;
  friend auto operator<=>(const LatencyKey&, const LatencyKey&) = default;
};

struct LatencySeries {
  LatencyKey key;
  stats::Histogram histogram;
};

}  // namespace headroom::record
