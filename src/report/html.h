// A run as one HTML page that needs nothing but itself: no network, no other file. Made from the
// template that web/ builds (web/dist/report.html, embedded by CMake) and one block of JSON.
//
// The figures are those of render_json(): the page carries the same summary. What it draws is
// condensed to at most kMaxColumns columns of time (report/html_series.h), so that the page of an
// hour stays below 1 MB; the run file has every second.
#pragma once

#include <string>
#include <string_view>

#include "analysis/summary.h"
#include "record/run.h"
#include "report/source.h"

namespace headroom::report {

// `summary` is analysis::summarize(run). Texts of the run (names, replies, scenario) reach the page
// only as JSON strings in which no markup can begin, and the page shows them as text.
[[nodiscard]] std::string render_html(const record::Run& run, const analysis::Summary& summary,
                                      const Source& source);

// Whether a text is a page of render_html(), by its first bytes.
[[nodiscard]] bool is_html_report(std::string_view text);

// web/dist/report.html, byte for byte.
[[nodiscard]] std::string_view html_template();

}  // namespace headroom::report
