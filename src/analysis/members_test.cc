#include "analysis/members.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/limiter.h"
#include "analysis/series.h"
#include "tests/support/sample_runs.h"

namespace headroom::analysis {
namespace {

using headroom::testing::RunBuilder;
using ::testing::HasSubstr;

record::Run two_shards() { return headroom::testing::two_shards_run().build(); }

TEST(Members, MemoryIsThatOfTheFullestPrimaryAndNotOfAReplica) {
  const Summary summary = summarize(two_shards());
  EXPECT_EQ(summary.measure.memory_used_max_ratio, 0.75);
  EXPECT_EQ(summary.measure.fullest_node, "127.0.0.1:6402");
  EXPECT_EQ(summary.headroom_ratio, 0.25);
}

TEST(Members, CpuIsThatOfTheBusiestEngineAndAllTogetherStandBeside) {
  const Summary summary = summarize(two_shards());
  EXPECT_EQ(summary.measure.busiest_node, "127.0.0.1:6403");
  EXPECT_NEAR(*summary.measure.engine_cpu_main_thread, 0.95, 1e-9);
  EXPECT_NEAR(*summary.measure.engine_cpu_process, 0.96, 1e-9);
  EXPECT_NEAR(*summary.measure.engines_cpu, 0.31 + 0.41 + 0.96, 1e-9);
  EXPECT_EQ(summary.limiter.limiter, Limiter::kEngine) << summary.limiter.evidence;
  EXPECT_THAT(summary.limiter.evidence,
              HasSubstr("The main thread of 127.0.0.1:6403, the busiest of 3 engines"));
}

TEST(Members, EachHasItsOwnFigures) {
  const Summary summary = summarize(two_shards());
  ASSERT_EQ(summary.members.size(), 3U);
  EXPECT_EQ(summary.members[0].memory_used_max_ratio, 0.5);
  EXPECT_FALSE(summary.members[0].lag_max_bytes);
  EXPECT_FALSE(summary.members[0].link_up_ratio);
  EXPECT_NEAR(*summary.members[1].evictions, 80, 1e-6);
  const MemberSummary& replica = summary.members[2];
  EXPECT_GT(*replica.lag_max_bytes, 3'900);
  EXPECT_NEAR(*replica.link_up_ratio, 0.5, 0.05);
  EXPECT_FALSE(replica.node);
}

TEST(Members, WhatHasNoSumSaysSo) {
  const Summary summary = summarize(two_shards());
  EXPECT_EQ(summary.not_available.at("fragmentation_ratio"),
            "MemoryFragmentationRatio is known of each node, and has no sum");
}

TEST(Members, SecondsShowTheFullestPrimaryToo) {
  const auto seconds = per_second(two_shards());
  EXPECT_EQ(seconds.at(10).memory_used_ratio, 0.75);
}

TEST(Members, ASingleNodeHasNone) {
  const Summary summary = summarize(RunBuilder().build());
  EXPECT_TRUE(summary.members.empty());
  EXPECT_EQ(summary.measure.busiest_node, "");
  EXPECT_EQ(summary.measure.engines_cpu, summary.measure.engine_cpu_process);
}

}  // namespace
}  // namespace headroom::analysis
