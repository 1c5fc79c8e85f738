// A comparison as a page of plain text, 80 columns wide: what was compared and whether it may be,
// every run's value, the claims by verdict, and where the comparison stops.
#pragma once

#include <string>

#include "analysis/comparison.h"
#include "report/terminal.h"

namespace headroom::report {

// Ends with a newline. All text from outside is shown through printable().
[[nodiscard]] std::string render_comparison_terminal(const analysis::Comparison& comparison,
                                                     const TerminalOptions& options);

}  // namespace headroom::report
