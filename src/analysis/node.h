// The node's own limits: how much of its CPU quota it used, and when its credits were gone.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "analysis/summary.h"
#include "record/run.h"

namespace headroom::analysis {

// Shares that make a quota the limit.
inline constexpr double kFullQuota = 0.90;        // of the quota, used between two samples
inline constexpr double kThrottledPeriods = 0.5;  // of the quota's periods, in which it ran out
inline constexpr double kMostlyHeld = 0.5;        // of a window's time, between samples held so

// Over a window; nullopt: the node has no quota, or it was not sampled. A time between two samples
// counts as held when the node used kFullQuota of its quota in it and ran out of it in
// kThrottledPeriods of the periods in which it wanted to run.
[[nodiscard]] std::optional<NodeCpu> summarize_node(const record::Run& run, const Window& window,
                                                    std::string_view node);
// Of several, the one that was held for most of the time: it is what holds the others back, too.
[[nodiscard]] std::optional<NodeCpu> summarize_node(const record::Run& run, const Window& window);

// Where the quota changed inside the window, by the samples: the window from change to change, in
// whole intervals, each with the quota it had. One part: it did not change. What lies between the
// last sample before a change and the first one after it is in no part, nor is a part without a
// whole interval.
struct QuotaPart {
  Window window;
  double quota_vcpus = 0;
};
[[nodiscard]] std::vector<QuotaPart> quota_parts(const record::Run& run, const Window& window,
                                                 std::string_view node);

}  // namespace headroom::analysis
