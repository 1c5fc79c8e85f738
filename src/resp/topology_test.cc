#include "resp/topology.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headroom::resp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ReplyTree integer(std::int64_t value) { return {ReplyTree::Kind::kInteger, "", value, 0, {}}; }
ReplyTree text(std::string value) { return {ReplyTree::Kind::kString, std::move(value), 0, 0, {}}; }
ReplyTree array(std::vector<ReplyTree> items) {
  return {ReplyTree::Kind::kArray, "", 0, 0, std::move(items)};
}

ReplyTree node(std::string endpoint, std::int64_t port, std::string role,
               std::string health = "online") {
  return array({text("id"), text("0000"), text("port"), integer(port), text("tls-port"),
                integer(port + 1000), text("ip"), text("10.0.0.9"), text("endpoint"),
                text(std::move(endpoint)), text("role"), text(std::move(role)),
                text("replication-offset"), integer(72156), text("health"),
                text(std::move(health))});
}
ReplyTree shard(std::vector<ReplyTree> slots, std::vector<ReplyTree> nodes) {
  return array({text("slots"), array(std::move(slots)), text("nodes"), array(std::move(nodes))});
}

Result<Topology> from_shards(std::vector<ReplyTree> shards, bool tls = false) {
  return Topology::from_shards(array(std::move(shards)), {"127.0.0.1", tls});
}

std::string error_of(const Result<Topology>& topology) {
  return topology ? "no error" : topology.error().message;
}

TEST(Topology, IsReadFromShards) {
  const auto topology = from_shards(
      {shard({integer(0), integer(8191), integer(9000), integer(9000)},
             {node("127.0.0.1", 7001, "replica"), node("127.0.0.1", 7000, "master")}),
       shard({integer(8192), integer(8999)},
             {node("127.0.0.1", 7002, "master", "fail"), node("127.0.0.1", 7003, "master"),
              node("127.0.0.1", 7004, "replica", "loading")}),
       shard({}, {node("127.0.0.1", 7009, "master")})});
  ASSERT_TRUE(topology) << topology.error().message;
  ASSERT_EQ(topology->shards().size(), 2U) << "a shard without slots serves nothing";
  EXPECT_EQ(topology->shards()[0].primary.port, 7000);
  ASSERT_EQ(topology->shards()[0].replicas.size(), 1U);
  EXPECT_EQ(topology->shards()[0].replicas[0].port, 7001);
  EXPECT_EQ(topology->shards()[1].primary.port, 7003) << "not the one that failed";
  EXPECT_TRUE(topology->shards()[1].replicas.empty()) << "a replica that loads serves nothing";
  EXPECT_EQ(topology->shard_of(0), 0U);
  EXPECT_EQ(topology->shard_of(8191), 0U);
  EXPECT_EQ(topology->shard_of(8192), 1U);
  EXPECT_EQ(topology->shard_of(9000), 0U);
  EXPECT_EQ(topology->shard_of(9001), std::nullopt);
  EXPECT_EQ(topology->covered(), 9001U);
}

TEST(Topology, TakesTheTlsPortsAndTheHostThatWasAsked) {
  const auto topology =
      from_shards({shard({integer(0), integer(16383)}, {node("?", 7000, "master")})}, true);
  ASSERT_TRUE(topology) << topology.error().message;
  EXPECT_EQ(topology->shards()[0].primary.text(), "127.0.0.1:8000");
  EXPECT_EQ(topology->covered(), kSlots);
}

TEST(Topology, IsReadFromMapsToo) {
  ReplyTree as_map = shard({integer(0), integer(16383)}, {node("::1", 7000, "master")});
  as_map.kind = ReplyTree::Kind::kMap;
  as_map.items[3].items[0].kind = ReplyTree::Kind::kMap;
  const auto topology = from_shards({as_map});
  ASSERT_TRUE(topology) << topology.error().message;
  EXPECT_EQ(topology->shards()[0].primary.text(), "[::1]:7000");
}

TEST(Topology, IsReadFromSlots) {
  const auto range = [](std::int64_t first, std::int64_t last, std::vector<std::int64_t> ports) {
    std::vector<ReplyTree> items = {integer(first), integer(last)};
    for (const std::int64_t port : ports)
      items.push_back(array({text("127.0.0.1"), integer(port), text("id"), array({})}));
    return array(std::move(items));
  };
  const auto topology = Topology::from_slots(
      array({range(0, 99, {7000, 7003}), range(100, 16382, {7001}), range(16383, 16383, {7000})}),
      {"127.0.0.1", false});
  ASSERT_TRUE(topology) << topology.error().message;
  ASSERT_EQ(topology->shards().size(), 2U);
  EXPECT_THAT(topology->shards()[0].slots, ElementsAre(SlotRange{0, 99}, SlotRange{16383, 16383}));
  EXPECT_EQ(topology->shards()[0].replicas.at(0).port, 7003);
  EXPECT_EQ(topology->covered(), kSlots);
}

TEST(Topology, RefusesWhatContradictsItself) {
  const auto primary = [] { return std::vector<ReplyTree>{node("h", 7000, "master")}; };
  EXPECT_THAT(error_of(from_shards({shard({integer(0), integer(9)}, primary()),
                                    shard({integer(9), integer(10)}, primary())})),
              HasSubstr("slot 9 is served twice"));
  EXPECT_THAT(error_of(from_shards({shard({integer(3), integer(2)}, primary())})),
              HasSubstr("the slots are the integer 3 to the integer 2"));
  EXPECT_THAT(error_of(from_shards({shard({integer(0), integer(16384)}, primary())})),
              HasSubstr("malformed"));
  EXPECT_THAT(error_of(from_shards({shard({integer(0)}, primary())})), HasSubstr("no pairs"));
  EXPECT_THAT(error_of(from_shards({shard({integer(0), integer(1)}, {})})),
              HasSubstr("has no primary"));
  EXPECT_THAT(error_of(from_shards({shard({integer(0), integer(1)}, {node("h", 0, "master")})})),
              HasSubstr("a node's port is"));
  EXPECT_THAT(error_of(from_shards({array({text("slots")})})), HasSubstr("a shard is"));
  EXPECT_THAT(error_of(Topology::from_slots(text("OK"), {})), HasSubstr("malformed"));
  EXPECT_THAT(error_of(Topology::from_slots(array({array({integer(0), integer(5)})}), {})),
              HasSubstr("a range of slots is"));
}

}  // namespace
}  // namespace headroom::resp
