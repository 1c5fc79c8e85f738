// The generator's own state: how busy each worker was, and how unequal.
#pragma once

#include <optional>
#include <vector>

#include "analysis/summary.h"
#include "record/run.h"

namespace headroom::analysis {

// One per worker that recorded anything in the window, by number.
[[nodiscard]] std::vector<WorkerSummary> summarize_workers(const record::Run& run,
                                                           const Window& window);

// (busiest - idlest) / mean of the workers' throughput; nullopt with fewer than two workers.
[[nodiscard]] std::optional<double> worker_skew(const std::vector<WorkerSummary>& workers);

// Requests without a reply at the end of the window's last interval, all workers together.
[[nodiscard]] std::optional<std::uint64_t> in_flight_at_end(const record::Run& run,
                                                            const Window& window);

// Whether engine and generator share a machine, and how busy all its CPUs were together.
[[nodiscard]] bool shares_machine(const record::Run& run);
[[nodiscard]] Known<double> host_cpu_busy(const record::Run& run, const Window& window);

}  // namespace headroom::analysis
