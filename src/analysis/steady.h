// Steady state: does throughput hold one level, and where?
#pragma once

#include <cstddef>

#include "analysis/summary.h"
#include "record/run.h"
#include "stats/interval.h"

namespace headroom::analysis {

// A stable segment has at least this many full seconds.
inline constexpr std::size_t kSteadyNeeds = stats::kFewestForInterval;
inline constexpr double kSteadyConfidence = 0.95;
// Changes of level well below this share of the mean are not looked for.
inline constexpr double kSteadyResolution = 0.005;

// Splits the window's per-second throughput where its level changes (stats/change_point.h) and sums
// up the longest segment, with an interval of its mean by batch means (stats/interval.h). Unknown
// if no segment has kSteadyNeeds seconds. Reasons inside the segment go under "stable_segment".
[[nodiscard]] Known<StableSegment> stable_segment(const record::Run& run, const Window& window,
                                                  Reasons& reasons);

}  // namespace headroom::analysis
