#include "analysis/outline.h"

#include <algorithm>
#include <chrono>

#include "analysis/latency.h"
#include "analysis/metrics.h"
#include "analysis/series.h"
#include "analysis/window.h"

namespace headroom::analysis {
namespace {

void add_point(Outline& outline, Intervals seconds, const stats::Histogram& latency) {
  std::uint64_t completed = 0;
  for (const record::MergedInterval& second : seconds) completed += completed_in(second);
  const std::chrono::duration<double> length =
      seconds.back().interval.end - seconds.front().interval.begin;
  outline.throughput_per_s.push_back(
      length.count() > 0 ? std::optional(static_cast<double>(completed) / length.count())
                         : std::nullopt);
  // A run that was read without the latencies of single seconds has none here.
  const std::optional<Nanos> p99 = supported_quantile(latency, Quantile::kP99);
  outline.p99_ns.push_back(p99 ? std::optional(static_cast<double>(p99->count())) : std::nullopt);
}

void add_memory(Outline& outline, const record::Run& run, Nanos end) {
  const auto at = [&](const char* metric) -> std::optional<double> {
    const record::MetricSeries* series = run.find_metric(metric);
    if (series == nullptr) return std::nullopt;
    const auto point = point_before(*series, end, series_age_limit(run));
    return point ? std::optional(point->value) : std::nullopt;
  };
  const auto used = at("BytesUsedForCache");
  const auto limit = at("maxmemory");
  outline.memory_ratio.push_back(used && limit && *limit > 0 ? std::optional(*used / *limit)
                                                             : std::nullopt);
}

}  // namespace

Course course_of(const record::Run& run, const Summary& summary) {
  Course course;
  Outline& outline = course.outline;
  const Intervals seconds = intervals_in(run, summary.measure.window);
  const std::size_t join =
      std::max<std::size_t>(1, (seconds.size() + kOutlinePoints - 1) / kOutlinePoints);
  outline.step_s = static_cast<double>(join);
  for (std::size_t first = 0; first < seconds.size(); first += join) {
    const Intervals part = seconds.subspan(first, std::min(join, seconds.size() - first));
    stats::Histogram latency;
    for (const record::MergedInterval& second : part)
      latency.merge(completed_latency(second.latencies, record::LatencyKind::kService));
    add_point(outline, part, latency);
    add_memory(outline, run, part.back().interval.end);
    course.latency.merge(latency);
  }
  if (course.latency.empty()) {
    for (const record::WorkerWindow& worker : run.worker_windows) {
      if (worker.phase == record::Phase::kMeasure)
        course.latency.merge(completed_latency(worker.latencies, record::LatencyKind::kService));
    }
  }
  if (summary.first_eviction)
    outline.first_eviction_s = std::chrono::duration<double>(*summary.first_eviction).count();
  return course;
}

}  // namespace headroom::analysis
