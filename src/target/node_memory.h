// How much memory a whole node has, when only the engine's limit is known.
#pragma once

#include <cstdint>
#include <optional>

namespace headroom::target {

// maxmemory / 0.75: ElastiCache keeps a quarter of a node for itself (reserved-memory-percent = 25)
// and gives the engine the rest, and key spaces are sized from the whole node.
[[nodiscard]] constexpr std::optional<std::uint64_t> implied_node_memory(
    std::optional<std::uint64_t> maxmemory_bytes) {
  if (!maxmemory_bytes) return std::nullopt;
  // x + x / 3 is x / 0.75 without a product that could overflow.
  return *maxmemory_bytes + *maxmemory_bytes / 3;
}

}  // namespace headroom::target
