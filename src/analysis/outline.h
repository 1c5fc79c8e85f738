// A run's course in a hundred points: what a comparison draws of it, small enough to be kept of a
// hundred runs.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "analysis/summary.h"
#include "record/run.h"
#include "stats/histogram.h"

namespace headroom::analysis {

inline constexpr std::size_t kOutlinePoints = 120;

struct Outline {
  double step_s = 1;  // of a point but the last
  // By point, from the begin of measure: over whole seconds, latencies merged, memory at the end.
  std::vector<std::optional<double>> throughput_per_s;
  std::vector<std::optional<double>> p99_ns;
  std::vector<std::optional<double>> memory_ratio;
  std::optional<double> first_eviction_s;

  [[nodiscard]] bool empty() const { return throughput_per_s.empty(); }
};

// Of the measure window, and the service latency of all its completed requests: both need every
// histogram of the window, which are merged once. Without the latencies of single seconds
// (store::Detail) the outline has none, and the others are those of the whole phase.
struct Course {
  Outline outline;
  stats::Histogram latency;
};
[[nodiscard]] Course course_of(const record::Run& run, const Summary& summary);

}  // namespace headroom::analysis
