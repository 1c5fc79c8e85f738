#include "scenario/expected_figure.h"

#include <array>
#include <charconv>

#include "base/text.h"
#include "base/units.h"

namespace headroom::scenario {
namespace {

using enum ExpectedUnit;
using enum FigureScope;

// clang-format off
constexpr std::array kFigures = {
    ExpectedFigure{"throughput", "throughput_per_s", kRate, kWindow,
                   "completed requests per second"},
    ExpectedFigure{"peak_minute_throughput", "peak_minute_throughput_per_s", kRate, kWindow,
                   "throughput of the best full minute"},
    ExpectedFigure{"peak_second_throughput", "peak_second_throughput_per_s", kRate, kWindow,
                   "throughput of the best full second"},
    ExpectedFigure{"throughput_cv_per_minute", "throughput_cv_per_minute_ratio", kRatio, kWindow,
                   "standard deviation of per-minute throughput / its mean"},
    ExpectedFigure{"throughput_cv_per_second", "throughput_cv_per_second_ratio", kRatio, kWindow,
                   "standard deviation of per-second throughput / its mean"},
    ExpectedFigure{"completed", "completed", kCount, kWindow,
                   "requests with a good reply (hit, miss or ok)"},
    ExpectedFigure{"latency.mean", "latencies[].mean_ns", kDuration, kOperations,
                   "mean latency, from the request's own send"},
    ExpectedFigure{"latency.min", "latencies[].min_ns", kDuration, kOperations,
                   "shortest latency"},
    ExpectedFigure{"latency.p50", "latencies[].p50_ns", kDuration, kOperations,
                   "median latency"},
    ExpectedFigure{"latency.p90", "latencies[].p90_ns", kDuration, kOperations,
                   "latency that 90 % do not exceed"},
    ExpectedFigure{"latency.p99", "latencies[].p99_ns", kDuration, kOperations,
                   "latency that 99 % do not exceed"},
    ExpectedFigure{"latency.p99.9", "latencies[].p999_ns", kDuration, kOperations,
                   "latency that 99.9 % do not exceed", "latency.p999"},
    ExpectedFigure{"latency.p99.99", "latencies[].p9999_ns", kDuration, kOperations,
                   "latency that 99.99 % do not exceed", "latency.p9999"},
    ExpectedFigure{"latency.max", "latencies[].max_ns", kDuration, kOperations,
                   "longest latency"},
    ExpectedFigure{"response.mean", "latencies[].mean_ns", kDuration, kOperations,
                   "mean latency from the intended time", "", true},
    ExpectedFigure{"response.p50", "latencies[].p50_ns", kDuration, kOperations,
                   "median latency from the intended time", "", true},
    ExpectedFigure{"response.p90", "latencies[].p90_ns", kDuration, kOperations,
                   "90 % do not exceed it, from the intended time", "", true},
    ExpectedFigure{"response.p99", "latencies[].p99_ns", kDuration, kOperations,
                   "99 % do not exceed it, from the intended time", "", true},
    ExpectedFigure{"response.p99.9", "latencies[].p999_ns", kDuration, kOperations,
                   "99.9 % do not exceed it, from the intended time", "response.p999", true},
    ExpectedFigure{"response.p99.99", "latencies[].p9999_ns", kDuration, kOperations,
                   "99.99 % do not exceed it, from the intended time", "response.p9999", true},
    ExpectedFigure{"response.max", "latencies[].max_ns", kDuration, kOperations,
                   "longest latency from the intended time", "", true},
    ExpectedFigure{"count", "outcomes", kCount, kOutcomes,
                   "requests that ended so"},
    ExpectedFigure{"ratio", "outcomes", kShare, kOutcomes,
                   "requests that ended so / all that ended"},
    ExpectedFigure{"hit_ratio", "hit_ratio_client", kShare, kWindow,
                   "hits / (hits + misses), from the replies"},
    ExpectedFigure{"hit_ratio_engine", "hit_ratio_engine", kShare, kWindow,
                   "hits / (hits + misses), as the engine counts them"},
    ExpectedFigure{"memory_used_max", "memory_used_max_ratio", kRatio, kWindow,
                   "largest used memory / maxmemory"},
    ExpectedFigure{"memory_used_mean", "memory_used_mean_ratio", kRatio, kWindow,
                   "mean over time of used memory / maxmemory"},
    ExpectedFigure{"evictions", "evictions", kCount, kWindow,
                   "keys that the engine evicted"},
    ExpectedFigure{"expired", "expired", kCount, kWindow,
                   "keys that expired"},
    ExpectedFigure{"engine_cpu_main_thread", "engine_cpu_main_thread_ratio", kRatio, kWindow,
                   "CPU seconds per second of the engine's main thread"},
    ExpectedFigure{"engine_cpu_process", "engine_cpu_process_ratio", kRatio, kWindow,
                   "CPU seconds per second of the whole engine"},
    ExpectedFigure{"in_flight_mean", "in_flight_mean", kNumber, kWindow,
                   "requests in flight by Little's law"},
    ExpectedFigure{"memory.headroom", "memory.headroom_ratio", kRatio, kRun,
                   "1 - largest used memory / maxmemory", "headroom"},
    ExpectedFigure{"memory.first_eviction", "memory.first_eviction_ns", kDuration, kRun,
                   "from the begin of measure to the first eviction", "first_eviction"},
    ExpectedFigure{"memory.peak_keys", "memory.peak_keys", kCount, kRun,
                   "largest number of keys"},
    ExpectedFigure{"memory.per_key", "memory.per_key_bytes", kBytes, kRun,
                   "used memory above that of the empty engine / keys"},
    ExpectedFigure{"memory.used_max", "memory.used_max_bytes", kBytes, kRun,
                   "largest used memory"},
    ExpectedFigure{"memory.rss_max", "memory.rss_max_bytes", kBytes, kRun,
                   "largest resident memory of the engine"},
    ExpectedFigure{"memory.swap_max", "memory.swap_max_bytes", kBytes, kRun,
                   "most memory that was swapped out"},
    ExpectedFigure{"memory.fragmentation", "memory.fragmentation_ratio", kNumber, kRun,
                   "resident / used memory, at the end"},
    ExpectedFigure{"node.cpu", "node.cpu_ratio", kRatio, kRun,
                   "CPU seconds per second of a node with a CPU quota"},
    ExpectedFigure{"node.held", "node.held_ratio", kShare, kRun,
                   "share of the time in which the quota held the node"},
    ExpectedFigure{"node.credits_last", "node.credits_last", kNumber, kRun,
                   "CPU credits left at the end"},
    ExpectedFigure{"generator.worker_skew", "generator.worker_skew_ratio", kRatio, kRun,
                   "(busiest - idlest) / mean throughput of the workers"},
    ExpectedFigure{"generator.host_cpu_busy", "generator.host_cpu_busy_ratio", kShare, kRun,
                   "of all CPUs of the engine's machine"},
    ExpectedFigure{"connections.lost", "connections.lost", kCount, kRun,
                   "connections that broke"},
    ExpectedFigure{"connections.refused", "connections.refused", kCount, kRun,
                   "attempts to connect that failed"},
    ExpectedFigure{"schedule.late", "schedule.late", kCount, kRun,
                   "requests that were sent late", "", true},
    ExpectedFigure{"schedule.unsent", "schedule.unsent", kCount, kRun,
                   "requests that were due and never sent", "", true},
    ExpectedFigure{"schedule.backlog_max", "schedule.backlog_max", kCount, kRun,
                   "most requests that were due and not sent", "", true},
    ExpectedFigure{"schedule.lag_p99", "schedule.lag_p99_ns", kDuration, kRun,
                   "from intended time to send, which 99 % do not exceed", "", true},
    ExpectedFigure{"schedule.lag_max", "schedule.lag_max_ns", kDuration, kRun,
                   "longest from intended time to send", "", true},
    ExpectedFigure{"warnings", "warnings", kCount, kRun,
                   "reasons to doubt the run"},
};
// clang-format on

// How much of `path` the name takes at its end, after a dot or all of it.
bool ends_with_name(std::string_view path, std::string_view name) {
  if (name.empty() || !path.ends_with(name)) return false;
  return path.size() == name.size() || path[path.size() - name.size() - 1] == '.';
}

Result<double> read_decimal(std::string_view text, std::string_view shown, ExpectedUnit unit) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, std::chars_format::fixed);
  constexpr double kHighest = 1e15;
  if (error != std::errc{} || stop != end || !(value >= 0 && value <= kHighest)) {
    return fail(ErrorKind::kUsage, "\"{}\" is no value for it; give {}", printable(shown, 80),
                wanted(unit));
  }
  return value;
}

Result<double> read_share(std::string_view text, ExpectedUnit unit) {
  std::string_view number = text;
  const bool percent = number.ends_with('%');
  if (percent) number = trim(number.substr(0, number.size() - 1));
  const Result<double> value = read_decimal(number, text, unit);
  if (!value) return value;
  const double ratio = percent ? *value / 100 : *value;
  if (unit == kShare && ratio > 1) {
    return fail(ErrorKind::kUsage, "{} is above the range; give {}", printable(text, 80),
                wanted(unit));
  }
  return ratio;
}

Result<double> read_rate(std::string_view text) {
  std::string_view number = text;
  if (number.ends_with("/s")) number = trim(number.substr(0, number.size() - 2));
  double factor = 1;
  if (number.ends_with('k')) factor = 1e3;
  if (number.ends_with('M')) factor = 1e6;
  if (factor > 1) number = trim(number.substr(0, number.size() - 1));
  return read_decimal(number, text, kRate).map([&](double value) { return value * factor; });
}

// What a parser of base makes of it.
template <class Number>
Result<double> read_by(Result<Number> (*parse)(std::string_view), std::string_view text,
                       ExpectedUnit unit) {
  const Result<Number> value = parse(text);
  if (!value) {
    return fail(ErrorKind::kUsage, "{}; give {}", value.error().message, wanted(unit));
  }
  if constexpr (std::is_same_v<Number, Nanos>)
    return static_cast<double>(value->count());
  else
    return static_cast<double>(*value);
}

}  // namespace

std::span<const ExpectedFigure> expected_figures() { return kFigures; }

const ExpectedFigure* find_expected_figure(std::string_view& path) {
  const ExpectedFigure* found = nullptr;
  std::size_t taken = 0;
  for (const ExpectedFigure& figure : kFigures) {
    for (const std::string_view name : {figure.name, figure.json, figure.alias}) {
      if (name.size() <= taken || !ends_with_name(path, name)) continue;
      found = &figure;
      taken = name.size();
    }
  }
  if (found != nullptr) {
    path.remove_suffix(taken);
    if (path.ends_with('.')) path.remove_suffix(1);
  }
  return found;
}

std::string_view wanted(ExpectedUnit unit) {
  switch (unit) {
    case kRate:
      return "a rate such as \"50k/s\"";
    case kShare:
      return "a share such as \"95%\", or 0.95, of at most 1";
    case kRatio:
      return "a ratio such as \"95%\" or 0.95";
    case kNumber:
      return "a number such as \"1.5\"";
    case kDuration:
      return "a duration such as \"1ms\"";
    case kBytes:
      return "a size such as \"64MiB\"";
    case kCount:
      return "a count such as \"0\"";
  }
  return "";
}

Result<double> read_expected_value(ExpectedUnit unit, std::string_view text) {
  switch (unit) {
    case kRate:
      return read_rate(text);
    case kShare:
    case kRatio:
      return read_share(text, unit);
    case kNumber:
      return read_decimal(text, text, unit);
    case kDuration:
      return read_by(&parse_duration, text, unit);
    case kBytes:
      return read_by(&parse_bytes, text, unit);
    case kCount:
      return read_by(&parse_count, text, unit);
  }
  return fail(ErrorKind::kInternal, "a figure has no unit");
}

}  // namespace headroom::scenario
