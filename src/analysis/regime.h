// Which regime the node was in: headroom, boundary, saturated or rejecting.
#pragma once

#include "analysis/summary.h"
#include "record/run.h"

namespace headroom::analysis {

// Memory at or above this share of maxmemory is full, for telling "evicting from the start" from
// "began to evict again": an evicting engine hovers just below its limit.
inline constexpr double kFullMemoryRatio = 0.99;

// Needs Summary::measure. In this order:
//   rejecting  any OOM reply in the window (the client's own evidence, needs no telemetry)
//   saturated  evicting from the window's start: its first sample already shows evictions, or the
//              engine had evicted before it in this run and was full at its begin
//   boundary   evictions began inside the window
//   headroom   no eviction, and memory stayed below maxmemory; the evidence says if it was still
//              growing (analysis/filling.h)
// Cannot tell: without samples, without a maxmemory, or when memory reached maxmemory and nothing
// was evicted or refused.
[[nodiscard]] RegimeVerdict judge_regime(const Summary& summary, const record::Run& run);

}  // namespace headroom::analysis
