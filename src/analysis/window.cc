#include "analysis/window.h"

#include <algorithm>

#include "analysis/latency.h"
#include "analysis/members.h"
#include "analysis/metrics.h"
#include "analysis/splits.h"
#include "scenario/loads.h"
#include "stats/sample.h"

namespace headroom::analysis {
namespace {

using record::MergedInterval;
using record::Outcome;
using record::Phase;

constexpr std::size_t kSecondsPerMinute = 60;

std::uint64_t total_of(const WindowSummary& summary, Outcome outcome) {
  std::uint64_t total = 0;
  for (const auto& [operation, outcomes] : summary.outcomes) {
    if (const auto found = outcomes.find(outcome); found != outcomes.end()) total += found->second;
  }
  return total;
}

void add_throughput(WindowSummary& summary, Intervals intervals, Reasons& reasons,
                    const std::string& prefix) {
  for (const MergedInterval& interval : intervals) summary.completed += completed_in(interval);
  if (!intervals.empty() && summary.window.seconds() > 0)
    summary.throughput_per_s = static_cast<double>(summary.completed) / summary.window.seconds();
  else
    reasons[prefix + ".throughput_per_s"] = "nothing was recorded in the window";

  const auto spread = [&](const std::vector<double>& rates, const char* unit,
                          std::optional<double>& cv, std::optional<double>& peak) {
    if (!rates.empty())
      peak = std::ranges::max(rates);
    else
      reasons[fmt::format("{}.peak_throughput_per_{}", prefix, unit)] =
          fmt::format("no full {} in the window", unit);
    if (rates.size() >= kSpreadNeeds) cv = stats::coefficient_of_variation(rates);
    if (!cv)
      reasons[fmt::format("{}.throughput_cv_per_{}", prefix, unit)] =
          rates.size() < kSpreadNeeds
              ? fmt::format("needs {} full {}s, has {}", kSpreadNeeds, unit, rates.size())
              : std::string("nothing was completed");
  };
  spread(throughput_by_second(intervals), "second", summary.throughput_cv_per_second,
         summary.peak_throughput_per_second);
  spread(throughput_by_minute(intervals), "minute", summary.throughput_cv_per_minute,
         summary.peak_throughput_per_minute);
}

void add_outcomes(WindowSummary& summary, Intervals intervals,
                  std::span<const std::string> operations) {
  for (const MergedInterval& interval : intervals) {
    for (std::size_t i = 0; i < std::min(operations.size(), interval.counts.size()); ++i) {
      auto& outcomes = summary.outcomes[operations[i]];
      for (const Outcome outcome : record::kOutcomes)
        outcomes[outcome] += interval.counts[i].of(outcome);
    }
  }
}

// Of a run that was read without the latencies of single seconds, those of the whole phase, if the
// window is all of it.
std::vector<record::LatencySeries> latencies_in(const record::Run& run, Intervals intervals,
                                                const Window& window, std::uint64_t completed) {
  std::vector<record::LatencySeries> merged;
  for (const MergedInterval& interval : intervals) merge_latencies(merged, interval.latencies);
  const record::PhaseSpan* phase = run.phase(Phase::kMeasure);
  const bool whole = phase != nullptr && phase->begin == window.begin && phase->end == window.end;
  if (!merged.empty() || completed == 0 || !whole) return merged;
  for (const record::WorkerWindow& worker : run.worker_windows) {
    if (worker.phase == Phase::kMeasure) merge_latencies(merged, worker.latencies);
  }
  return merged;
}

void add_latencies(WindowSummary& summary, const record::Run& run, Intervals intervals,
                   Reasons& reasons, const std::string& prefix) {
  const std::vector<record::LatencySeries> merged =
      latencies_in(run, intervals, summary.window, summary.completed);
  if (merged.empty() && summary.completed > 0)
    reasons[prefix + ".latency"] = "the latencies of single seconds were not read";
  const std::span<const std::string> operations = run.header.operations;
  summary.latencies = summarize_latencies(merged, operations, reasons, prefix);
  add_cache_aside_latencies(summary.latencies, intervals, reasons, prefix);

  // Requests in flight, averaged over time, are the sum of all times in flight over the window's
  // length: Little's law with both factors taken from the same requests, whatever their outcome.
  double time_in_flight_ns = 0;
  for (const record::LatencySeries& series : merged) {
    if (series.key.kind == record::LatencyKind::kService)
      time_in_flight_ns +=
          static_cast<double>(series.histogram.count()) * series.histogram.mean_ns().value_or(0);
  }
  if (time_in_flight_ns > 0 && summary.window.seconds() > 0)
    summary.concurrency = time_in_flight_ns / 1e9 / summary.window.seconds();
  else
    reasons[prefix + ".concurrency"] = "no request of the window has a latency";
}

Known<double> engine_hit_ratio(const record::Run& run, const Window& window) {
  const Known<Growth> hits = counter_growth(run, window, "CacheHits");
  if (!hits) return tl::unexpected(hits.error());
  const Known<Growth> misses = counter_growth(run, window, "CacheMisses");
  if (!misses) return tl::unexpected(misses.error());
  if (hits->value + misses->value <= 0) return unknown("the engine looked up no key");
  return hits->value / (hits->value + misses->value);
}

// A limit is reached by the busiest engine first, whatever the others do.
void add_engine_cpu(WindowSummary& summary, const record::Run& run, Reasons& reasons,
                    const std::string& prefix) {
  const Window& window = summary.window;
  const std::vector<std::string> nodes = nodes_of(run);
  const auto busy = [&](const std::string& node) {
    return main_thread_cpu(run, window, node).value_or(process_cpu(run, window, node).value_or(-1));
  };
  const std::string busiest = std::ranges::max(nodes, {}, busy);
  if (nodes.size() > 1) summary.busiest_node = busiest;
  summary.engine_cpu_main_thread = value_or_reason(main_thread_cpu(run, window, busiest), reasons,
                                                   prefix + ".engine_cpu_main_thread");
  summary.engine_cpu_process =
      value_or_reason(process_cpu(run, window, busiest), reasons, prefix + ".engine_cpu_process");
  double together = 0;
  for (const std::string& node : nodes) {
    const Known<double> cpu = process_cpu(run, window, node);
    if (!cpu) return;
    together += *cpu;
  }
  summary.engines_cpu = together;
}

void add_memory_used(WindowSummary& summary, const record::Run& run, Reasons& reasons,
                     const std::string& prefix) {
  const Window& window = summary.window;
  const auto take = [&](Known<double> known, const char* name) {
    return value_or_reason(std::move(known), reasons, prefix + "." + name);
  };
  const auto largest = [](const std::vector<record::Point>& points) {
    return std::ranges::max(points, {}, &record::Point::value).value;
  };
  const auto ratios = memory_used_ratio(run, window);
  summary.memory_used_max_ratio = take(ratios.map(largest), "memory_used_max_ratio");
  summary.memory_used_mean_ratio = take(ratios.map([](const std::vector<record::Point>& points) {
    return time_weighted_mean(points);
  }),
                                        "memory_used_mean_ratio");
  if (run.members.empty() || !summary.memory_used_max_ratio) return;
  summary.fullest_node = std::ranges::max(primaries_of(run), {}, [&](const std::string& node) {
    return memory_used_ratio(run, window, node).map(largest).value_or(-1);
  });
}

void add_telemetry(WindowSummary& summary, const record::Run& run, Reasons& reasons,
                   const std::string& prefix) {
  const Window& window = summary.window;
  const auto take = [&](Known<double> known, const char* name) {
    return value_or_reason(std::move(known), reasons, prefix + "." + name);
  };
  const auto growth = [&](const char* metric) {
    return counter_growth(run, window, metric).map(&Growth::value);
  };
  summary.hit_ratio_engine = take(engine_hit_ratio(run, window), "hit_ratio_engine");
  add_memory_used(summary, run, reasons, prefix);
  summary.evictions = take(growth("Evictions"), "evictions");
  summary.expired = take(growth("Reclaimed"), "expired");
  add_engine_cpu(summary, run, reasons, prefix);
}

}  // namespace

Known<Window> measure_window(const record::Run& run) {
  const record::PhaseSpan* span = run.phase(Phase::kMeasure);
  if (span == nullptr) return unknown("the run ended before measuring began");
  if (run.end == record::RunEnd::kComplete && span->end)
    return Window{"measure", span->begin, *span->end};

  const std::uint32_t workers = scenario::worker_count(run.header.scenario);
  std::optional<Nanos> committed;
  for (const MergedInterval& interval : run.intervals) {
    if (interval.interval.phase == Phase::kMeasure && interval.workers >= workers)
      committed = interval.interval.end;
  }
  if (!committed) return unknown("no second of the measure phase was recorded by all workers");
  return Window{"measure", span->begin, span->end ? std::min(*span->end, *committed) : *committed};
}

bool is_measured(const record::Interval& interval, const Window& window) {
  return interval.phase == Phase::kMeasure && interval.begin >= window.begin &&
         interval.end <= window.end;
}

Intervals intervals_in(const record::Run& run, const Window& window) {
  const auto inside = [&](const MergedInterval& interval) {
    return is_measured(interval.interval, window);
  };
  const auto first = std::ranges::find_if(run.intervals, inside);
  const auto last = std::find_if_not(first, run.intervals.end(), inside);
  return {first, last};
}

bool is_full_second(const MergedInterval& interval) {
  return interval.interval.end - interval.interval.begin == record::kIntervalLength;
}

std::uint64_t completed_in(const MergedInterval& interval) {
  std::uint64_t completed = 0;
  for (const record::OperationCounts& counts : interval.counts) completed += counts.completed();
  return completed;
}

std::vector<double> throughput_by_second(Intervals intervals) {
  std::vector<double> rates;
  for (const MergedInterval& interval : intervals) {
    if (is_full_second(interval)) rates.push_back(static_cast<double>(completed_in(interval)));
  }
  return rates;
}

std::vector<double> throughput_by_minute(Intervals intervals) {
  std::vector<double> rates;
  std::size_t first = 0;
  while (first + kSecondsPerMinute <= intervals.size()) {
    const Intervals minute = intervals.subspan(first, kSecondsPerMinute);
    const Nanos length = minute.back().interval.end - minute.front().interval.begin;
    if (length != std::chrono::minutes{1}) break;  // a cut second, or one that is missing
    std::uint64_t completed = 0;
    for (const MergedInterval& interval : minute) completed += completed_in(interval);
    rates.push_back(static_cast<double>(completed) / kSecondsPerMinute);
    first += kSecondsPerMinute;
  }
  return rates;
}

WindowSummary summarize_traffic(const record::Run& run, const Window& window, Reasons& reasons,
                                const std::string& prefix) {
  WindowSummary summary;
  summary.window = window;
  const Intervals intervals = intervals_in(run, window);
  add_throughput(summary, intervals, reasons, prefix);
  add_outcomes(summary, intervals, run.header.operations);
  add_latencies(summary, run, intervals, reasons, prefix);
  const std::uint64_t hits = total_of(summary, Outcome::kHit);
  const std::uint64_t misses = total_of(summary, Outcome::kMiss);
  if (hits + misses > 0)
    summary.hit_ratio_client = static_cast<double>(hits) / static_cast<double>(hits + misses);
  else
    reasons[prefix + ".hit_ratio_client"] = "no read was answered";
  return summary;
}

WindowSummary summarize_window(const record::Run& run, const Window& window, Reasons& reasons,
                               const std::string& prefix) {
  WindowSummary summary = summarize_traffic(run, window, reasons, prefix);
  add_telemetry(summary, run, reasons, prefix);
  return summary;
}

}  // namespace headroom::analysis
