#include "analysis/figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/prose.h"
#include "base/units.h"

namespace headroom::analysis {
namespace {

using enum FigureUnit;
constexpr std::array kFigures = {
    FigureInfo{Figure::kThroughput, "throughput_per_s", "throughput", kPerSecond, Better::kHigher,
               "completed requests per second over the window"},
    FigureInfo{Figure::kThroughputCv, "throughput_cv_ratio", "throughput CV", kRatio,
               Better::kLower, "standard deviation of per-minute throughput / its mean"},
    FigureInfo{Figure::kPeakThroughput, "peak_throughput_per_s", "peak throughput", kPerSecond,
               Better::kHigher, "throughput of the best full minute"},
    FigureInfo{Figure::kLatencyMean, "latency_mean_ns", "mean latency", kNanoseconds,
               Better::kLower, "mean latency of all completed requests"},
    FigureInfo{Figure::kLatencyP50, "latency_p50_ns", "p50 latency", kNanoseconds, Better::kLower,
               "quantile of the latencies of all completed requests"},
    FigureInfo{Figure::kLatencyP99, "latency_p99_ns", "p99 latency", kNanoseconds, Better::kLower,
               "quantile of the latencies of all completed requests"},
    FigureInfo{Figure::kLatencyP999, "latency_p999_ns", "p99.9 latency", kNanoseconds,
               Better::kLower, "quantile of the latencies of all completed requests"},
    FigureInfo{Figure::kLatencyP99OfMinuteAverages, "latency_p99_of_minute_averages_ns",
               "p99 of minute averages", kNanoseconds, Better::kLower,
               "quantile of per-minute mean latencies, as some reports print it; never compared "
               "with a quantile of requests"},
    FigureInfo{Figure::kMemoryUsedMax, "memory_used_max_ratio", "largest memory used", kRatio,
               Better::kNeither, "largest used memory / maxmemory"},
    FigureInfo{Figure::kMemoryUsedMean, "memory_used_mean_ratio", "mean memory used", kRatio,
               Better::kNeither, "mean over time of used memory / maxmemory"},
    FigureInfo{Figure::kHeadroom, "headroom_ratio", "headroom", kRatio, Better::kHigher,
               "1 - largest memory used"},
    FigureInfo{Figure::kEngineCpuMean, "engine_cpu_mean_ratio", "mean engine CPU", kRatio,
               Better::kNeither, "of one CPU, by the engine's main thread, over the window"},
    FigureInfo{Figure::kEngineCpuMax, "engine_cpu_max_ratio", "peak engine CPU", kRatio,
               Better::kNeither, "of one CPU, by the engine's main thread, in its busiest minute"},
    FigureInfo{Figure::kOpsPerCpuSecond, "ops_per_engine_cpu_s", "operations per CPU second",
               kCount, Better::kHigher, "throughput / mean engine CPU"},
    FigureInfo{Figure::kPeakKeys, "peak_keys", "peak keys", kCount, Better::kNeither,
               "largest number of keys"},
    FigureInfo{Figure::kBytesPerKey, "per_key_bytes", "bytes per key", kBytes, Better::kLower,
               "used memory above that of the empty engine / keys"},
    FigureInfo{Figure::kEvictions, "evictions", "evictions", kCount, Better::kLower,
               "keys evicted in the window"},
    FigureInfo{Figure::kFirstEviction, "first_eviction_s", "first eviction", kSeconds,
               Better::kHigher, "seconds from the window's begin to the first eviction"},
    FigureInfo{Figure::kHitRatio, "hit_ratio", "hit ratio", kRatio, Better::kHigher,
               "hits / (hits + misses)"},
    FigureInfo{Figure::kCpuCreditMin, "cpu_credit_balance_min", "lowest CPU credit balance", kCount,
               Better::kHigher, "lowest burst credit balance of the node"},
};

}  // namespace

std::span<const FigureInfo> figure_catalogue() { return kFigures; }

const FigureInfo& figure_info(Figure figure) {
  return kFigures.at(static_cast<std::size_t>(figure));
}

std::optional<Figure> figure_by_key(std::string_view key) {
  const auto* found = std::ranges::find(kFigures, key, &FigureInfo::key);
  return found == kFigures.end() ? std::nullopt : std::optional(found->figure);
}

std::string figure_text(Figure figure, double value) {
  constexpr double kLargestCount = 9e18;
  const bool whole = value >= 100 && value < kLargestCount;
  const auto number = [&] {
    if (whole || (value >= 0 && value == std::floor(value)))
      return grouped(static_cast<std::uint64_t>(std::llround(value)));
    return fmt::format("{:.3g}", value);
  };
  switch (figure_info(figure).unit) {
    case kPerSecond:
      return number() + " /s";
    case kRatio:
      return percent(value);
    case kNanoseconds:
      return human_duration(Nanos{std::llround(value)});
    case kSeconds:
      return fmt::format("{:.1f} s", value);
    case kBytes:
      return fmt::format("{:.1f} B", value);
    case kCount:
      return number();
  }
  return number();
}

}  // namespace headroom::analysis
