// A comparison as a JSON value: what render_comparison_json() writes and the HTML page carries, so
// that both show the same. Internal to `report`.
#pragma once

#include "analysis/comparison.h"
#include "report/json_value.h"

namespace headroom::report {

[[nodiscard]] Json comparison_json(const analysis::Comparison& comparison);

}  // namespace headroom::report
