// The run second by second, over every phase under load: what pictures, sparklines and exports
// show.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "record/run.h"

namespace headroom::analysis {

// Latencies of one second. A quantile needs its number of samples (analysis/latency.h).
struct SecondLatency {
  std::uint64_t count = 0;
  std::optional<Nanos> p50, p99, p999, max;
};

struct Second {
  record::Interval interval;
  std::vector<record::OperationCounts> counts;  // index = RunHeader::operations
  std::vector<SecondLatency> latencies;         // of completed requests, service; same index
  SecondLatency all;                            // of all operations together
  std::optional<SecondLatency> response;        // the same from the intended time; open loop
  std::uint64_t completed = 0;
  std::optional<double> throughput_per_s;  // absent for an interval without length

  std::optional<double> memory_used_ratio;  // at the second's end, of the fullest primary
  std::optional<double> keys;               // at the second's end
  std::optional<double> evictions_per_s;    // between the samples at its two ends

  std::optional<double> worker_cpu_max_ratio;  // of the busiest worker
  std::optional<Nanos> loop_lag_max;
  std::uint64_t in_flight = 0;
  std::uint64_t connections_lost = 0;
  std::optional<record::ScheduleHealth> schedule;  // of all workers; absent in closed loop
};

// "At the second's end" is the last sample at or before it, if not older than 1.5 sampling
// intervals.
[[nodiscard]] Nanos series_age_limit(const record::Run& run);
[[nodiscard]] std::vector<Second> per_second(const record::Run& run);

}  // namespace headroom::analysis
