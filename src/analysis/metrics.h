// Telemetry over a window: which samples speak for it, differences of counters, ranges of gauges.
//
// A window's begin and end are each represented by the sample nearest in time (the earlier one of
// two equally near), provided it is within kEdgeTolerance sampling intervals. Nothing is
// interpolated: every difference is one that was observed, a count stays a whole number, and rates
// divide by the time between the two samples that were used. The lab samples at the boundaries of
// `measure`, so for that window the shift is a round trip; for any other at most half an interval.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/known.h"
#include "analysis/summary.h"
#include "record/run.h"

namespace headroom::analysis {

inline constexpr double kEdgeTolerance = 2.5;  // sampling intervals; a wider gap is a hole

// The longest gap between samples that is not a hole.
[[nodiscard]] Nanos sample_gap_limit(const record::Run& run);

// The samples from the one nearest to the window's begin to the one nearest to its end: two or
// more. `node`: one of several; else of the target as a whole.
using Points = std::span<const record::Point>;
[[nodiscard]] Known<Points> points_over(const record::Run& run, const Window& window,
                                        std::string_view metric, std::string_view label = "",
                                        std::string_view node = "");

// The growth of a counter over a window. Unknown when it went back inside: what it lost when the
// engine restarted, or its statistics were reset, cannot be told.
struct Growth {
  double value = 0;
  double seconds = 0;  // between the two samples
  [[nodiscard]] double per_second() const { return value / seconds; }
};
[[nodiscard]] Known<Growth> counter_growth(const record::Run& run, const Window& window,
                                           std::string_view metric, std::string_view label = "",
                                           std::string_view node = "");

[[nodiscard]] Known<double> gauge_max(const record::Run& run, const Window& window,
                                      std::string_view metric, std::string_view node = "");
[[nodiscard]] Known<double> gauge_last(const record::Run& run, const Window& window,
                                       std::string_view metric);

// The value that was sampled at exactly this time (samples of one batch share theirs).
[[nodiscard]] std::optional<double> value_at(const record::MetricSeries& series, Nanos time);
// The last sample at or before `time`, if not older than `age_limit`.
[[nodiscard]] std::optional<record::Point> point_before(const record::MetricSeries& series,
                                                        Nanos time, Nanos age_limit);

// Mean of a gauge over time: the trapezoidal rule over its samples. Needs two points.
[[nodiscard]] double time_weighted_mean(std::span<const record::Point> points);

// The nodes by the names that their series have: a single one has none ("").
[[nodiscard]] std::vector<std::string> nodes_of(const record::Run& run);
// Those of them that were primaries when the run began.
[[nodiscard]] std::vector<std::string> primaries_of(const record::Run& run);

// used_memory / maxmemory of one node wherever both were sampled together, over a window.
[[nodiscard]] Known<std::vector<record::Point>> memory_used_ratio(const record::Run& run,
                                                                  const Window& window,
                                                                  std::string_view node);
// The same of the fullest primary at each time.
[[nodiscard]] Known<std::vector<record::Point>> memory_used_ratio(const record::Run& run,
                                                                  const Window& window);

}  // namespace headroom::analysis
