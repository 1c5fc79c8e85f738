#include "analysis/workers.h"

#include <algorithm>
#include <map>

#include "analysis/metrics.h"
#include "analysis/window.h"

namespace headroom::analysis {
namespace {

using record::Phase;

struct Sums {
  std::uint64_t completed = 0;
  Nanos cpu{0};
  Nanos lag_max{0};
  Nanos covered{0};
};

double ratio(Nanos part, Nanos whole) {
  return static_cast<double>(part.count()) / static_cast<double>(whole.count());
}

}  // namespace

std::vector<WorkerSummary> summarize_workers(const record::Run& run, const Window& window) {
  std::map<std::uint32_t, Sums> sums;
  for (const record::WorkerCounts& counts : run.workers) {
    if (!is_measured(counts.interval, window)) continue;
    Sums& sum = sums[counts.worker];
    for (const record::OperationCounts& operation : counts.counts)
      sum.completed += operation.completed();
    sum.cpu += counts.health.cpu;
    sum.lag_max = std::max(sum.lag_max, counts.health.loop_lag_max);
    sum.covered += counts.interval.end - counts.interval.begin;
  }
  std::vector<WorkerSummary> workers;
  for (const auto& [number, sum] : sums) {
    WorkerSummary worker;
    worker.worker = number;
    if (sum.covered > Nanos{0}) {
      worker.throughput_per_s =
          static_cast<double>(sum.completed) / std::chrono::duration<double>(sum.covered).count();
      worker.cpu_ratio = ratio(sum.cpu, sum.covered);
      worker.loop_lag_max = sum.lag_max;
    }
    // Lag as a distribution is kept per phase, so it speaks for the whole measure phase only.
    for (const record::WorkerWindow& phase : run.worker_windows) {
      if (phase.worker != number || phase.phase != Phase::kMeasure || phase.loop_lag.empty())
        continue;
      worker.loop_lag_p99 = phase.loop_lag.quantile(0.99);
      worker.away_ratio = static_cast<double>(phase.loop_lag.count()) *
                          phase.loop_lag.mean_ns().value_or(0) /
                          static_cast<double>(sum.covered.count());
    }
    workers.push_back(worker);
  }
  return workers;
}

std::optional<double> worker_skew(const std::vector<WorkerSummary>& workers) {
  std::vector<double> rates;
  for (const WorkerSummary& worker : workers) {
    if (worker.throughput_per_s) rates.push_back(*worker.throughput_per_s);
  }
  if (rates.size() < 2) return std::nullopt;
  const auto [low, high] = std::ranges::minmax(rates);
  double sum = 0;
  for (const double rate : rates) sum += rate;
  if (sum <= 0) return std::nullopt;
  return (high - low) / (sum / static_cast<double>(rates.size()));
}

std::optional<std::uint64_t> in_flight_at_end(const record::Run& run, const Window& window) {
  std::optional<std::uint64_t> total;
  for (const record::WorkerCounts& counts : run.workers) {
    if (counts.interval.phase == Phase::kMeasure && counts.interval.end == window.end)
      total = total.value_or(0) + counts.health.in_flight;
  }
  return total;
}

bool shares_machine(const record::Run& run) {
  const scenario::Target& target = run.header.scenario.target;
  if (target.kind == scenario::TargetKind::kLocal || !target.socket.empty()) return true;
  return target.host == "localhost" || target.host == "::1" || target.host.starts_with("127.");
}

Known<double> host_cpu_busy(const record::Run& run, const Window& window) {
  const Known<Growth> busy = counter_growth(run, window, "host_cpu_busy_seconds");
  if (!busy) return tl::unexpected(busy.error());
  const Known<Growth> total = counter_growth(run, window, "host_cpu_total_seconds");
  if (!total) return tl::unexpected(total.error());
  if (total->value <= 0) return unknown("the machine's CPU time did not grow");
  return busy->value / total->value;
}

}  // namespace headroom::analysis
