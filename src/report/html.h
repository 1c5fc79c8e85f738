// A run as one HTML page that needs nothing but itself: no network, no other file. Made from the
// template that web/ builds (web/dist/report.html, embedded by CMake) and one block of JSON.
//
// The figures are those of render_json(): the page carries the same summary. What it draws is
// condensed to at most kMaxColumns columns of time (report/html_series.h), so that the page of an
// hour stays below 1 MB; the run file has every second.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analysis/summary.h"
#include "base/clock.h"
#include "record/run.h"
#include "report/source.h"

namespace headroom::report {

// Where a page that a server shows leads to, as paths of that server. A page in a file leads
// nowhere.
struct Served {
  std::string list = {};    // of all runs; empty: there is none
  std::string events = {};  // of a run that still goes: its stream of page_data(); empty: none
  std::string phase = {};   // in which such a run is
  std::optional<Nanos> left = std::nullopt;  // until the phase's end, where time decides that
};

// `summary` is analysis::summarize(run). Texts of the run (names, replies, scenario) reach the page
// only as JSON strings in which no markup can begin, and the page shows them as text.
[[nodiscard]] std::string render_html(const record::Run& run, const analysis::Summary& summary,
                                      const Source& source, const Served& served = {});

// The block of JSON that the page is made from, in one line.
[[nodiscard]] std::string page_data(const record::Run& run, const analysis::Summary& summary,
                                    const Source& source, const Served& served = {});

// The page made from such a block; `grows`: it may ask its server for more.
[[nodiscard]] std::string page_of(std::string_view data, bool grows);

// Whether a text is a page of ours (of a run, of a group), by its first bytes.
[[nodiscard]] bool is_html_report(std::string_view text);

// web/dist/report.html, byte for byte.
[[nodiscard]] std::string_view html_template();

}  // namespace headroom::report
