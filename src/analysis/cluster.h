// What came of a cluster's nodes in the measure window, and how long slots were without service.
#pragma once

#include "analysis/summary.h"
#include "record/run.h"

namespace headroom::analysis {

// nullopt: the target is no cluster, or nothing was measured.
//
// Outages of different workers that overlap and are about one node are one outage: from the first
// failure that any of them saw to the moment when the last of them had a good reply. It counts if
// any of it lies inside the window.
[[nodiscard]] std::optional<ClusterSummary> summarize_cluster(const record::Run& run,
                                                              const Window& window);

}  // namespace headroom::analysis
