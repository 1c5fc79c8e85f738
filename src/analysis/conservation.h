// Whether every request is accounted for: the client against itself, and against the engine.
#pragma once

#include "analysis/summary.h"
#include "record/run.h"

namespace headroom::analysis {

// Over the whole run. The engine is asked only where nobody else sends to it (a local node) and
// samples exist from before the load and from after its end; it agrees when, for every operation,
//   sent - unanswered <= calls + rejected calls <= sent
// (what had no reply may or may not have reached it), which is equality when all were answered.
[[nodiscard]] Conservation check_conservation(const record::Run& run, Reasons& reasons);

}  // namespace headroom::analysis
