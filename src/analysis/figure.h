// The figures that runs are compared by: each has a name for files, one for people, and a unit.
//
// Definitions stand in docs/MEASUREMENT.md; docs/RUN_SUMMARIES.md has the same list.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace headroom::analysis {

enum class Figure {
  kThroughput,
  kThroughputCv,
  kPeakThroughput,
  kLatencyMean,
  kLatencyP50,
  kLatencyP99,
  kLatencyP999,
  kLatencyP99OfMinuteAverages,
  kMemoryUsedMax,
  kMemoryUsedMean,
  kHeadroom,
  kEngineCpuMean,
  kEngineCpuMax,
  kOpsPerCpuSecond,
  kPeakKeys,
  kBytesPerKey,
  kEvictions,
  kFirstEviction,
  kHitRatio,
  kCpuCreditMin,
};

enum class FigureUnit { kPerSecond, kRatio, kNanoseconds, kSeconds, kCount, kBytes };
enum class Better { kHigher, kLower, kNeither };

struct FigureInfo {
  Figure figure;
  std::string_view key;    // "throughput_per_s"
  std::string_view label;  // "throughput"
  FigureUnit unit;
  Better better;
  std::string_view meaning;  // one clause
};
[[nodiscard]] std::span<const FigureInfo> figure_catalogue();
[[nodiscard]] const FigureInfo& figure_info(Figure figure);
[[nodiscard]] std::optional<Figure> figure_by_key(std::string_view key);

// "48,891 /s", "370 us", "27.1 %", "5,582,547"
[[nodiscard]] std::string figure_text(Figure figure, double value);

}  // namespace headroom::analysis
