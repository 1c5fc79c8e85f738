// A comparison as JSON: everything of its page, for programs.
// docs/schema/comparison.schema.json describes it to validators.
#pragma once

#include <string>

#include "analysis/comparison.h"

namespace headroom::report {

// Grows when a key changes its meaning or goes away; new keys do not change it.
inline constexpr int kComparisonSchemaVersion = 1;

// Indented, with a final newline.
[[nodiscard]] std::string render_comparison_json(const analysis::Comparison& comparison);

}  // namespace headroom::report
