// The first words of every report: what was run against what, how it ended, what came of it. The
// terminal page, the HTML page and a list of runs say the same. Everything is printable().
#pragma once

#include <string>
#include <utility>

#include "analysis/summary.h"
#include "record/run.h"
#include "report/page.h"
#include "report/source.h"

namespace headroom::report {

// A fact of the run, cut to a line; empty if it was not recorded.
[[nodiscard]] std::string fact(const record::Run& run, const std::string& key);

// "local valkey 9.1.2, maxmemory 64 MiB, allkeys-lru"
[[nodiscard]] std::string target_text(const record::Run& run);
// "3 workers x 2 connections, pipeline 1, 1024-byte values, SET:GET 1:10"
[[nodiscard]] std::string load_text(const scenario::Scenario& scenario);
// "measured 40 s", or why nothing was.
[[nodiscard]] std::string measured_text(const analysis::Summary& summary);
// How the run ended and whether its file is what was sealed.
[[nodiscard]] std::pair<std::string, Tone> state_text(const record::Run& run, const Source& source);

// What a run without an end may have left behind. Its engine was to be ended by the kernel with
// Headroom itself, but nobody was there to see it.
[[nodiscard]] std::string left_behind(const record::Run& run);

// The verdict in a handful of words: "Full after 20 s: evictions began". The evidence of the regime
// says the rest.
[[nodiscard]] std::string headline(const analysis::Summary& summary);
[[nodiscard]] Tone regime_tone(const analysis::Summary& summary);

}  // namespace headroom::report
