// A run, or several, in the shape of memtier_benchmark's --json-out-file (format version 2), for
// scripts that read that. docs/BENCH.md says what each number is, and what is null. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "record/run.h"

namespace headroom::interop {

// `percentiles` in percent. One run stands under "ALL STATS"; of several, the one with the highest
// and the one with the lowest throughput under "BEST RUN RESULTS" and "WORST RUN RESULTS". Averages
// over runs, which would be averages of percentiles, are not given.
[[nodiscard]] std::string render_memtier_json(std::span<const record::Run> runs,
                                              const std::vector<double>& percentiles);

}  // namespace headroom::interop
