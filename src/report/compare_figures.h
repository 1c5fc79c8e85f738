// Which figures a comparison shows, and how. Internal to `report`.
#pragma once

#include <string>
#include <vector>

#include "analysis/comparison.h"

namespace headroom::report {

// Those that any arm knows, in the order of the catalogue.
[[nodiscard]] std::vector<analysis::Figure> shown_figures(const analysis::Comparison& comparison);
// "n/a" where it is not known.
[[nodiscard]] std::string figure_cell(analysis::Figure figure, std::optional<double> value);
// "separated, ratio 3.258 (2.185 to 4.911), p 0.0079, adjusted 0.016": how two arms differ.
[[nodiscard]] std::string contrast_text(const analysis::Contrast& contrast);
// "A (5 runs) against B (5 runs)"
[[nodiscard]] std::string comparison_title(const analysis::Comparison& comparison);
// The claims with this verdict, in order.
[[nodiscard]] std::vector<const analysis::Claim*> claims_with(
    const analysis::Comparison& comparison, analysis::Verdict verdict);

// How many runs meet a condition that was asked of all.
struct ExpectationCount {
  std::string condition;
  std::size_t runs = 0;
  std::size_t met = 0;
  std::vector<std::string> unmet;  // "run-3.run: latency.p99 < 1ms: it is 1.23 ms (...)"
};
[[nodiscard]] std::vector<ExpectationCount> count_expectations(
    const analysis::Comparison& comparison);

}  // namespace headroom::report
