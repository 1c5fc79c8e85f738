// A comparison as Markdown (CommonMark with tables), for a pull request or a design review.
#pragma once

#include <string>

#include "analysis/comparison.h"

namespace headroom::report {

// Ends with a newline. Foreign text cannot break out of its cell or its line.
[[nodiscard]] std::string render_comparison_markdown(const analysis::Comparison& comparison);

}  // namespace headroom::report
