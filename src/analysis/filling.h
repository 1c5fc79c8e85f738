// Whether the node was still filling when the window closed: what headroom is worth then.
#pragma once

#include <optional>

#include "analysis/summary.h"
#include "record/run.h"

namespace headroom::analysis {

// A pace counts from this share on: what another window of the same length would add, beside what
// is there. Buffers of clients and the engine's own tables stay below it.
inline constexpr double kGrowthWorthNaming = 0.01;
// Of the key space; the last keys of a random choice take for ever.
inline constexpr double kAllKeysWritten = 0.999;

struct Filling {
  double used_bytes = 0;            // at the window's end
  double bytes_per_s = 0;           // pace at the window's end
  std::optional<double> keys;       // at the window's end
  std::optional<double> key_space;  // the fact workload.keys
  // At this pace; nullopt when all keys are written before memory is full, or memory stood still.
  std::optional<double> seconds_to_full;
};

// Pace is the difference of the means of the last tenth of the window's samples and of the tenth
// before (two samples each at least, of fewer than four their first and last), over the time
// between them. The node is filling if its keys grow and are fewer than the key space, or if its
// memory grows, unless all keys of the key space are written. nullopt: it is not, or cannot be
// told.
[[nodiscard]] std::optional<Filling> still_filling(const record::Run& run, const Window& window);

}  // namespace headroom::analysis
