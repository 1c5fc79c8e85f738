// A comparison as one HTML page that needs nothing but itself, of the same template as the page of
// a run (report/html.h): claims with their evidence, every run in a strip plot, latency by
// percentile, the courses of the runs over one another, and where the comparison stops.
#pragma once

#include <string>

#include "analysis/comparison.h"

namespace headroom::report {

// The page carries the document of render_comparison_json(). Foreign texts reach it only as JSON
// strings in which no markup can begin, and it shows them as text.
[[nodiscard]] std::string render_comparison_html(const analysis::Comparison& comparison);

}  // namespace headroom::report
