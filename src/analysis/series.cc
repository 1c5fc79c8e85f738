#include "analysis/series.h"

#include <algorithm>
#include <map>

#include "analysis/latency.h"
#include "analysis/metrics.h"

namespace headroom::analysis {
namespace {

using record::LatencyKind;
using record::MetricSeries;

SecondLatency read(const stats::Histogram& histogram) {
  return {histogram.count(), supported_quantile(histogram, Quantile::kP50),
          supported_quantile(histogram, Quantile::kP99),
          supported_quantile(histogram, Quantile::kP999), histogram.max()};
}

void add_load(Second& second, const record::MergedInterval& merged, std::size_t operations) {
  second.interval = merged.interval;
  second.counts = merged.counts;
  second.counts.resize(operations);
  stats::Histogram all;
  for (std::uint16_t operation = 0; operation < operations; ++operation) {
    const stats::Histogram histogram =
        completed_latency(merged.latencies, LatencyKind::kService, operation);
    second.latencies.push_back(read(histogram));
    all.merge(histogram);
    second.completed += second.counts[operation].completed();
  }
  second.all = read(all);
  const stats::Histogram response = completed_latency(merged.latencies, LatencyKind::kResponse);
  if (!response.empty()) second.response = read(response);
  const double length =
      std::chrono::duration<double>(merged.interval.end - merged.interval.begin).count();
  if (length > 0) second.throughput_per_s = static_cast<double>(second.completed) / length;
}

void add_telemetry(Second& second, const record::Run& run,
                   const std::vector<std::string>& primaries, Nanos age_limit) {
  const auto at = [&](const char* metric, Nanos time,
                      const std::string& node = "") -> std::optional<record::Point> {
    const MetricSeries* series = run.find_metric(metric, "", node);
    return series != nullptr ? point_before(*series, time, age_limit) : std::nullopt;
  };
  const Nanos end = second.interval.end;
  for (const std::string& node : primaries) {
    const auto used = at("BytesUsedForCache", end, node);
    const auto limit = at("maxmemory", end, node);
    if (!used || !limit || limit->value <= 0) continue;
    second.memory_used_ratio =
        std::max(second.memory_used_ratio.value_or(0), used->value / limit->value);
  }
  if (const auto keys = at("CurrItems", end)) second.keys = keys->value;
  const auto before = at("Evictions", second.interval.begin);
  const auto after = at("Evictions", end);
  if (before && after && after->time > before->time && after->value >= before->value) {
    const std::chrono::duration<double> between = after->time - before->time;
    second.evictions_per_s = (after->value - before->value) / between.count();
  }
}

void add_worker(Second& second, const record::WorkerCounts& counts) {
  const record::WorkerHealth& health = counts.health;
  const Nanos length = counts.interval.end - counts.interval.begin;
  if (length > Nanos{0}) {
    const double cpu =
        static_cast<double>(health.cpu.count()) / static_cast<double>(length.count());
    second.worker_cpu_max_ratio = std::max(second.worker_cpu_max_ratio.value_or(0), cpu);
  }
  second.loop_lag_max = std::max(second.loop_lag_max.value_or(Nanos{0}), health.loop_lag_max);
  second.in_flight += health.in_flight;
  second.connections_lost += health.connections_lost;
  if (health.schedule) {
    if (!second.schedule) second.schedule.emplace();
    second.schedule->due += health.schedule->due;
    second.schedule->late += health.schedule->late;
    second.schedule->backlog += health.schedule->backlog;
    second.schedule->lag_max = std::max(second.schedule->lag_max, health.schedule->lag_max);
  }
}

}  // namespace

Nanos series_age_limit(const record::Run& run) { return sample_gap_limit(run) * 3 / 5; }

std::vector<Second> per_second(const record::Run& run) {
  std::vector<Second> seconds(run.intervals.size());
  std::map<Nanos, Second*> by_begin;
  const Nanos age_limit = series_age_limit(run);
  const std::vector<std::string> primaries = primaries_of(run);
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    add_load(seconds[i], run.intervals[i], run.header.operations.size());
    add_telemetry(seconds[i], run, primaries, age_limit);
    by_begin[seconds[i].interval.begin] = &seconds[i];
  }
  for (const record::WorkerCounts& counts : run.workers) {
    const auto found = by_begin.find(counts.interval.begin);
    if (found != by_begin.end() && found->second->interval.phase == counts.interval.phase)
      add_worker(*found->second, counts);
  }
  return seconds;
}

}  // namespace headroom::analysis
