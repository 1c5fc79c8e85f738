#include "report/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/loads.h"
#include "analysis/metrics.h"
#include "analysis/series.h"
#include "analysis/window.h"
#include "base/text.h"

namespace headroom::report {
namespace {

using analysis::Second;
using record::Outcome;

constexpr std::size_t kNameLimit = 120;

// The shortest text that reads back as the same number, whole numbers without an exponent.
std::string decimal(double value) {
  constexpr double kLargestExact = 9'007'199'254'740'992;  // 2^53
  if (!std::isfinite(value)) return {};
  if (std::abs(value) <= kLargestExact && value == std::floor(value))
    return fmt::format("{:.0f}", value);
  return fmt::format("{}", value);
}

// One line of cells.
class Row {
 public:
  void add(std::string_view text) {
    if (!line_.empty() || started_) line_ += ',';
    started_ = true;
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
      line_ += text;
      return;
    }
    line_ += '"';
    for (const char c : text) {
      if (c == '"') line_ += '"';
      line_ += c;
    }
    line_ += '"';
  }
  void add(std::uint64_t value) { add(fmt::format("{}", value)); }
  void add(std::optional<double> value) { add(value ? decimal(*value) : std::string()); }
  void add(std::optional<Nanos> value) {
    add(value ? fmt::format("{}", value->count()) : std::string());
  }
  [[nodiscard]] std::string line() && { return std::move(line_) + "\r\n"; }

 private:
  bool started_ = false;
  std::string line_;
};

std::string seconds_cell(Nanos time) {
  return fmt::format("{:.9g}", std::chrono::duration<double>(time).count());
}

std::string metric_column(const record::MetricSeries& series) {
  std::string name = printable(series.metric, kNameLimit);
  if (!series.label.empty()) name += fmt::format("{{{}}}", printable(series.label, kNameLimit));
  if (!series.node.empty()) name += "@" + printable(series.node, kNameLimit);
  return name;
}

std::string header(const record::Run& run) {
  Row row;
  for (const char* name : {"time_s", "phase", "stage", "length_s", "completed", "throughput_per_s"})
    row.add(name);
  for (const std::string& name : run.header.operations) {
    const std::string operation = printable(name, kNameLimit);
    row.add(operation + "_sent");
    for (const Outcome outcome : record::kOutcomes)
      row.add(fmt::format("{}_{}", operation, outcome_name(outcome)));
    for (const char* quantile : {"p50", "p99", "p999", "max"})
      row.add(fmt::format("{}_{}_ns", operation, quantile));
  }
  for (const char* name :
       {"all_p50_ns", "all_p99_ns", "all_p999_ns", "all_max_ns", "worker_cpu_max_ratio",
        "loop_lag_max_ns", "in_flight", "connections_lost", "due", "late", "backlog",
        "schedule_lag_max_ns", "response_p50_ns", "response_p99_ns", "response_p999_ns",
        "response_max_ns"})
    row.add(name);
  for (const record::MetricSeries& series : run.metrics) row.add(metric_column(series));
  return std::move(row).line();
}

void add_latency(Row& row, const analysis::SecondLatency& latency) {
  row.add(latency.p50);
  row.add(latency.p99);
  row.add(latency.p999);
  row.add(latency.max);
}

// Empty cells in closed loop.
void add_schedule(Row& row, const Second& second) {
  const auto& schedule = second.schedule;
  const auto cell = [&](std::uint64_t record::ScheduleHealth::* count) {
    row.add(schedule ? fmt::format("{}", (*schedule).*count) : std::string());
  };
  cell(&record::ScheduleHealth::due);
  cell(&record::ScheduleHealth::late);
  cell(&record::ScheduleHealth::backlog);
  row.add(schedule ? std::optional(schedule->lag_max) : std::nullopt);
  add_latency(row, second.response.value_or(analysis::SecondLatency{}));
}

std::string line(const record::Run& run, const Second& second, const std::string& stage) {
  Row row;
  const Nanos length = second.interval.end - second.interval.begin;
  row.add(seconds_cell(second.interval.begin));
  row.add(record::phase_name(second.interval.phase));
  row.add(stage);
  row.add(seconds_cell(length));
  row.add(second.completed);
  row.add(second.throughput_per_s);
  for (std::size_t i = 0; i < run.header.operations.size(); ++i) {
    row.add(second.counts[i].sent);
    for (const Outcome outcome : record::kOutcomes) row.add(second.counts[i].of(outcome));
    add_latency(row, second.latencies[i]);
  }
  add_latency(row, second.all);
  row.add(second.worker_cpu_max_ratio);
  row.add(second.loop_lag_max);
  row.add(second.in_flight);
  row.add(second.connections_lost);
  add_schedule(row, second);
  const Nanos age_limit = analysis::series_age_limit(run);
  for (const record::MetricSeries& series : run.metrics) {
    const auto point = analysis::point_before(series, second.interval.end, age_limit);
    row.add(point ? std::optional{point->value} : std::nullopt);
  }
  return std::move(row).line();
}

}  // namespace

std::string render_csv(const record::Run& run) {
  std::string text = header(run);
  const std::vector<analysis::Window> stages = analysis::stages_of(run);
  for (const Second& second : analysis::per_second(run)) {
    const auto stage = std::ranges::find_if(stages, [&](const analysis::Window& window) {
      return analysis::is_measured(second.interval, window);
    });
    text += line(run, second, stage == stages.end() ? "" : printable(stage->name, kNameLimit));
  }
  return text;
}

std::string request_csv_header() {
  Row row;
  for (const char* name : {"sent_s", "operation", "outcome", "key", "value_bytes", "service_ns",
                           "response_ns", "worker", "connection"})
    row.add(name);
  return std::move(row).line();
}

std::string request_csv_line(const std::vector<std::string>& operations,
                             const record::RequestRecord& request) {
  Row row;
  row.add(fmt::format("{:.9f}", std::chrono::duration<double>(request.sent).count()));
  row.add(printable(operations.at(request.operation), kNameLimit));
  row.add(record::outcome_name(request.outcome));
  row.add(request.key);
  row.add(request.value_bytes ? fmt::format("{}", *request.value_bytes) : std::string());
  row.add(request.service);
  row.add(request.response);
  row.add(std::uint64_t{request.worker});
  row.add(std::uint64_t{request.connection});
  return std::move(row).line();
}

}  // namespace headroom::report
