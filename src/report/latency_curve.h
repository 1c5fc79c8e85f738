// The distribution of a histogram as a curve of so many points. Internal to `report`.
#pragma once

#include <string_view>

#include "report/json_value.h"
#include "stats/histogram.h"

namespace headroom::report {

// {"label", "from", "beyond", "ns"}: one request in `beyond` took longer than `ns`. Ends with the
// maximum. The histogram is not empty.
[[nodiscard]] Json curve_json(std::string_view label, std::string_view from,
                              const stats::Histogram& histogram);

}  // namespace headroom::report
