// The run second by second as a table (RFC 4180): one row for each interval of every phase under
// load.
#pragma once

#include <string>
#include <vector>

#include "record/run.h"

namespace headroom::report {

// Columns: time and phase, counts per operation and outcome, throughput, latencies per operation,
// the generator, then every engine and node metric under its own name (with its label in braces). A
// cell is empty where there is no value. A metric's cell is its last sample at or before the row's
// end, if not older than 1.5 sampling intervals; counters are given as they stand, cumulative.
[[nodiscard]] std::string render_csv(const record::Run& run);

// The log of single requests: its header, and a line for each (both with their line end).
[[nodiscard]] std::string request_csv_header();
[[nodiscard]] std::string request_csv_line(const std::vector<std::string>& operations,
                                           const record::RequestRecord& request);

}  // namespace headroom::report
