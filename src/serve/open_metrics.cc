#include "serve/open_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "record/metric.h"

namespace headroom::serve {
namespace {

using record::Outcome;

// Upper bounds of the buckets. A bucket of ours that reaches over a bound counts above it: it is
// at most 0.2 % wide.
constexpr std::array<double, 22> kBoundsSeconds = {
    10e-6, 25e-6,  50e-6,  100e-6, 250e-6, 500e-6, 1e-3, 2.5e-3, 5e-3, 10e-3, 25e-3,
    50e-3, 100e-3, 250e-3, 500e-3, 1,      2.5,    5,    10,     30,   60,    300};

struct Exported {
  std::string_view metric;  // of the catalogue of telemetry
  std::string_view name;
  std::string_view unit;  // "" if it has none
  bool counter = false;
  std::string_view help;
};
constexpr std::array kExported = {
    Exported{"BytesUsedForCache", "headroom_engine_memory_used_bytes", "bytes", false,
             "Memory that the engine uses (used_memory)."},
    Exported{"maxmemory", "headroom_engine_memory_limit_bytes", "bytes", false,
             "The limit on it (maxmemory); 0 is none."},
    Exported{"process_rss_bytes", "headroom_engine_resident_bytes", "bytes", false,
             "Memory of the engine's process that is in RAM."},
    Exported{"CurrItems", "headroom_engine_keys", "", false, "Keys in all databases."},
    Exported{"Evictions", "headroom_engine_evicted_keys", "", true, "Keys evicted by the engine."},
    Exported{"Reclaimed", "headroom_engine_expired_keys", "", true, "Keys expired by the engine."},
    Exported{"CacheHits", "headroom_engine_hits", "", true, "Lookups that found their key."},
    Exported{"CacheMisses", "headroom_engine_misses", "", true,
             "Lookups that did not find their key."},
    Exported{"total_net_input_bytes", "headroom_engine_received_bytes", "bytes", true,
             "Bytes that the engine received."},
    Exported{"total_net_output_bytes", "headroom_engine_sent_bytes", "bytes", true,
             "Bytes that the engine sent."},
    Exported{"used_cpu_user_seconds", "headroom_engine_cpu_user_seconds", "seconds", true,
             "CPU time of the engine in user mode."},
    Exported{"used_cpu_sys_seconds", "headroom_engine_cpu_system_seconds", "seconds", true,
             "CPU time of the engine in kernel mode."},
};

// A label's value, escaped.
std::string label_value(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\' || c == '"') result += '\\';
    if (c == '\n')
      result += "\\n";
    else
      result += c;
  }
  return result;
}

// A bound as the specification writes numbers: "0.0005", "30.0".
std::string bound_text(double seconds) {
  return seconds >= 1 && seconds == std::floor(seconds) ? fmt::format("{:.1f}", seconds)
                                                        : fmt::format("{}", seconds);
}

void add_family(std::string& text, std::string_view name, std::string_view type,
                std::string_view unit, std::string_view help) {
  text += fmt::format("# TYPE {} {}\n", name, type);
  if (!unit.empty()) text += fmt::format("# UNIT {} {}\n", name, unit);
  text += fmt::format("# HELP {} {}\n", name, help);
}

}  // namespace

void RunTotals::begin(const record::RunHeader& header) {
  *this = {};
  run_id_ = header.run_id;
  scenario_ = header.scenario.name;
  tool_version_ = header.tool_version;
  operations_ = header.operations;
  counts_.resize(operations_.size());
  phase_ = record::Phase::kProvision;
}

void RunTotals::add(const record::MergedInterval& interval) {
  for (std::size_t i = 0; i < std::min(counts_.size(), interval.counts.size()); ++i)
    counts_[i].add(interval.counts[i]);
  for (const record::LatencySeries& series : interval.latencies) {
    Latency& latency = latencies_[series.key];
    latency.buckets.resize(kBoundsSeconds.size() + 1);
    latency.count += series.histogram.count();
    latency.sum_ns +=
        series.histogram.mean_ns().value_or(0) * static_cast<double>(series.histogram.count());
    series.histogram.for_each([&](std::int64_t, std::int64_t high, std::uint64_t count) {
      const auto bound =
          std::ranges::lower_bound(kBoundsSeconds, static_cast<double>(high - 1) / 1e9);
      latency.buckets[static_cast<std::size_t>(bound - kBoundsSeconds.begin())] += count;
    });
  }
}

void RunTotals::add(const record::WorkerCounts& counts) {
  Worker& worker = workers_[counts.worker];
  const record::WorkerHealth& health = counts.health;
  worker.cpu_s += std::chrono::duration<double>(health.cpu).count();
  worker.loop_lag_max = health.loop_lag_max;
  worker.in_flight = health.in_flight;
  worker.opened += health.connections_opened;
  worker.lost += health.connections_lost;
  if (health.schedule) worker.backlog = health.schedule->backlog;
}

void RunTotals::add(const record::SampleBatch& batch) {
  for (const record::Sample& sample : batch.samples) {
    if (!sample.label.empty()) continue;
    const std::string_view name = record::metric_catalogue()[sample.metric].name;
    if (std::ranges::find(kExported, name, &Exported::metric) != kExported.end())
      engine_[std::string(name)] = sample.value;
  }
}

std::string RunTotals::text() const {
  std::string text;
  add_family(text, "headroom_run", "info", "", "The run that goes.");
  text += fmt::format("headroom_run_info{{run_id=\"{}\",scenario=\"{}\",version=\"{}\"}} 1\n",
                      label_value(run_id_), label_value(scenario_), label_value(tool_version_));
  add_family(text, "headroom_phase", "stateset", "", "Which phase the run is in; none: it ended.");
  for (const record::Phase phase : record::kPhases)
    text += fmt::format("headroom_phase{{headroom_phase=\"{}\"}} {}\n", record::phase_name(phase),
                        phase_ == phase ? 1 : 0);
  add_requests(text);
  add_latencies(text);
  add_workers(text);
  add_engine(text);
  text += "# EOF\n";
  return text;
}

void RunTotals::add_requests(std::string& text) const {
  add_family(text, "headroom_requests_sent", "counter", "",
             "Requests sent, prefill and warm-up included.");
  for (std::size_t i = 0; i < operations_.size(); ++i)
    text += fmt::format("headroom_requests_sent_total{{operation=\"{}\"}} {}\n",
                        label_value(operations_[i]), counts_[i].sent);
  add_family(text, "headroom_requests", "counter", "",
             "Requests that ended, each as exactly one outcome.");
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    for (const Outcome outcome : record::kOutcomes)
      text += fmt::format("headroom_requests_total{{operation=\"{}\",outcome=\"{}\"}} {}\n",
                          label_value(operations_[i]), record::outcome_name(outcome),
                          counts_[i].of(outcome));
  }
}

void RunTotals::add_latencies(std::string& text) const {
  constexpr std::string_view kName = "headroom_request_duration_seconds";
  add_family(text, kName, "histogram", "seconds",
             "Latency: from a request's own send, or from the time its schedule intended it for.");
  for (const auto& [key, latency] : latencies_) {
    if (key.operation >= operations_.size()) continue;
    const std::string labels =
        fmt::format("operation=\"{}\",outcome=\"{}\",from=\"{}\"",
                    label_value(operations_[key.operation]), record::outcome_name(key.outcome),
                    key.kind == record::LatencyKind::kService ? "send" : "intended");
    std::uint64_t below = 0;
    for (std::size_t i = 0; i < kBoundsSeconds.size(); ++i) {
      below += latency.buckets[i];
      text += fmt::format("{}_bucket{{{},le=\"{}\"}} {}\n", kName, labels,
                          bound_text(kBoundsSeconds[i]), below);
    }
    text += fmt::format("{}_bucket{{{},le=\"+Inf\"}} {}\n", kName, labels, latency.count);
    text += fmt::format("{}_count{{{}}} {}\n", kName, labels, latency.count);
    text += fmt::format("{}_sum{{{}}} {}\n", kName, labels, latency.sum_ns / 1e9);
  }
}

void RunTotals::add_workers(std::string& text) const {
  const auto add = [&](std::string_view name, std::string_view type, std::string_view unit,
                       std::string_view help, auto value) {
    add_family(text, name, type, unit, help);
    for (const auto& [number, worker] : workers_) {
      if (const std::optional<double> read = value(worker))
        text += fmt::format("{}{}{{worker=\"{}\"}} {}\n", name, type == "counter" ? "_total" : "",
                            number, *read);
    }
  };
  using Read = std::optional<double>;
  add("headroom_worker_cpu_seconds", "counter", "seconds",
      "CPU time of a worker's thread: near 1 a second, the generator is the limit.",
      [](const Worker& worker) { return Read(worker.cpu_s); });
  add("headroom_worker_loop_lag_seconds", "gauge", "seconds",
      "The longest a worker did not look at its sockets in its last second.",
      [](const Worker& worker) {
        return Read(std::chrono::duration<double>(worker.loop_lag_max).count());
      });
  add("headroom_worker_in_flight_requests", "gauge", "requests",
      "Requests without a reply at the end of a worker's last second.",
      [](const Worker& worker) { return Read(static_cast<double>(worker.in_flight)); });
  add("headroom_worker_backlog_requests", "gauge", "requests",
      "Open loop: requests that were due and not sent at the end of a worker's last second.",
      [](const Worker& worker) {
        return worker.backlog ? Read(static_cast<double>(*worker.backlog)) : Read();
      });
  add("headroom_worker_connections_opened", "counter", "", "Connections opened.",
      [](const Worker& worker) { return Read(static_cast<double>(worker.opened)); });
  add("headroom_worker_connections_lost", "counter", "", "Connections that broke.",
      [](const Worker& worker) { return Read(static_cast<double>(worker.lost)); });
}

void RunTotals::add_engine(std::string& text) const {
  for (const Exported& exported : kExported) {
    const auto found = engine_.find(std::string(exported.metric));
    if (found == engine_.end()) continue;
    add_family(text, exported.name, exported.counter ? "counter" : "gauge", exported.unit,
               exported.help);
    text +=
        fmt::format("{}{} {}\n", exported.name, exported.counter ? "_total" : "", found->second);
  }
}

}  // namespace headroom::serve
