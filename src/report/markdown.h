// A run as a Markdown document, for a wiki or a merge request: the words and figures of the
// terminal page.
#pragma once

#include <string>
#include <string_view>

#include "analysis/summary.h"
#include "record/run.h"
#include "report/source.h"

namespace headroom::report {

// `summary` is analysis::summarize(run). Foreign text cannot become markup.
[[nodiscard]] std::string render_markdown(const record::Run& run, const analysis::Summary& summary,
                                          const Source& source);

// Whether a text is a document of ours, by its first bytes.
[[nodiscard]] bool is_markdown_report(std::string_view text);

}  // namespace headroom::report
