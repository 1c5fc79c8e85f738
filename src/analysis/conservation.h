// Whether every request is accounted for: the client against itself, and against the engine.
#pragma once

#include "analysis/summary.h"
#include "record/run.h"

namespace headroom::analysis {

// Over the whole run. The engine is asked only where nobody else sends to it (a local node) and
// samples exist from before the load and from after its end; it agrees when, for every command of
// the operations,
//   sent - uncertain <= calls + rejected calls <= sent
// where what had no reply is uncertain, as it may or may not have reached it, and what stood in a
// transaction that failed. That is equality when all went well. Commands that Headroom itself sends
// (PING, INFO) are not asked about, and no command is where a script may call others.
[[nodiscard]] Conservation check_conservation(const record::Run& run, Reasons& reasons);

}  // namespace headroom::analysis
