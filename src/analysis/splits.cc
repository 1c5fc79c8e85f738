#include "analysis/splits.h"

#include <algorithm>
#include <map>
#include <utility>

#include "analysis/latency.h"

namespace headroom::analysis {

std::vector<SplitSummary> summarize_splits(const record::Run& run, Reasons& reasons) {
  using Part = std::pair<record::Split, std::uint64_t>;
  std::map<Part, std::vector<record::LatencySeries>> parts;
  for (const record::SplitSeries& series : run.splits) {
    const record::LatencySeries latency{series.key.latency, series.histogram};
    merge_latencies(parts[{series.key.split, series.key.part}], {&latency, 1});
  }
  std::vector<SplitSummary> summaries;
  for (const auto& [part, latencies] : parts) {
    const std::string prefix =
        fmt::format("splits[{}]", record::part_label(part.first, part.second));
    summaries.push_back({part.first, part.second,
                         summarize_latencies(latencies, run.header.operations, reasons, prefix)});
  }
  return summaries;
}

void add_cache_aside_latencies(std::vector<LatencySummary>& rows, Intervals intervals,
                               Reasons& reasons, const std::string& prefix) {
  record::CacheAside fills;
  for (const record::MergedInterval& interval : intervals) {
    if (interval.cache_aside) fills.add(*interval.cache_aside);
  }
  using record::LatencyKind;
  for (const LatencyKind kind : {LatencyKind::kService, LatencyKind::kResponse}) {
    const stats::Histogram& waits = kind == LatencyKind::kService ? fills.service : fills.response;
    if (waits.empty()) continue;
    rows.push_back(summarize_latency(waits, std::string(kCacheAsideName), kind,
                                     record::Outcome::kOk, reasons, prefix));
  }
}

std::optional<CacheAsideSummary> summarize_cache_aside(const record::Run& run,
                                                       const Window& window) {
  if (!run.header.scenario.workload.backend_time) return std::nullopt;
  CacheAsideSummary summary;
  std::uint64_t begun = 0;  // until the window's end, warm-up included
  std::uint64_t ended = 0;
  for (const record::MergedInterval& interval : run.intervals) {
    if (!interval.cache_aside || interval.interval.end > window.end) continue;
    const record::CacheAside& fills = *interval.cache_aside;
    begun += fills.begun;
    ended += fills.ended();
    if (!is_measured(interval.interval, window)) continue;
    summary.begun += fills.begun;
    summary.filled += fills.filled;
    summary.failed += fills.failed;
    summary.abandoned += fills.abandoned;
  }
  summary.waiting_at_end = begun - std::min(begun, ended);
  return summary;
}

}  // namespace headroom::analysis
