#include "analysis/memory.h"

#include <algorithm>

#include "analysis/metrics.h"
#include "analysis/window.h"
#include "base/units.h"

namespace headroom::analysis {
namespace {

using record::MetricSeries;
using record::Point;

// used_memory without the buffers of clients and of replication, where the engine tells them apart:
// a thousand connections, or a backlog of 10 MiB, would otherwise look like data.
std::optional<double> used_without_buffers(const record::Run& run, Nanos time) {
  const MetricSeries* used = run.find_metric("BytesUsedForCache");
  auto bytes = used != nullptr ? value_at(*used, time) : std::nullopt;
  if (!bytes) return bytes;
  for (const char* buffers : {"mem_clients_normal", "mem_replication_buffers"}) {
    const MetricSeries* series = run.find_metric(buffers);
    if (series != nullptr) *bytes -= value_at(*series, time).value_or(0);
  }
  return bytes;
}

// At the first sample that saw an empty engine.
Known<double> empty_baseline(const record::Run& run, const MetricSeries& keys) {
  for (const Point& point : keys.points) {
    if (point.value > 0) continue;
    if (const auto used = used_without_buffers(run, point.time)) return *used;
  }
  return unknown("the target was never seen empty, so its own memory is not known");
}

}  // namespace

Known<std::optional<Onset>> eviction_onset(const record::Run& run, const Window& window) {
  const Known<Growth> growth = counter_growth(run, window, "Evictions");
  if (!growth) return tl::unexpected(growth.error());
  const Known<Points> points = points_over(run, window, "Evictions");
  const auto rise =
      std::adjacent_find(points->begin(), points->end(),
                         [](const Point& a, const Point& b) { return b.value > a.value; });
  if (rise == points->end()) return std::optional<Onset>{};
  return Onset{rise->time, std::next(rise)->time, rise == points->begin()};
}

Known<double> evicted_before(const record::Run& run, const Window& window) {
  const MetricSeries* series = run.find_metric("Evictions");
  if (series == nullptr || series->points.empty()) return unknown("Evictions was not sampled");
  const Known<Points> points = points_over(run, window, "Evictions");
  if (!points) return tl::unexpected(points.error());
  const double before = points->front().value - series->points.front().value;
  if (before < 0) return unknown("Evictions went back before the window");
  return before;
}

Known<double> bytes_per_key(const record::Run& run, const Window& window) {
  const MetricSeries* keys = run.find_metric("CurrItems");
  if (keys == nullptr || run.find_metric("BytesUsedForCache") == nullptr)
    return unknown("memory and keys were not both sampled");
  const Known<double> baseline = empty_baseline(run, *keys);
  if (!baseline) return baseline;
  const Known<Points> points = points_over(run, window, "CurrItems");
  if (!points) return tl::unexpected(points.error());
  const Point& peak = *std::ranges::max_element(*points, {}, &Point::value);
  if (peak.value < kFewestKeys)
    return unknown("the engine held at most {:.0f} keys, {:.0f} are needed", peak.value,
                   kFewestKeys);
  const std::optional<double> used_at_peak = used_without_buffers(run, peak.time);
  if (!used_at_peak) return unknown("no sample of used_memory beside the one with most keys");
  return (*used_at_peak - *baseline) / peak.value;
}

void add_memory(Summary& summary, const record::Run& run) {
  const Window& window = summary.measure.window;
  Reasons& reasons = summary.not_available;
  summary.maxmemory_bytes =
      value_or_reason(gauge_last(run, window, "maxmemory"), reasons, "maxmemory_bytes");
  summary.memory_used_max_bytes = value_or_reason(gauge_max(run, window, "BytesUsedForCache"),
                                                  reasons, "memory_used_max_bytes");
  summary.dataset_max_bytes =
      value_or_reason(gauge_max(run, window, "used_memory_dataset"), reasons, "dataset_max_bytes");
  summary.fragmentation_ratio = value_or_reason(gauge_last(run, window, "MemoryFragmentationRatio"),
                                                reasons, "fragmentation_ratio");
  Known<double> rss = gauge_max(run, window, "process_rss_bytes");
  if (!rss) rss = gauge_max(run, window, "used_memory_rss");
  summary.rss_max_bytes = value_or_reason(std::move(rss), reasons, "rss_max_bytes");
  summary.swap_max_bytes =
      value_or_reason(gauge_max(run, window, "process_swap_bytes"), reasons, "swap_max_bytes");
  summary.peak_keys = value_or_reason(gauge_max(run, window, "CurrItems"), reasons, "peak_keys");
  summary.bytes_per_key = value_or_reason(bytes_per_key(run, window), reasons, "bytes_per_key");

  if (summary.measure.memory_used_max_ratio)
    summary.headroom_ratio = 1 - *summary.measure.memory_used_max_ratio;
  else
    reasons["headroom_ratio"] = reasons["measure.memory_used_max_ratio"];

  const auto onset = eviction_onset(run, window);
  if (!onset)
    reasons["first_eviction"] = onset.error();
  else if (*onset)
    summary.first_eviction = std::max(Nanos{0}, (*onset)->first_with - window.begin);
  else
    reasons["first_eviction"] = "nothing was evicted in the window";
}

void add_boundary_windows(Summary& summary, const record::Run& run, const Onset& onset) {
  Window before{"before first eviction", summary.measure.window.begin,
                summary.measure.window.begin};
  Window after{"after first eviction", summary.measure.window.end, summary.measure.window.end};
  const Intervals intervals = intervals_in(run, summary.measure.window);
  for (const record::MergedInterval& interval : intervals) {
    if (interval.interval.end <= onset.last_without) before.end = interval.interval.end;
    if (interval.interval.begin >= onset.first_with)
      after.begin = std::min(after.begin, interval.interval.begin);
  }
  const auto summarize = [&](const Window& window,
                             const std::string& prefix) -> std::optional<WindowSummary> {
    if (window.begin < window.end)
      return summarize_window(run, window, summary.not_available, prefix);
    summary.not_available[prefix] = "no whole second lies there";
    return std::nullopt;
  };
  summary.before_eviction = summarize(before, "before_first_eviction");
  summary.after_eviction = summarize(after, "after_first_eviction");
}

}  // namespace headroom::analysis
