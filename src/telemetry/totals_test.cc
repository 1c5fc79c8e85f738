#include "telemetry/totals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headroom::telemetry {
namespace {

using record::metric;
using testing::ElementsAre;
using testing::IsEmpty;

NodeReading reading(std::uint32_t shard, bool is_primary, double keys) {
  return {shard, is_primary, {{metric("CurrItems"), "", keys}}};
}

TEST(Totals, SumThePrimariesAndNotTheirReplicas) {
  const std::vector<NodeReading> readings = {reading(1, true, 5), reading(2, true, 7),
                                             reading(1, false, 5)};
  EXPECT_EQ(value_of(totals(readings, 2), "CurrItems"), 12);
  EXPECT_EQ(glance_of(readings, 2).keys, 12);
}

TEST(Totals, AreAbsentWhileAShardHasNoPrimaryOrTwo) {
  EXPECT_THAT(totals(std::vector{reading(1, true, 5)}, 2), IsEmpty());
  EXPECT_THAT(totals(std::vector{reading(1, true, 5), reading(2, false, 5)}, 2), IsEmpty());
  EXPECT_THAT(totals(std::vector{reading(1, true, 5), reading(1, true, 6)}, 1), IsEmpty());
  EXPECT_FALSE(glance_of(std::vector{reading(1, true, 5)}, 2).keys);
}

TEST(Totals, FollowAReplicaThatTookOver) {
  EXPECT_EQ(
      value_of(totals(std::vector{reading(1, false, 5), reading(1, true, 6)}, 1), "CurrItems"), 6);
}

TEST(Totals, LeaveOutWhatOnePrimaryDoesNotTell) {
  std::vector<NodeReading> readings = {reading(1, true, 5), reading(2, true, 7)};
  readings[0].samples.push_back({metric("Evictions"), "", 1});
  readings[0].samples.push_back({metric("command_calls"), "get", 3});
  readings[1].samples.push_back({metric("command_calls"), "set", 4});
  const auto sums = totals(readings, 2);
  EXPECT_FALSE(value_of(sums, "Evictions"));
  // A command that an engine does not list was never called there.
  EXPECT_EQ(std::ranges::count_if(
                sums, [](const auto& sample) { return sample.metric == metric("command_calls"); }),
            2);
}

TEST(Totals, LeaveOutWhatHasNoSum) {
  NodeReading one = reading(1, true, 1);
  one.samples.push_back({metric("used_cpu_user_seconds"), "", 3});
  one.samples.push_back({metric("MemoryFragmentationRatio"), "", 1.1});
  EXPECT_EQ(totals(std::vector{one}, 1).size(), 1U);
}

TEST(Totals, AGlanceIsOfTheFullestPrimary) {
  std::vector<NodeReading> readings = {reading(1, true, 1), reading(2, true, 1),
                                       reading(2, false, 1)};
  const auto fill = [](NodeReading& node, double used) {
    node.samples.push_back({metric("BytesUsedForCache"), "", used});
    node.samples.push_back({metric("maxmemory"), "", 100});
  };
  fill(readings[0], 30);
  fill(readings[1], 60);
  fill(readings[2], 90);
  EXPECT_EQ(glance_of(readings, 2).used_memory_bytes, 60);
  EXPECT_EQ(glance_of(readings, 2).maxmemory_bytes, 100);
}

TEST(ReplicationLag, IsTheDistanceInTheSameTurn) {
  const auto at = [](std::uint32_t shard, bool is_primary, std::optional<double> offset) {
    NodeReading node{shard, is_primary, {}};
    if (offset) node.samples.push_back({metric("replication_offset_bytes"), "", *offset});
    return node;
  };
  const std::vector<NodeReading> readings = {at(1, true, 1'000), at(1, false, 900),
                                             at(1, false, 1'010), at(1, false, {}),
                                             at(2, false, 5)};
  EXPECT_THAT(replication_lags(readings),
              ElementsAre(std::nullopt, 100.0, 0.0, std::nullopt, std::nullopt));
}

}  // namespace
}  // namespace headroom::telemetry
