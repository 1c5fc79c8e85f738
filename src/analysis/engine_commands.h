// How long the engine itself took for the load's commands, beside what the clients saw.
#pragma once

#include <vector>

#include "analysis/summary.h"
#include "record/run.h"

namespace headroom::analysis {

// Of every command that the load asked for (conservation), by name, over the window. The mean is
// from commandstats: time to execute, without waiting, reading or writing. Quantiles are from
// LATENCY HISTOGRAM, whose buckets double: the bucket's end, so the truth is between that and half
// of it. Of several nodes, over all primaries.
[[nodiscard]] std::vector<EngineCommand> summarize_engine_commands(const record::Run& run,
                                                                   const Summary& summary);

}  // namespace headroom::analysis
