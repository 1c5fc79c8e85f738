// The summary as a JSON value: what render_json() writes and the HTML page carries, so that both
// show the same figures. Internal to `report`.
#pragma once

#include "analysis/summary.h"
#include "record/run.h"
#include "report/json_value.h"
#include "report/source.h"

namespace headroom::report {

[[nodiscard]] Json summary_json(const record::Run& run, const analysis::Summary& summary,
                                const Source& source);

}  // namespace headroom::report
