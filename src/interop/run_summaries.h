// Results of other tools and of old reports, as a plain table that `headroom compare` takes beside
// run files. docs/RUN_SUMMARIES.md describes it, docs/schema/run_summaries.schema.json for
// validators.
#pragma once

#include <string_view>
#include <vector>

#include "analysis/arm.h"
#include "base/result.h"

namespace headroom::interop {

// One arm for each group of the table, in its order. What the table does not state stays unknown.
// Scenario keys are checked and brought to their canonical text. Takes any text as possibly
// hostile; errors (kUsage) name `file` and the place in it.
[[nodiscard]] Result<std::vector<analysis::Arm>> read_run_summaries(std::string_view json,
                                                                    std::string_view file);

}  // namespace headroom::interop
