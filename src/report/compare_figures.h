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
// "p 0.0079, adjusted 0.016", "separated", "overlapping": how two arms differ in a figure.
[[nodiscard]] std::string contrast_text(const analysis::Contrast& contrast);
// "two runs of A, three of B"; the page's title.
[[nodiscard]] std::string comparison_title(const analysis::Comparison& comparison);
// The claims with this verdict, in order.
[[nodiscard]] std::vector<const analysis::Claim*> claims_with(
    const analysis::Comparison& comparison, analysis::Verdict verdict);

}  // namespace headroom::report
