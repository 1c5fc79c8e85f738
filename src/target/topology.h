// Which engines a local target consists of, and what each is. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "record/member.h"
#include "scenario/scenario.h"

namespace headroom::target {

// The place of one engine among all.
struct Place {
  std::uint32_t shard = 1;    // from 1
  std::uint32_t replica = 0;  // of its shard, from 1; 0: the primary
  std::size_t primary = 0;    // where its shard's primary stands in places_of()
  std::string label;          // "shard 2 replica 1", "primary"; empty: there is only this engine

  [[nodiscard]] record::MemberRole role() const {
    return replica == 0 ? record::MemberRole::kPrimary : record::MemberRole::kReplica;
  }
};

// All primaries by shard, then all replicas: the order in which they are started.
[[nodiscard]] std::vector<Place> places_of(const scenario::Target& target);

// A cluster's slots are 0 to 16383; each shard has a run of them, no two of which differ in length
// by more than one.
inline constexpr std::uint32_t kSlots = 16384;
struct SlotRange {
  std::uint32_t first = 0;
  std::uint32_t last = 0;  // belongs to it
};
// `shard` from 1 to `shards`.
[[nodiscard]] SlotRange slots_of(std::uint32_t shard, std::uint32_t shards);

}  // namespace headroom::target
