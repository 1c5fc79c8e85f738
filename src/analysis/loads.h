// What each of a run's several loads did by itself, and what its stages did one by one.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/summary.h"
#include "record/run.h"
#include "scenario/loads.h"

namespace headroom::analysis {

// The run as if this load had been all of it: its workers and operations, numbered from 0 and under
// their own names, without what the engine tells, which is about all loads together.
[[nodiscard]] record::Run run_of_load(const record::Run& run, const scenario::NamedLoad& load);

// Over a window of measure; empty if the run has one load. Reasons for what is missing go under
// "loads[NAME]".
[[nodiscard]] std::vector<LoadSummary> summarize_loads(const record::Run& run, const Window& window,
                                                       Reasons& reasons);

// The windows that stages make of `measure`, as far as it was measured; empty if there are none.
// Reasons go under "stages[NAME]".
[[nodiscard]] std::vector<StageSummary> summarize_stages(const record::Run& run,
                                                         const Window& measure, Reasons& reasons);

// The stages of a run in run time, without what lies between them.
[[nodiscard]] std::vector<Window> stages_of(const record::Run& run);

// What may be in flight, over the mean of measure: stages may use more or fewer connections. Of
// fill tasks only what a closed loop may have counts.
[[nodiscard]] std::uint64_t mean_slots(const scenario::Scenario& scenario,
                                       const scenario::NamedLoad& load);

}  // namespace headroom::analysis
