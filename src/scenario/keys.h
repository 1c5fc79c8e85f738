// How large "auto" makes the key space.
#pragma once

#include <cstdint>

#include "base/result.h"

namespace headroom::scenario {

struct KeySpace {
  std::uint64_t per_worker = 0;
  std::uint64_t total = 0;  // per_worker * workers
  friend bool operator==(const KeySpace&, const KeySpace&) = default;
};

// The memory of the whole node that an engine with this maxmemory stands for: maxmemory / 0.75,
// rounded down. ElastiCache reserves 25 % of a node by default and gives the engine the rest.
[[nodiscard]] std::uint64_t implied_node_memory_bytes(std::uint64_t maxmemory_bytes);

// floor(node_memory_bytes * 0.85 / (value_bytes + 70)), divided evenly between the workers: each
// has the same whole number of keys and what is left over is not used. 70 bytes stand for the key
// and the engine's overhead of an entry, as in the published runs; the true cost is higher, so a
// full key space does not fit into maxmemory and a run that writes all of it reaches the memory
// cliff. Fails (kUsage) when there is less than one key for each worker. workers > 0.
[[nodiscard]] Result<KeySpace> resolve_keys(std::uint64_t value_bytes,
                                            std::uint64_t node_memory_bytes, std::uint32_t workers);

}  // namespace headroom::scenario
