// Groups of runs as they were read from a table, as a page of plain text: what is known of each,
// and what is not.
#pragma once

#include <span>
#include <string>

#include "analysis/arm.h"
#include "report/terminal.h"

namespace headroom::report {

[[nodiscard]] std::string render_arms_terminal(std::span<const analysis::Arm> arms,
                                               const TerminalOptions& options);

}  // namespace headroom::report
