// What a figure of an expectation comes to in a run. Internal to `analysis`.
#pragma once

#include <string>

#include "analysis/known.h"
#include "analysis/summary.h"
#include "scenario/expectation.h"

namespace headroom::analysis {

// The window's numbers, or why the run has none.
[[nodiscard]] Known<const WindowSummary*> find_window(const Summary& summary,
                                                      scenario::ExpectedWindow window);

// The value, or why it is n/a. The expectation was parsed.
[[nodiscard]] Known<double> expected_value(const scenario::Expectation& expectation,
                                           const Summary& summary);

}  // namespace headroom::analysis
