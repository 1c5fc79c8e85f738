// How an open loop kept its schedule.
#pragma once

#include <optional>

#include "analysis/summary.h"
#include "record/run.h"

namespace headroom::analysis {

// Completed requests / requests due, from which on a run achieved what it was asked for.
inline constexpr double kKeptRate = 0.99;

// Of the window; nullopt in closed loop, and when no worker recorded anything. Lag as a
// distribution is kept per phase, so it speaks for the whole measure phase only.
[[nodiscard]] std::optional<ScheduleSummary> summarize_schedule(const record::Run& run,
                                                                const WindowSummary& measure);

}  // namespace headroom::analysis
