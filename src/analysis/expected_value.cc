#include "analysis/expected_value.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <type_traits>

#include "analysis/latency.h"
#include "base/check.h"

namespace headroom::analysis {
namespace {

using record::LatencyKind;
using record::Outcome;
using scenario::Expectation;
using scenario::ExpectedWindow;

std::optional<double> as_number(const std::optional<double>& value) { return value; }
std::optional<double> as_number(const std::optional<Nanos>& value) {
  return value ? std::optional(static_cast<double>(value->count())) : std::nullopt;
}
std::optional<double> as_number(Nanos value) { return static_cast<double>(value.count()); }
template <class Count>
  requires std::is_unsigned_v<Count>
std::optional<double> as_number(Count value) {
  return static_cast<double>(value);
}

// A figure of a window; `reason` is its name in Summary::not_available.
struct WindowFigure {
  std::string_view name;
  std::optional<double> (*get)(const WindowSummary&);
  std::string_view reason;
};
template <auto Member>
std::optional<double> of_window(const WindowSummary& window) {
  return as_number(window.*Member);
}
constexpr std::array kWindowFigures = {
    WindowFigure{"throughput", of_window<&WindowSummary::throughput_per_s>, "throughput_per_s"},
    WindowFigure{"peak_minute_throughput", of_window<&WindowSummary::peak_throughput_per_minute>,
                 "peak_throughput_per_minute"},
    WindowFigure{"peak_second_throughput", of_window<&WindowSummary::peak_throughput_per_second>,
                 "peak_throughput_per_second"},
    WindowFigure{"throughput_cv_per_minute", of_window<&WindowSummary::throughput_cv_per_minute>,
                 "throughput_cv_per_minute"},
    WindowFigure{"throughput_cv_per_second", of_window<&WindowSummary::throughput_cv_per_second>,
                 "throughput_cv_per_second"},
    WindowFigure{"completed", of_window<&WindowSummary::completed>, ""},
    WindowFigure{"hit_ratio", of_window<&WindowSummary::hit_ratio_client>, "hit_ratio_client"},
    WindowFigure{"hit_ratio_engine", of_window<&WindowSummary::hit_ratio_engine>,
                 "hit_ratio_engine"},
    WindowFigure{"memory_used_max", of_window<&WindowSummary::memory_used_max_ratio>,
                 "memory_used_max_ratio"},
    WindowFigure{"memory_used_mean", of_window<&WindowSummary::memory_used_mean_ratio>,
                 "memory_used_mean_ratio"},
    WindowFigure{"evictions", of_window<&WindowSummary::evictions>, "evictions"},
    WindowFigure{"expired", of_window<&WindowSummary::expired>, "expired"},
    WindowFigure{"engine_cpu_main_thread", of_window<&WindowSummary::engine_cpu_main_thread>,
                 "engine_cpu_main_thread"},
    WindowFigure{"engine_cpu_process", of_window<&WindowSummary::engine_cpu_process>,
                 "engine_cpu_process"},
    WindowFigure{"in_flight_mean", of_window<&WindowSummary::concurrency>, "concurrency"},
};

// A figure of the run.
struct RunFigure {
  std::string_view name;
  std::optional<double> (*get)(const Summary&);
  std::string_view reason;
};
template <auto Member>
std::optional<double> of_run(const Summary& summary) {
  return as_number(summary.*Member);
}
template <auto Member>
std::optional<double> of_connections(const Summary& summary) {
  return as_number(summary.connections.*Member);
}
template <auto Member>
std::optional<double> of_node(const Summary& summary) {
  return summary.node ? as_number((*summary.node).*Member) : std::nullopt;
}
template <auto Member>
std::optional<double> of_schedule(const Summary& summary) {
  return summary.schedule ? as_number((*summary.schedule).*Member) : std::nullopt;
}
constexpr std::array kRunFigures = {
    RunFigure{"memory.headroom", of_run<&Summary::headroom_ratio>, "headroom_ratio"},
    RunFigure{"memory.first_eviction", of_run<&Summary::first_eviction>, "first_eviction"},
    RunFigure{"memory.peak_keys", of_run<&Summary::peak_keys>, "peak_keys"},
    RunFigure{"memory.per_key", of_run<&Summary::bytes_per_key>, "bytes_per_key"},
    RunFigure{"memory.used_max", of_run<&Summary::memory_used_max_bytes>, "memory_used_max_bytes"},
    RunFigure{"memory.rss_max", of_run<&Summary::rss_max_bytes>, "rss_max_bytes"},
    RunFigure{"memory.swap_max", of_run<&Summary::swap_max_bytes>, "swap_max_bytes"},
    RunFigure{"memory.fragmentation", of_run<&Summary::fragmentation_ratio>, "fragmentation_ratio"},
    RunFigure{"node.cpu", of_node<&NodeCpu::cpu_ratio>, ""},
    RunFigure{"node.held", of_node<&NodeCpu::held_ratio>, ""},
    RunFigure{"node.credits_last", of_node<&NodeCpu::credits_last>, ""},
    RunFigure{"generator.worker_skew", of_run<&Summary::worker_skew_ratio>, "worker_skew_ratio"},
    RunFigure{"generator.host_cpu_busy", of_run<&Summary::host_cpu_busy_ratio>,
              "host_cpu_busy_ratio"},
    RunFigure{"connections.lost", of_connections<&ConnectionsSummary::lost>, ""},
    RunFigure{"connections.refused", of_connections<&ConnectionsSummary::refused>, ""},
    RunFigure{"schedule.late", of_schedule<&ScheduleSummary::late>, ""},
    RunFigure{"schedule.unsent", of_schedule<&ScheduleSummary::unsent>, ""},
    RunFigure{"schedule.backlog_max", of_schedule<&ScheduleSummary::backlog_max>, ""},
    RunFigure{"schedule.lag_p99", of_schedule<&ScheduleSummary::lag_p99>, ""},
    RunFigure{"schedule.lag_max", of_schedule<&ScheduleSummary::lag_max>, ""},
    RunFigure{"warnings",
              [](const Summary& s) { return as_number(std::uint64_t{s.warnings.size()}); }, ""},
};

struct LatencyFigure {
  std::string_view name;  // behind "latency." and "response."
  std::optional<double> (*get)(const LatencySummary&);
};
template <auto Member>
std::optional<double> of_latency(const LatencySummary& latency) {
  return as_number(latency.*Member);
}
constexpr std::array kLatencyFigures = {
    LatencyFigure{"mean", of_latency<&LatencySummary::mean_ns>},
    LatencyFigure{"min", of_latency<&LatencySummary::min>},
    LatencyFigure{"p50", of_latency<&LatencySummary::p50>},
    LatencyFigure{"p90", of_latency<&LatencySummary::p90>},
    LatencyFigure{"p99", of_latency<&LatencySummary::p99>},
    LatencyFigure{"p99.9", of_latency<&LatencySummary::p999>},
    LatencyFigure{"p99.99", of_latency<&LatencySummary::p9999>},
    LatencyFigure{"max", of_latency<&LatencySummary::max>},
};

std::string reason_or(const Summary& summary, const std::string& name, std::string fallback) {
  const auto found = summary.not_available.find(name);
  return found == summary.not_available.end() ? std::move(fallback) : found->second;
}

// The row of an operation and outcome. An operation with one kind of completed outcome (SET) has no
// row of all its completed ones: that one is it.
const LatencySummary* find_row(const WindowSummary& window, const Expectation& expectation,
                               LatencyKind kind) {
  const std::string_view operation =
      expectation.operation.empty() ? std::string_view("all") : expectation.operation;
  const LatencySummary* completed = nullptr;
  for (const LatencySummary& row : window.latencies) {
    if (row.kind != kind || row.operation != operation) continue;
    if (!expectation.outcome.empty()) {
      if (!row.all_completed && outcome_name(row.outcome) == expectation.outcome) return &row;
    } else if (row.all_completed) {
      return &row;
    } else if (is_completed(row.outcome)) {
      completed = &row;
    }
  }
  return completed;
}

Known<double> latency_value(const Expectation& expectation, const Summary& summary,
                            const WindowSummary& window) {
  const std::string_view figure = expectation.figure;
  const std::size_t dot = figure.find('.');
  const bool response = figure.substr(0, dot) == "response";
  const std::string_view which = figure.substr(dot + 1);
  const auto* getter = std::ranges::find(kLatencyFigures, which, &LatencyFigure::name);
  check(getter != kLatencyFigures.end(), "every latency that may be expected has a value");
  const LatencySummary* row =
      find_row(window, expectation, response ? LatencyKind::kResponse : LatencyKind::kService);
  if (row == nullptr) {
    return unknown("no such request has a {} latency in the window",
                   response ? "response" : "service");
  }
  if (const auto value = getter->get(*row)) return *value;
  const std::string key =
      fmt::format("{}.latency[{}].{}", window_key(expectation.window), latency_label(*row), which);
  return unknown("{}", reason_or(summary, key, "the window has too few samples"));
}

Known<double> outcome_value(const Expectation& expectation, const WindowSummary& window) {
  double ended = 0;
  double matching = 0;
  for (const auto& [operation, outcomes] : window.outcomes) {
    if (!expectation.operation.empty() && operation != expectation.operation) continue;
    for (const auto& [outcome, count] : outcomes) {
      const bool matches = expectation.outcome == scenario::kFailedOutcome
                               ? !is_completed(outcome)
                               : outcome_name(outcome) == expectation.outcome;
      ended += static_cast<double>(count);
      if (matches) matching += static_cast<double>(count);
    }
  }
  if (expectation.figure == "count") return matching;
  if (ended <= 0) return unknown("no such request ended in the window");
  return matching / ended;
}

}  // namespace

Known<const WindowSummary*> find_window(const Summary& summary, ExpectedWindow window) {
  const auto absent = [&](const char* otherwise) {
    return unknown("{}", reason_or(summary, std::string(window_key(window)), otherwise));
  };
  switch (window) {
    case ExpectedWindow::kMeasure:
      if (!summary.measured_anything()) return absent("nothing was measured");
      return &summary.measure;
    case ExpectedWindow::kStableSegment:
      if (!summary.stable) return absent("there is no stable segment");
      return &summary.stable->summary;
    case ExpectedWindow::kBeforeFirstEviction:
      if (!summary.before_eviction) return absent("evictions did not begin inside measure");
      return &*summary.before_eviction;
    case ExpectedWindow::kAfterFirstEviction:
      if (!summary.after_eviction) return absent("evictions did not begin inside measure");
      return &*summary.after_eviction;
  }
  return unknown("there is no such window");
}

Known<double> expected_value(const Expectation& expectation, const Summary& summary) {
  const Known<const WindowSummary*> window = find_window(summary, expectation.window);
  if (!window) return tl::unexpected(window.error());
  const std::string_view figure = expectation.figure;
  if (figure.starts_with("latency.") || figure.starts_with("response."))
    return latency_value(expectation, summary, **window);
  if (figure == "count" || figure == "ratio") return outcome_value(expectation, **window);
  const auto* of_window = std::ranges::find(kWindowFigures, figure, &WindowFigure::name);
  if (of_window != kWindowFigures.end()) {
    if (const auto value = of_window->get(**window)) return *value;
    return unknown(
        "{}",
        reason_or(summary, fmt::format("{}.{}", window_key(expectation.window), of_window->reason),
                  "the run does not have it"));
  }
  const auto* of_run = std::ranges::find(kRunFigures, figure, &RunFigure::name);
  check(of_run != kRunFigures.end(), "every figure that may be expected has a value");
  if (const auto value = of_run->get(summary)) return *value;
  const bool of_node = figure.starts_with("node.");
  return unknown("{}", reason_or(summary, std::string(of_run->reason),
                                 of_node ? "the node has no CPU quota that was sampled"
                                         : "the run does not have it"));
}

}  // namespace headroom::analysis
