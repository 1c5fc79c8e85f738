// The connections of a run: how many, and how long it took to open them.
#pragma once

#include "analysis/summary.h"
#include "record/run.h"

namespace headroom::analysis {

// Over the whole run, connect phase included; quantiles as those of latencies, with a reason under
// "connections[STEP].pXX" for each that has too few.
[[nodiscard]] ConnectionsSummary summarize_connections(const record::Run& run, Reasons& reasons);

// "connect", "TLS handshake", "greeting"; ", again" of connections that were opened again.
[[nodiscard]] std::string connect_label(const record::ConnectKey& key);

}  // namespace headroom::analysis
