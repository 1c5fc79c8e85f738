#include "analysis/schedule.h"

#include <algorithm>
#include <map>

#include "analysis/latency.h"
#include "analysis/window.h"
#include "scenario/operations.h"

namespace headroom::analysis {
namespace {

using record::Outcome;
using record::Phase;

std::optional<Nanos> oldest_unsent(const record::Run& run, const Window& window) {
  std::optional<Nanos> oldest;
  for (const record::MergedInterval& interval : intervals_in(run, window)) {
    for (const record::LatencySeries& series : interval.latencies) {
      if (series.key.outcome == Outcome::kUnsent) oldest = std::max(oldest, series.histogram.max());
    }
  }
  return oldest;
}

}  // namespace

std::optional<ScheduleSummary> summarize_schedule(const record::Run& run,
                                                  const WindowSummary& measure) {
  const Window& window = measure.window;
  const auto operations = scenario::operations_of(run.header.scenario.workload);
  ScheduleSummary summary;
  std::map<Nanos, std::uint64_t> backlog;  // of all workers, by the end of the second
  for (const record::WorkerCounts& counts : run.workers) {
    if (!is_measured(counts.interval, window) || !counts.health.schedule) continue;
    const record::ScheduleHealth& health = *counts.health.schedule;
    summary.due += health.due;
    summary.late += health.late;
    summary.lag_max = std::max(summary.lag_max, health.lag_max);
    backlog[counts.interval.end] += health.backlog;
    for (std::size_t i = 0; i < counts.counts.size(); ++i) {
      if (i < operations.size() && operations[i].fills) continue;  // nobody asked for these
      summary.sent += counts.counts[i].sent;
      summary.unsent += counts.counts[i].of(Outcome::kUnsent);
    }
  }
  if (backlog.empty() || window.seconds() <= 0) return std::nullopt;
  summary.asked_per_s = static_cast<double>(summary.due) / window.seconds();
  for (const auto& [end, requests] : backlog)
    summary.backlog_max = std::max(summary.backlog_max, requests);
  summary.oldest_unsent = oldest_unsent(run, window);
  stats::Histogram lag;
  for (const record::WorkerWindow& phase : run.worker_windows) {
    if (phase.phase == Phase::kMeasure) lag.merge(phase.schedule_lag);
  }
  summary.lag_p50 = supported_quantile(lag, Quantile::kP50);
  summary.lag_p99 = supported_quantile(lag, Quantile::kP99);
  return summary;
}

}  // namespace headroom::analysis
