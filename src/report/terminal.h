// A run as a page of plain text, 80 columns wide: the closing table of `headroom run` and the whole
// of `headroom report FILE`.
//
// Order: what was run and whether it can be trusted, the verdicts, warnings with their next steps,
// then the numbers. All text from outside (replies, names, labels) is shown through printable().
#pragma once

#include <string>

#include "analysis/summary.h"
#include "record/run.h"
#include "report/source.h"

namespace headroom::report {

struct TerminalOptions {
  bool colour = false;  // escape sequences for emphasis; they never carry meaning alone
};

// Ends with a newline. `summary` is analysis::summarize(run).
[[nodiscard]] std::string render_terminal(const record::Run& run, const analysis::Summary& summary,
                                          const Source& source, const TerminalOptions& options);

}  // namespace headroom::report
