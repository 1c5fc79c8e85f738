// One side of a comparison: repeated runs of one scenario, and what their figures come to.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/observed_run.h"
#include "base/result.h"

namespace headroom::analysis {

// One figure over the runs of an arm.
struct Spread {
  std::size_t runs = 0;
  // Of every run, or empty: not all are known. In the order of the runs if they come from runs, of
  // a table's extremes ascending.
  std::vector<double> values;
  std::optional<double> min, median, max, mean;

  [[nodiscard]] bool every_run() const { return runs > 0 && values.size() == runs; }
  [[nodiscard]] bool known() const { return min || median || max || mean; }
  // The mean, where it is known; else the median.
  [[nodiscard]] std::optional<double> centre() const { return mean ? mean : median; }
  // Standard deviation / mean; from two runs on.
  [[nodiscard]] std::optional<double> cv() const;
};

[[nodiscard]] Spread spread_of(std::vector<double> values);
// Of a group of `runs` of which only these are stated. Where they leave no choice (two runs with
// their extremes; three with extremes and median or mean) every value is deduced.
[[nodiscard]] Spread spread_of_stated(std::size_t runs, std::optional<double> min,
                                      std::optional<double> median, std::optional<double> max,
                                      std::optional<double> mean);

// What an hour of the node costs. Without any of these a cost says nothing.
struct Price {
  double usd_per_hour = 0;
  std::string region;
  std::string date;    // when it was looked up, YYYY-MM-DD
  std::string source;  // where
};

struct Arm {
  std::string name;
  std::vector<ObservedRun> runs;
  std::map<Figure, Spread> stated;  // of tables that give figures of a group, not of its runs
  std::optional<Price> price;

  [[nodiscard]] std::size_t size() const { return runs.size(); }
  // From the runs if all of them have the figure, else as it was stated. Nothing known: a Spread
  // without numbers.
  [[nodiscard]] Spread spread(Figure figure) const;
  // What all its runs agree on; nullopt if one differs or does not know.
  [[nodiscard]] std::optional<Regime> regime() const;
  [[nodiscard]] std::optional<Limiter> limiter() const;
  [[nodiscard]] std::optional<std::uint64_t> slots() const;
  [[nodiscard]] std::optional<std::string> setting(const std::string& key) const;
};

// Arms by the value of one setting or fact, in the order in which the values first come; named
// "load.pipeline = 4". Fails (kUsage) when a run does not know it.
[[nodiscard]] Result<std::vector<Arm>> arms_by(const std::string& key,
                                               std::vector<ObservedRun> runs);

}  // namespace headroom::analysis
