// Latency by value size and by popularity of the keys, and what cache-aside came to.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/summary.h"
#include "analysis/window.h"
#include "record/run.h"

namespace headroom::analysis {

// Quantiles as those of latencies; reasons for what has too few samples go under
// "splits[PART].latency[...]".
[[nodiscard]] std::vector<SplitSummary> summarize_splits(const record::Run& run, Reasons& reasons);

// What the waits of users are called whose read missed and was filled: beside the operations.
inline constexpr std::string_view kCacheAsideName = "cache-aside";
// Appends the latencies of what was filled in these intervals to those of the operations.
void add_cache_aside_latencies(std::vector<LatencySummary>& rows, Intervals intervals,
                               Reasons& reasons, const std::string& prefix);
[[nodiscard]] std::optional<CacheAsideSummary> summarize_cache_aside(const record::Run& run,
                                                                     const Window& window);

}  // namespace headroom::analysis
