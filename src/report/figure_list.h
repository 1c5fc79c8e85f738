// The figures that an expectation may be about: for the terminal, and as the table of
// docs/EXPECTATIONS.md.
#pragma once

#include <string>

#include "analysis/summary.h"

namespace headroom::report {

[[nodiscard]] std::string render_figure_list();
// With the values that a run has over measure; those of operations and outcomes, too.
[[nodiscard]] std::string render_figure_list(const analysis::Summary& summary);
[[nodiscard]] std::string figure_list_markdown();

}  // namespace headroom::report
