// Merges what the workers report, each on its own, into one interval of all workers; and keeps each
// worker's histograms over the phase that goes on. Pure and exact: histograms are added, never
// averaged.
//
// Not thread-safe. Memory is bounded by workers x histograms, not by the run's length, as long as
// the workers' reports arrive within a few intervals of one another.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "record/load.h"
#include "record/run.h"

namespace headroom::lab {

class IntervalMerger {
 public:
  explicit IntervalMerger(std::uint32_t workers) : workers_(workers) {}

  // Takes one report in and returns the intervals that are complete by it, in order of time.
  [[nodiscard]] std::vector<record::MergedInterval> add(const record::WorkerInterval& report);

  // Ends what is open: intervals to which some workers never contributed (one that wrote its share
  // of the prefill sooner, for instance), in order of time.
  [[nodiscard]] std::vector<record::MergedInterval> flush_intervals();

  // What was kept of single requests of measure, over all workers, since the last call.
  [[nodiscard]] std::vector<record::SplitSeries> take_splits();
  [[nodiscard]] std::vector<record::RequestRecord> take_slowest();
  // The workers' histograms over each phase since the last call, by phase and worker.
  [[nodiscard]] std::vector<record::WorkerWindow> take_windows();

 private:
  using IntervalId = std::pair<record::Phase, std::int64_t>;

  std::uint32_t workers_;
  std::map<IntervalId, record::MergedInterval> open_;
  std::map<std::pair<record::Phase, std::uint32_t>, record::WorkerWindow> windows_;
  std::map<record::SplitKey, stats::Histogram> splits_;
  std::vector<record::RequestRecord> slowest_;
};

}  // namespace headroom::lab
