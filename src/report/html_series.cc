#include "report/html_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>

#include "analysis/latency.h"
#include "analysis/metrics.h"
#include "base/text.h"

namespace headroom::report {
namespace {

using analysis::Second;
using record::LatencyKind;
using record::MetricSeries;
using record::Outcome;
using Value = std::optional<double>;

// The lengths that a column may have: those at which a clock has marks.
constexpr std::array<std::size_t, 14> kSteps = {1,   2,   5,   10,    15,    30,    60,
                                                120, 300, 600, 1'800, 3'600, 7'200, 86'400};

// Six significant digits: more than any screen can tell apart.
Json drawn(Value value) {
  if (!value || !std::isfinite(*value)) return {};
  return exact(std::strtod(fmt::format("{:.6g}", *value).c_str(), nullptr));
}

Json axis_second(Nanos time, Nanos origin) {
  return exact(std::strtod(
      fmt::format("{:.3f}", std::chrono::duration<double>(time - origin).count()).c_str(),
      nullptr));
}

double length_s(const record::Interval& interval) {
  return std::chrono::duration<double>(interval.end - interval.begin).count();
}

// One drawn quantity: its value in each column, and the extremes of the column's seconds.
struct Drawn {
  std::vector<Value> value, low, high;
};

// What all quantities are read from.
struct Frame {
  const record::Run& run;
  const std::vector<Column>& columns;
  const std::vector<Second>& seconds;  // index = Run::intervals
  Nanos age_limit;
};

using OfSecond = std::function<Value(std::size_t)>;  // index into Run::intervals
using OfColumn = std::function<Value(const Column&)>;

Drawn draw(const Frame& frame, const OfColumn& of_column, const OfSecond& of_second) {
  Drawn drawn;
  for (const Column& column : frame.columns) {
    drawn.value.push_back(of_column(column));
    Value low, high;
    for (std::size_t i = column.first; i < column.first + column.count; ++i) {
      const Value value = of_second(i);
      if (!value) continue;
      low = low ? std::min(*low, *value) : *value;
      high = high ? std::max(*high, *value) : *value;
    }
    drawn.low.push_back(low);
    drawn.high.push_back(high);
  }
  return drawn;
}

// A quantity that every second has: its mean, or its last value, over the column.
Drawn mean_of(const Frame& frame, const OfSecond& of_second) {
  const auto mean = [&](const Column& column) -> Value {
    double sum = 0;
    double values = 0;
    for (std::size_t i = column.first; i < column.first + column.count; ++i) {
      if (const Value value = of_second(i)) {
        sum += *value;
        ++values;
      }
    }
    return values > 0 ? Value{sum / values} : std::nullopt;
  };
  return draw(frame, mean, of_second);
}

Drawn last_of(const Frame& frame, const OfSecond& of_second) {
  const auto last = [&](const Column& column) {
    return of_second(column.first + column.count - 1);
  };
  return draw(frame, last, of_second);
}

Drawn max_of(const Frame& frame, const OfSecond& of_second) {
  Drawn drawn = draw(frame, [](const Column&) { return std::nullopt; }, of_second);
  drawn.value = drawn.high;
  return drawn;
}

Value point_value(const MetricSeries* series, Nanos time, Nanos age_limit) {
  if (series == nullptr) return std::nullopt;
  const auto point = analysis::point_before(*series, time, age_limit);
  return point ? Value{point->value} : std::nullopt;
}

Drawn gauge(const Frame& frame, const MetricSeries* series) {
  return last_of(frame, [&](std::size_t i) {
    return point_value(series, frame.run.intervals[i].interval.end, frame.age_limit);
  });
}

// How much counters grew together per second between the samples at two times; nothing when one of
// them is missing or went back.
Value growth_rate(const Frame& frame, const std::vector<const MetricSeries*>& counters, Nanos begin,
                  Nanos end) {
  double growth = 0;
  Value seconds;
  for (const MetricSeries* counter : counters) {
    if (counter == nullptr) return std::nullopt;
    const auto before = analysis::point_before(*counter, begin, frame.age_limit);
    const auto after = analysis::point_before(*counter, end, frame.age_limit);
    if (!before || !after || after->time <= before->time || after->value < before->value)
      return std::nullopt;
    growth += after->value - before->value;
    seconds = std::chrono::duration<double>(after->time - before->time).count();
  }
  return seconds ? Value{growth / *seconds} : std::nullopt;
}

Drawn rate(const Frame& frame, const std::vector<const MetricSeries*>& counters) {
  return draw(
      frame,
      [&](const Column& column) { return growth_rate(frame, counters, column.begin, column.end); },
      [&](std::size_t i) {
        const record::Interval& interval = frame.run.intervals[i].interval;
        return growth_rate(frame, counters, interval.begin, interval.end);
      });
}

// The growth of some counters for each unit by which others grew.
Drawn growth_ratio(const Frame& frame, const std::vector<const MetricSeries*>& above,
                   const std::vector<const MetricSeries*>& below, double scale) {
  const auto between = [&](Nanos begin, Nanos end) -> Value {
    const Value numerator = growth_rate(frame, above, begin, end);
    const Value denominator = growth_rate(frame, below, begin, end);
    if (!numerator || !denominator || *denominator <= 0) return std::nullopt;
    return scale * *numerator / *denominator;
  };
  return draw(
      frame, [&](const Column& column) { return between(column.begin, column.end); },
      [&](std::size_t i) {
        const record::Interval& interval = frame.run.intervals[i].interval;
        return between(interval.begin, interval.end);
      });
}

// Named quantities, in the order in which they were added.
class SeriesJson {
 public:
  explicit SeriesJson(bool condensed) : condensed_(condensed) {}

  // A quantity without any value is left out: the page says that it is not there.
  void add(const char* name, const Drawn& quantity) {
    const auto present = [](const Value& value) { return value.has_value(); };
    if (std::ranges::none_of(quantity.value, present)) return;
    Json series;
    series["value"] = list(quantity.value);
    if (condensed_) {
      series["low"] = list(quantity.low);
      series["high"] = list(quantity.high);
    }
    json_[name] = std::move(series);
  }
  [[nodiscard]] Json take() && { return std::move(json_); }

 private:
  static Json list(const std::vector<Value>& values) {
    Json json = Json::array();
    for (const Value& value : values) json.push_back(drawn(value));
    return json;
  }

  bool condensed_;
  Json json_ = Json::object();
};

// --- load ----------------------------------------------------------------------------------------

Value outcomes_per_s(const Frame& frame, std::size_t i, Outcome outcome) {
  const double seconds = length_s(frame.seconds[i].interval);
  if (seconds <= 0) return std::nullopt;
  std::uint64_t count = 0;
  for (const record::OperationCounts& counts : frame.seconds[i].counts) count += counts.of(outcome);
  return static_cast<double>(count) / seconds;
}

void add_load(SeriesJson& json, const Frame& frame) {
  // The rate of a part of a second, at a phase's end, is not comparable with the others.
  json.add("throughput_per_s", mean_of(frame, [&](std::size_t i) -> Value {
             const Second& second = frame.seconds[i];
             const bool whole =
                 second.interval.end - second.interval.begin >= record::kIntervalLength;
             return whole ? second.throughput_per_s : std::nullopt;
           }));
  for (const Outcome outcome :
       {Outcome::kRejected, Outcome::kError, Outcome::kTimeout, Outcome::kLost, Outcome::kUnsent}) {
    const Drawn quantity =
        mean_of(frame, [&](std::size_t i) { return outcomes_per_s(frame, i, outcome); });
    const auto any = [](const Value& value) { return value.value_or(0) > 0; };
    if (std::ranges::any_of(quantity.high, any))
      json.add(fmt::format("{}_per_s", outcome_name(outcome)).c_str(), quantity);
  }
  const auto hit_ratio = [&](std::size_t first, std::size_t count) -> Value {
    std::uint64_t hits = 0;
    std::uint64_t looked_up = 0;
    for (std::size_t i = first; i < first + count; ++i) {
      for (const record::OperationCounts& counts : frame.seconds[i].counts) {
        hits += counts.of(Outcome::kHit);
        looked_up += counts.of(Outcome::kHit) + counts.of(Outcome::kMiss);
      }
    }
    if (looked_up == 0) return std::nullopt;
    return static_cast<double>(hits) / static_cast<double>(looked_up);
  };
  json.add("hit_ratio", draw(
                            frame, [&](const Column& c) { return hit_ratio(c.first, c.count); },
                            [&](std::size_t i) { return hit_ratio(i, 1); }));
}

Value nanos_value(std::optional<Nanos> latency) {
  return latency ? Value{static_cast<double>(latency->count())} : std::nullopt;
}

// Quantiles of each column's merged histogram, for one kind of latency; `of_second` has those of a
// second. Names begin with `prefix`.
void add_latency_kind(SeriesJson& json, const Frame& frame, LatencyKind kind,
                      const std::string& prefix,
                      const std::function<const analysis::SecondLatency*(std::size_t)>& of_second) {
  // A column's histogram is large: made once, read for every quantile, and let go.
  std::vector<analysis::SecondLatency> of_column;
  std::vector<Value> means;
  for (const Column& column : frame.columns) {
    stats::Histogram merged;
    for (std::size_t i = column.first; i < column.first + column.count; ++i) {
      for (const record::LatencySeries& series : frame.run.intervals[i].latencies) {
        if (series.key.kind == kind && is_completed(series.key.outcome))
          merged.merge(series.histogram);
      }
    }
    using analysis::Quantile;
    of_column.push_back({merged.count(), supported_quantile(merged, Quantile::kP50),
                         supported_quantile(merged, Quantile::kP99),
                         supported_quantile(merged, Quantile::kP999), merged.max()});
    means.push_back(merged.mean_ns());
  }
  using analysis::SecondLatency;
  const auto add = [&](const char* name, std::optional<Nanos> SecondLatency::* which) {
    Drawn quantity = draw(
        frame, [](const Column&) { return std::nullopt; },
        [&](std::size_t i) {
          const SecondLatency* const second = of_second(i);
          return second == nullptr ? Value() : nanos_value(second->*which);
        });
    for (std::size_t c = 0; c < of_column.size(); ++c)
      quantity.value[c] = nanos_value(of_column[c].*which);
    json.add((prefix + name).c_str(), quantity);
  };
  add("p50_ns", &SecondLatency::p50);
  add("p99_ns", &SecondLatency::p99);
  add("p999_ns", &SecondLatency::p999);
  add("max_ns", &SecondLatency::max);
  if (kind == LatencyKind::kService) json.add("client_mean_ns", {means, means, means});
}

void add_latency(SeriesJson& json, const Frame& frame) {
  const std::vector<Second>& seconds = frame.seconds;
  add_latency_kind(json, frame, LatencyKind::kService, "",
                   [&](std::size_t i) { return &seconds[i].all; });
  const auto open = [](const Second& second) { return second.response.has_value(); };
  if (std::ranges::none_of(seconds, open)) return;
  add_latency_kind(json, frame, LatencyKind::kResponse, "response_", [&](std::size_t i) {
    return seconds[i].response ? &*seconds[i].response : nullptr;
  });
}

// How an open loop kept its schedule; nothing in closed loop.
void add_schedule(SeriesJson& json, const Frame& frame) {
  const auto add = [&](const char* name, auto join, auto read) {
    json.add(name, join(frame, [&](std::size_t i) -> Value {
               const auto& schedule = frame.seconds[i].schedule;
               return schedule ? read(*schedule, frame.seconds[i]) : std::nullopt;
             }));
  };
  using record::ScheduleHealth;
  add("asked_per_s", mean_of, [](const ScheduleHealth& schedule, const Second& second) -> Value {
    const double seconds = length_s(second.interval);
    const bool whole = second.interval.end - second.interval.begin >= record::kIntervalLength;
    return whole ? Value{static_cast<double>(schedule.due) / seconds} : std::nullopt;
  });
  add("backlog", last_of, [](const ScheduleHealth& schedule, const Second&) -> Value {
    return static_cast<double>(schedule.backlog);
  });
  add("schedule_lag_max_ns", max_of,
      [](const ScheduleHealth& schedule, const Second&) { return nanos_value(schedule.lag_max); });
}

// --- engine and node -----------------------------------------------------------------------------

void add_engine(SeriesJson& json, const Frame& frame) {
  const auto find = [&](std::string_view name) { return frame.run.find_metric(name); };
  const auto first_of = [&](std::string_view name, std::string_view instead) {
    const MetricSeries* series = find(name);
    return series != nullptr ? series : find(instead);
  };
  json.add("memory_used_ratio",
           last_of(frame, [&](std::size_t i) { return frame.seconds[i].memory_used_ratio; }));
  json.add("keys", last_of(frame, [&](std::size_t i) { return frame.seconds[i].keys; }));
  json.add("evictions_per_s", rate(frame, {find("Evictions")}));
  json.add("expired_per_s", rate(frame, {find("Reclaimed")}));

  json.add("engine_cpu_main_thread_ratio",
           rate(frame, {first_of("used_cpu_user_main_thread_seconds",
                                 "process_main_thread_cpu_user_seconds"),
                        first_of("used_cpu_sys_main_thread_seconds",
                                 "process_main_thread_cpu_system_seconds")}));
  json.add("engine_cpu_process_ratio",
           rate(frame, {first_of("used_cpu_user_seconds", "process_cpu_user_seconds"),
                        first_of("used_cpu_sys_seconds", "process_cpu_system_seconds")}));
  json.add("host_cpu_busy_ratio", growth_ratio(frame, {find("host_cpu_busy_seconds")},
                                               {find("host_cpu_total_seconds")}, 1));

  json.add("used_bytes", gauge(frame, find("BytesUsedForCache")));
  json.add("dataset_bytes", gauge(frame, find("used_memory_dataset")));
  json.add("rss_bytes", gauge(frame, first_of("process_rss_bytes", "used_memory_rss")));
  json.add("swap_bytes", gauge(frame, find("process_swap_bytes")));
  const Drawn limit = gauge(frame, find("maxmemory"));
  const auto limited = [](const Value& value) { return value.value_or(0) > 0; };
  if (std::ranges::any_of(limit.value, limited)) json.add("maxmemory_bytes", limit);
  json.add("fragmentation_ratio", gauge(frame, find("MemoryFragmentationRatio")));

  json.add("net_input_bytes_per_s", rate(frame, {find("total_net_input_bytes")}));
  json.add("net_output_bytes_per_s", rate(frame, {find("total_net_output_bytes")}));

  // How long the engine itself took for the commands of the load, beside what the client saw.
  std::vector<const MetricSeries*> calls;
  std::vector<const MetricSeries*> microseconds;
  for (const std::string& operation : frame.run.header.operations) {
    const std::string name = lower(operation);
    calls.push_back(frame.run.find_metric("command_calls", name));
    microseconds.push_back(frame.run.find_metric("command_usec", name));
  }
  json.add("engine_mean_ns", growth_ratio(frame, microseconds, calls, 1'000));
}

// --- generator -----------------------------------------------------------------------------------

// The workers' own figures of one recording interval.
struct Spread {
  double low = 0;
  double sum = 0;
  double high = 0;
  double workers = 0;
  void add(double value) {
    low = workers == 0 ? value : std::min(low, value);
    high = workers == 0 ? value : std::max(high, value);
    sum += value;
    ++workers;
  }
};

void add_spread(SeriesJson& json, const Frame& frame, const std::string& name,
                const std::vector<Spread>& spreads) {
  const auto of = [&](const auto& read) {
    return mean_of(frame, [&](std::size_t i) -> Value {
      if (spreads[i].workers == 0) return std::nullopt;
      return read(spreads[i]);
    });
  };
  json.add(("worker_" + name + "_lowest").c_str(), of([](const Spread& s) { return s.low; }));
  json.add(("worker_" + name + "_mean").c_str(),
           of([](const Spread& s) { return s.sum / s.workers; }));
  json.add(("worker_" + name + "_highest").c_str(), of([](const Spread& s) { return s.high; }));
}

void add_generator(SeriesJson& json, const Frame& frame) {
  std::map<std::pair<record::Phase, Nanos>, std::size_t> index;
  for (std::size_t i = 0; i < frame.seconds.size(); ++i)
    index[{frame.seconds[i].interval.phase, frame.seconds[i].interval.begin}] = i;
  std::vector<Spread> throughput(frame.seconds.size());
  std::vector<Spread> cpu(frame.seconds.size());
  for (const record::WorkerCounts& worker : frame.run.workers) {
    const auto found = index.find({worker.interval.phase, worker.interval.begin});
    const double seconds = length_s(worker.interval);
    // As for the throughput of all, only whole seconds can be compared.
    if (found == index.end() ||
        worker.interval.end - worker.interval.begin < record::kIntervalLength)
      continue;
    double completed = 0;
    for (const record::OperationCounts& counts : worker.counts)
      completed += static_cast<double>(counts.completed());
    throughput[found->second].add(completed / seconds);
    cpu[found->second].add(static_cast<double>(worker.health.cpu.count()) / 1e9 / seconds);
  }
  add_spread(json, frame, "throughput_per_s", throughput);
  add_spread(json, frame, "cpu_ratio", cpu);
  json.add("loop_lag_max_ns", max_of(frame, [&](std::size_t i) {
             return nanos_value(frame.seconds[i].loop_lag_max);
           }));
  json.add("in_flight", last_of(frame, [&](std::size_t i) -> Value {
             return static_cast<double>(frame.seconds[i].in_flight);
           }));
}

}  // namespace

std::vector<Column> make_columns(const record::Run& run, const analysis::Summary& summary,
                                 std::size_t max_columns) {
  const auto wanted = (run.intervals.size() + max_columns - 1) / max_columns;
  const auto found = std::ranges::lower_bound(kSteps, wanted);
  const auto step = static_cast<std::int64_t>(found == kSteps.end() ? wanted : *found);
  std::vector<Column> columns;
  std::int64_t group = -1;
  for (std::size_t i = 0; i < run.intervals.size(); ++i) {
    const record::Interval& interval = run.intervals[i].interval;
    if (interval.end - interval.begin < kShortestDrawn) continue;
    if (!summary.complete && interval.phase == record::Phase::kMeasure &&
        interval.end > summary.measure.window.end)
      continue;
    const std::int64_t own_group = interval.index / step;
    const bool joins = !columns.empty() && columns.back().phase == interval.phase &&
                       group == own_group && columns.back().first + columns.back().count == i;
    if (!joins) columns.push_back({i, 0, interval.phase, interval.begin, interval.end});
    group = own_group;
    ++columns.back().count;
    columns.back().end = interval.end;
  }
  return columns;
}

Json columns_json(const record::Run& run, const std::vector<Column>& columns, Nanos origin) {
  const std::vector<Second> seconds = analysis::per_second(run);
  const Frame frame{run, columns, seconds, analysis::series_age_limit(run)};
  std::size_t step = 1;
  Json json;
  Json begins = Json::array();
  Json ends = Json::array();
  Json phases = Json::array();
  for (const Column& column : columns) {
    step = std::max(step, column.count);
    begins.push_back(axis_second(column.begin, origin));
    ends.push_back(axis_second(column.end, origin));
    phases.push_back(record::phase_name(column.phase));
  }
  json["step_s"] = step;
  json["begin_s"] = std::move(begins);
  json["end_s"] = std::move(ends);
  json["phase"] = std::move(phases);
  SeriesJson series(step > 1);
  add_load(series, frame);
  add_latency(series, frame);
  add_engine(series, frame);
  add_schedule(series, frame);
  add_generator(series, frame);
  json["series"] = std::move(series).take();
  return json;
}

}  // namespace headroom::report
