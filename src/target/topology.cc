#include "target/topology.h"

#include <fmt/format.h>

#include "base/check.h"

namespace headroom::target {
namespace {

std::string label_of(const scenario::Target& target, std::uint32_t shard, std::uint32_t replica) {
  const bool alone = !target.shards && target.replicas == 0;
  if (alone) return {};
  const std::string role =
      replica == 0 ? std::string("primary") : fmt::format("replica {}", replica);
  return target.shards ? fmt::format("shard {} {}", shard, role) : role;
}

}  // namespace

std::vector<Place> places_of(const scenario::Target& target) {
  const std::uint32_t shards = target.shards.value_or(1);
  std::vector<Place> places;
  for (std::uint32_t shard = 1; shard <= shards; ++shard)
    places.push_back({shard, 0, shard - 1, label_of(target, shard, 0)});
  for (std::uint32_t shard = 1; shard <= shards; ++shard) {
    for (std::uint32_t replica = 1; replica <= target.replicas; ++replica)
      places.push_back({shard, replica, shard - 1, label_of(target, shard, replica)});
  }
  return places;
}

SlotRange slots_of(std::uint32_t shard, std::uint32_t shards) {
  check(shard >= 1 && shard <= shards && shards <= kSlots, "a shard of the cluster");
  return {kSlots * (shard - 1) / shards, kSlots * shard / shards - 1};
}

}  // namespace headroom::target
