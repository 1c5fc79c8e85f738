// A latency quantile of several runs together, and how much it would differ with other runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "stats/histogram.h"
#include "stats/shift.h"

namespace headroom::stats {

// The histograms of an arm's runs, none of them empty, ready to be merged in any mixture: a
// resample of runs with their multiplicities costs a binary search instead of a merge.
class RunMixture {
 public:
  explicit RunMixture(std::span<const Histogram> runs);
  [[nodiscard]] std::size_t runs() const { return cumulative_.size(); }
  // Quantile in nanoseconds of the merge in which run i comes times[i] times; not all zero.
  [[nodiscard]] double quantile(double q, std::span<const std::uint64_t> times) const;

 private:
  std::vector<double> values_;                          // midpoints of all buckets, ascending
  std::vector<std::vector<std::uint64_t>> cumulative_;  // by run, up to and including a bucket
};

// quantile(to) / quantile(from), each of the merge of all runs of its arm. The interval resamples
// whole runs (the unit that repeats: requests of one run are not independent), 1,000 times with
// `seed`; absent with fewer than kFewestForBootstrap runs in an arm, the value with none.
[[nodiscard]] std::optional<Estimate> ratio_of_merged_quantiles(const RunMixture& from,
                                                                const RunMixture& to, double q,
                                                                std::uint64_t seed);

}  // namespace headroom::stats
