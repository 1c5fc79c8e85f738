// Memory and keys of the node over the measure window, and when it began to evict.
#pragma once

#include <optional>

#include "analysis/summary.h"
#include "record/run.h"

namespace headroom::analysis {

// When evictions began inside a window.
struct Onset {
  Nanos last_without{0};  // run time of the last sample before any eviction of the window
  Nanos first_with{0};    // and of the first sample after
  bool at_start = false;  // already the first sample after the window's begin showed evictions
};
// nullopt: no eviction in the window. Unknown: it cannot be told.
[[nodiscard]] Known<std::optional<Onset>> eviction_onset(const record::Run& run,
                                                         const Window& window);

// Keys evicted between the run's first sample and the window's begin.
[[nodiscard]] Known<double> evicted_before(const record::Run& run, const Window& window);

// Bytes per key = (used_memory - baseline) / keys, at the sample in the window with most keys. The
// baseline is used_memory at the run's first sample with no key. Buffers of clients
// and of replication (mem_clients_normal, mem_replication_buffers, where told) are taken off both:
// connections opened in between are no data.
// With few keys the engine's own growth would be larger than theirs: kFewestKeys are needed.
inline constexpr double kFewestKeys = 1'000;
[[nodiscard]] Known<double> bytes_per_key(const record::Run& run, const Window& window);

// Fills everything of the summary that is about memory, keys and the onset of evictions.
void add_memory(Summary& summary, const record::Run& run);

// Splits a boundary run's measure window at the onset. Both windows consist of whole intervals; the
// interval or two in which evictions began (telemetry cannot say when exactly) belong to neither.
void add_boundary_windows(Summary& summary, const record::Run& run, const Onset& onset);

}  // namespace headroom::analysis
