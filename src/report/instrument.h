// `headroom check`: what was measured of the instrument and what follows from it, as a page for
// people and as JSON for programs (docs/CHECK.md, docs/schema/check.schema.json).
#pragma once

#include <string>

#include "analysis/instrument.h"
#include "report/terminal.h"

namespace headroom::report {

// Grows when a key changes its meaning or goes away; new keys do not change it.
inline constexpr int kCheckSchemaVersion = 1;

// 80 columns, ends with a newline. `verdict` is analysis::judge_instrument(check).
[[nodiscard]] std::string render_check_terminal(const analysis::InstrumentCheck& check,
                                                const analysis::InstrumentVerdict& verdict,
                                                const TerminalOptions& options);
// Indented, with a final newline.
[[nodiscard]] std::string render_check_json(const analysis::InstrumentCheck& check,
                                            const analysis::InstrumentVerdict& verdict);

}  // namespace headroom::report
