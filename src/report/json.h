// A run as JSON: everything of the terminal page and more, for programs. docs/SUMMARY_JSON.md
// explains it, docs/schema/summary.schema.json describes it to validators.
//
// Every key with a unit ends in it (_ns, _per_s, _bytes, _ratio, _s). What is not known is null,
// with its reason under "not_available". Numbers are rounded to 10 significant digits.
#pragma once

#include <string>

#include "analysis/summary.h"
#include "record/run.h"
#include "report/source.h"

namespace headroom::report {

// Grows when a key changes its meaning or goes away; new keys do not change it.
inline constexpr int kSummarySchemaVersion = 1;
inline constexpr int kSeriesSchemaVersion = 1;

// The summary, indented, with a final newline.
[[nodiscard]] std::string render_json(const record::Run& run, const analysis::Summary& summary,
                                      const Source& source);

// The run second by second, the events and every metric as it was sampled.
[[nodiscard]] std::string render_series_json(const record::Run& run);

}  // namespace headroom::report
