#include "target/topology.h"

#include <gtest/gtest.h>

namespace headroom::target {
namespace {

scenario::Target target(std::optional<std::uint32_t> shards, std::uint32_t replicas) {
  scenario::Target target;
  target.shards = shards;
  target.replicas = replicas;
  return target;
}

TEST(Topology, OneEngineNeedsNoLabel) {
  const auto places = places_of(target({}, 0));
  ASSERT_EQ(places.size(), 1U);
  EXPECT_EQ(places[0].label, "");
  EXPECT_EQ(places[0].role(), record::MemberRole::kPrimary);
}

TEST(Topology, AClusterOfOneShardHasALabel) {
  EXPECT_EQ(places_of(target(1, 0)).at(0).label, "shard 1 primary");
}

TEST(Topology, ReplicasFollowTheirPrimary) {
  const auto places = places_of(target({}, 2));
  ASSERT_EQ(places.size(), 3U);
  EXPECT_EQ(places[0].label, "primary");
  EXPECT_EQ(places[2].label, "replica 2");
  EXPECT_EQ(places[2].primary, 0U);
  EXPECT_EQ(places[2].role(), record::MemberRole::kReplica);
}

TEST(Topology, PrimariesOfAllShardsComeBeforeAnyReplica) {
  const auto places = places_of(target(3, 2));
  ASSERT_EQ(places.size(), 9U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(places[i].replica, 0U);
  EXPECT_EQ(places[8].label, "shard 3 replica 2");
  EXPECT_EQ(places[8].shard, 3U);
  EXPECT_EQ(places[8].primary, 2U);
}

TEST(Topology, SlotsAreDividedEvenlyAndCompletely) {
  for (std::uint32_t shards = 1; shards <= 16; ++shards) {
    std::uint32_t next = 0;
    for (std::uint32_t shard = 1; shard <= shards; ++shard) {
      const SlotRange range = slots_of(shard, shards);
      EXPECT_EQ(range.first, next);
      const std::uint32_t length = range.last - range.first + 1;
      EXPECT_GE(length, kSlots / shards);
      EXPECT_LE(length, kSlots / shards + 1);
      next = range.last + 1;
    }
    EXPECT_EQ(next, kSlots);
  }
}

}  // namespace
}  // namespace headroom::target
