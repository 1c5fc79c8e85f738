#include "target/confinement.h"

#include <gmock/gmock.h>

#include <thread>

#include "tests/support/cgroup_tree.h"
#include "tests/support/recording_sink.h"

namespace headroom::target {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr Nanos kLong = seconds{60};  // far more than any machine needs

double value_of(const std::vector<record::Sample>& samples, std::string_view metric) {
  for (const record::Sample& sample : samples) {
    if (sample.metric == record::metric(metric)) return sample.value;
  }
  ADD_FAILURE() << metric << " was not sampled";
  return -1;
}

class CpuGovernorTest : public CgroupTree {
 protected:
  void use(const CpuGroup& group, double cpu_s) {
    put(group.directories().front() / "cpu.stat",
        fmt::format("usage_usec {:.0f}\nnr_periods 100\nnr_throttled 40\nthrottled_usec 300000\n",
                    cpu_s * 1e6));
  }
  bool wait_for_quota(const CpuGroup& group, const std::string& text) {
    const Nanos until = real_clock().now() + kLong;
    while (content(group.directories().front() / "cpu.max") != text) {
      if (real_clock().now() >= until) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds{2});
    }
    return true;
  }
  RecordingSink sink_;
};

TEST_F(CpuGovernorTest, LowersTheQuotaWhenTheCreditsAreGone) {
  auto group = create({v2()}, 1);
  ASSERT_TRUE(group) << group.error().message;
  use(*group, 0);
  // A credit that an hour's baseline would not bring back while this test runs.
  CpuGovernor governor(*group, {1, scenario::CreditBucketSize{6, 144, 1}}, real_clock(),
                       real_clock().now(), sink_);
  EXPECT_EQ(value_of(governor.sample(), "node_cpu_quota_ratio"), 1);
  EXPECT_NEAR(value_of(governor.sample(), "CPUCreditBalance"), 1, 0.1);
  use(*group, 90);
  EXPECT_TRUE(wait_for_quota(*group, "2000 20000"));
  const auto samples = governor.sample();
  EXPECT_EQ(value_of(samples, "node_cpu_quota_ratio"), 0.1);
  EXPECT_EQ(value_of(samples, "CPUCreditBalance"), 0);
  EXPECT_DOUBLE_EQ(value_of(samples, "CPUCreditUsage"), 1.5);
  EXPECT_EQ(value_of(samples, "node_cpu_seconds"), 90);
  EXPECT_EQ(value_of(samples, "node_throttled_periods"), 40);
  EXPECT_DOUBLE_EQ(value_of(samples, "node_throttled_seconds"), 0.3);
  ASSERT_EQ(sink_.content().events.size(), 1U);
  EXPECT_EQ(sink_.content().events[0].text,
            "CPU credits are gone: the node falls from 1 to 0.1 vCPUs");
}

TEST_F(CpuGovernorTest, StartsAtTheBaselineWithoutCredits) {
  auto group = create({v2()}, 1);
  ASSERT_TRUE(group);
  use(*group, 0);
  const CpuGovernor governor(*group, {1, scenario::CreditBucketSize{6, 144, 0}}, real_clock(),
                             real_clock().now(), sink_);
  EXPECT_EQ(content(group->directories().front() / "cpu.max"), "2000 20000");
}

TEST_F(CpuGovernorTest, ANodeThatIsNotBurstableHasNoCredits) {
  auto group = create({v2()}, 2);
  ASSERT_TRUE(group);
  use(*group, 3);
  CpuGovernor governor(*group, {2, {}}, real_clock(), real_clock().now(), sink_);
  for (const record::Sample& sample : governor.sample()) {
    EXPECT_NE(sample.metric, record::metric("CPUCreditBalance"));
    EXPECT_NE(sample.metric, record::metric("CPUCreditUsage"));
  }
}

TEST_F(CpuGovernorTest, AQuotaThatCannotBeChangedIsAWarningOnce) {
  auto group = create({v2()}, 1);
  ASSERT_TRUE(group);
  use(*group, 0);
  CpuGovernor governor(*group, {1, scenario::CreditBucketSize{6, 144, 1}}, real_clock(),
                       real_clock().now(), sink_);
  std::filesystem::remove(group->directories().front() / "cpu.max");
  use(*group, 90);
  EXPECT_TRUE(sink_.wait_until(
      [](const auto& seen) { return seen.count(record::WarningKind::kShapeNotHeld) > 0; }, kLong));
  (void)governor.sample();
  EXPECT_EQ(sink_.content().count(record::WarningKind::kShapeNotHeld), 1U);
  EXPECT_EQ(value_of(governor.sample(), "node_cpu_quota_ratio"), 1) << "what it still has";
}

using ConfinementTest = CpuGovernorTest;

TEST_F(ConfinementTest, WithoutAPlaceForAGroupItSaysThatItIsNotEnforced) {
  Confinement confinement(scenario::CpuEnvelope{0.5, {}}, real_clock(), real_clock().now(), sink_);
  confinement.prepare("headroom-node-test", {});
  EXPECT_THAT(confinement.procs_files(), IsEmpty());
  confinement.begin();
  EXPECT_THAT(confinement.sample(), IsEmpty());
  const auto content = sink_.content();
  EXPECT_EQ(content.facts.at("node.cpu"),
            "not enforced: no cgroup hierarchy with the cpu controller is mounted");
  EXPECT_EQ(content.facts.at("node.enforcement"), "none");
  ASSERT_EQ(content.warnings.size(), 1U);
  EXPECT_EQ(content.warnings[0].kind, record::WarningKind::kShapeNotHeld);
  EXPECT_THAT(content.warnings[0].text, StartsWith("the engine is not held to 0.5 vCPUs: "));
  EXPECT_TRUE(confinement.end());
  EXPECT_TRUE(confinement.prove_removed());
  EXPECT_THAT(sink_.content().receipts, IsEmpty()) << "there was nothing to remove";
}

TEST_F(ConfinementTest, WithoutAnEnvelopeItDoesNothing) {
  Confinement confinement(std::nullopt, real_clock(), real_clock().now(), sink_);
  confinement.prepare("headroom-node-test", {v2()});
  EXPECT_THAT(confinement.procs_files(), IsEmpty());
  EXPECT_TRUE(sink_.content().facts.empty());
  EXPECT_THAT(sink_.content().warnings, IsEmpty());
}

}  // namespace
}  // namespace headroom::target
