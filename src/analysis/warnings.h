// Doubts about a run that its numbers alone reveal.
#pragma once

#include <vector>

#include "analysis/summary.h"
#include "record/run.h"

namespace headroom::analysis {

// The run's own warnings, then those found here, each kind found at most once and only if the run
// did not already carry it. A run that measured nothing has only its own and the account's: how it
// ended says the rest. Needs everything else of the summary.
[[nodiscard]] std::vector<Doubt> collect_warnings(const Summary& summary, const record::Run& run);

}  // namespace headroom::analysis
