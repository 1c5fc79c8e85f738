// A run that goes, for Prometheus: counters and gauges in the text format of OpenMetrics 1.0
// (github.com/prometheus/OpenMetrics, specification/OpenMetrics.md).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/run.h"

namespace headroom::serve {

// What is exported, added up from what a run leaves. Counts begin with the load, prefill and
// warm-up included: a scraper takes differences. Not thread-safe.
class RunTotals {
 public:
  void begin(const record::RunHeader& header);
  void add(const record::MergedInterval& interval);
  void add(const record::WorkerCounts& counts);
  void add(const record::SampleBatch& batch);
  void phase_began(record::Phase phase) { phase_ = phase; }
  void ended() { phase_.reset(); }

  // The whole exposition, with its "# EOF".
  [[nodiscard]] std::string text() const;

 private:
  struct Latency {
    std::vector<std::uint64_t> buckets;  // as the bounds in the source, and one above them
    std::uint64_t count = 0;
    double sum_ns = 0;
  };
  struct Worker {
    double cpu_s = 0;
    Nanos loop_lag_max{0};  // of its last interval
    std::uint64_t in_flight = 0;
    std::optional<std::uint64_t> backlog;  // of its last interval; absent in closed loop
    std::uint64_t opened = 0;
    std::uint64_t lost = 0;
  };

  void add_requests(std::string& text) const;
  void add_latencies(std::string& text) const;
  void add_workers(std::string& text) const;
  void add_engine(std::string& text) const;

  std::string run_id_;
  std::string scenario_;
  std::string tool_version_;
  std::vector<std::string> operations_;
  std::optional<record::Phase> phase_;
  std::vector<record::OperationCounts> counts_;  // index = operations_
  std::map<record::LatencyKey, Latency> latencies_;
  std::map<std::uint32_t, Worker> workers_;
  std::map<std::string, double> engine_;  // the last value of each exported metric of telemetry
};

}  // namespace headroom::serve
