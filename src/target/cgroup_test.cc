#include "target/cgroup.h"

#include <gmock/gmock.h>

#include <cerrno>

#include "tests/support/cgroup_tree.h"

namespace headroom::target {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class CgroupTest : public CgroupTree {};

TEST_F(CgroupTest, Version1IsFoundBelowThisProcesssOwnGroups) {
  const auto places =
      cpu_hierarchies(mounted("cpu", "cgroup", "cpu") + mounted("cpuacct", "cgroup", "cpuacct") +
                          "21 1 8:1 / / rw - ext4 /dev/sda1 rw\nnonsense\n",
                      "3:cpuset:/x\n2:cpuacct:/acct\n1:cpu:/own\n");
  ASSERT_EQ(places.size(), 1U);
  EXPECT_EQ(places[0].version, CgroupVersion::kV1);
  EXPECT_EQ(places[0].parent, base_->path() / "cpu/own");
  EXPECT_EQ(places[0].accounting, base_->path() / "cpuacct/acct");
}

TEST_F(CgroupTest, Version1WithBothControllersInOneMountIsOnePlace) {
  const auto places =
      cpu_hierarchies(mounted("both", "cgroup", "cpu,cpuacct"), "1:cpu,cpuacct:/docker/abc\n");
  ASSERT_EQ(places.size(), 1U);
  EXPECT_EQ(places[0].parent, places[0].accounting);
}

TEST_F(CgroupTest, AContainersGroupIsFoundBelowWhatItSees) {
  const auto places = cpu_hierarchies(mounted("both", "cgroup", "cpu,cpuacct", "/docker/abc"),
                                      "1:cpu,cpuacct:/docker/abc/inner\n");
  ASSERT_EQ(places.size(), 1U);
  EXPECT_EQ(places[0].parent, base_->path() / "both/inner");
  const auto outside = cpu_hierarchies(mounted("both", "cgroup", "cpu,cpuacct", "/docker/abc"),
                                       "1:cpu,cpuacct:/elsewhere\n");
  ASSERT_EQ(outside.size(), 1U);
  EXPECT_EQ(outside[0].parent, base_->path() / "both");
}

TEST_F(CgroupTest, Version2IsFoundWhereTheCpuControllerIsHandedOn) {
  put(make("unified") / "cgroup.controllers", "cpu io memory\n");
  put(base_->path() / "unified/cgroup.subtree_control", "cpu memory\n");
  put(make("unified/user") / "cgroup.subtree_control", "cpu\n");
  put(make("unified/user/scope") / "cgroup.subtree_control", "\n");
  const auto places =
      cpu_hierarchies(mounted("unified", "cgroup2", "nsdelegate"), "0::/user/scope\n");
  ASSERT_EQ(places.size(), 2U) << "a group with processes hands nothing on";
  EXPECT_EQ(places[0].version, CgroupVersion::kV2);
  EXPECT_EQ(places[0].parent, base_->path() / "unified/user");
  EXPECT_EQ(places[1].parent, base_->path() / "unified");
}

TEST_F(CgroupTest, AHierarchyWithoutTheCpuControllerIsNoPlace) {
  put(make("unified") / "cgroup.controllers", "\n");
  EXPECT_THAT(
      cpu_hierarchies(mounted("unified", "cgroup2", "") + mounted("memory", "cgroup", "memory"),
                      "4:memory:/\n0::/\n"),
      IsEmpty());
  EXPECT_THAT(cpu_hierarchies("", ""), IsEmpty());
  const auto group = create({}, 1);
  ASSERT_FALSE(group);
  EXPECT_EQ(group.error().message, "no cgroup hierarchy with the cpu controller is mounted");
}

TEST_F(CgroupTest, AQuotaIsWrittenAsEachVersionWantsIt) {
  auto one = create({v1()}, 2);
  ASSERT_TRUE(one) << one.error().message;
  const fs::path v1_path = base_->path() / "cpu/own/headroom-node-test";
  EXPECT_EQ(content(v1_path / "cpu.cfs_period_us"), "20000");
  EXPECT_EQ(content(v1_path / "cpu.cfs_quota_us"), "40000");
  EXPECT_THAT(one->directories(),
              ElementsAre(v1_path, base_->path() / "cpuacct/own/headroom-node-test"));
  EXPECT_THAT(one->procs_files(),
              ElementsAre(v1_path / "cgroup.procs",
                          base_->path() / "cpuacct/own/headroom-node-test/cgroup.procs"));

  auto two = create({v2()}, 0.2);
  ASSERT_TRUE(two) << two.error().message;
  const fs::path v2_path = base_->path() / "unified/own/headroom-node-test";
  EXPECT_EQ(content(v2_path / "cpu.max"), "4000 20000");
  EXPECT_THAT(two->directories(), ElementsAre(v2_path));
}

TEST_F(CgroupTest, TheControllerIsHandedOnWhereThatIsMissing) {
  const CpuHierarchy place = v2();
  put(place.parent / "cgroup.subtree_control", "");
  EXPECT_TRUE(create({place}, 1));
  EXPECT_EQ(content(place.parent / "cgroup.subtree_control"), "+cpu");
}

TEST_F(CgroupTest, ThePlacesAreTriedInTheirOrderAndTheLastReasonIsTold) {
  const CpuHierarchy missing{CgroupVersion::kV1, base_->path() / "no/such", base_->path() / "no"};
  const auto refuse = [](const fs::path&) { return EACCES; };
  const auto none = CpuGroup::create({missing}, "headroom-node-test", 1, refuse);
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("no/such/headroom-node-test: Permission denied"));
  const auto second =
      CpuGroup::create({missing, v2()}, "headroom-node-test", 1, [this](const fs::path& path) {
        return path.string().find("/no/") != std::string::npos ? ENOENT : make_group(path);
      });
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_EQ(second->version(), CgroupVersion::kV2);
}

TEST_F(CgroupTest, UseIsReadFromWhatEachVersionHas) {
  auto one = create({v1()}, 1);
  ASSERT_TRUE(one);
  EXPECT_EQ(one->use(), std::nullopt) << "empty files";
  put(one->directories()[0] / "cpu.stat",
      "nr_periods 980\nnr_throttled 852\nthrottled_time 2274676854\nnr_bursts 0\n");
  put(one->directories()[1] / "cpuacct.usage", "1500000000\n");
  const auto use = one->use();
  ASSERT_TRUE(use);
  EXPECT_DOUBLE_EQ(use->seconds, 1.5);
  EXPECT_EQ(use->periods, 980);
  EXPECT_EQ(use->throttled_periods, 852);
  EXPECT_DOUBLE_EQ(use->throttled_seconds.value(), 2.274676854);

  const auto two = parse_cpu_stat(
      "usage_usec 2500000\nuser_usec 1\nnr_periods 10\nnr_throttled 3\nthrottled_usec 40000\n",
      CgroupVersion::kV2);
  ASSERT_TRUE(two);
  EXPECT_DOUBLE_EQ(two->seconds, 2.5);
  EXPECT_DOUBLE_EQ(two->throttled_seconds.value(), 0.04);
  const auto bare = parse_cpu_stat("usage_usec 7\n", CgroupVersion::kV2);
  ASSERT_TRUE(bare);
  EXPECT_EQ(bare->throttled_periods, std::nullopt);
  EXPECT_EQ(parse_cpu_stat("nonsense", CgroupVersion::kV1), std::nullopt);
  EXPECT_EQ(parse_cpu_stat("usage_usec x\n", CgroupVersion::kV2), std::nullopt);
}

TEST_F(CgroupTest, SmallQuotasHaveLongerPeriods) {
  EXPECT_EQ(cpu_quota(0.1).quota_us, 2'000);
  EXPECT_EQ(cpu_quota(0.1).period_us, 20'000);
  EXPECT_EQ(cpu_quota(0.01).quota_us, 1'000) << "the kernel's smallest";
  EXPECT_EQ(cpu_quota(0.01).period_us, 100'000);
  EXPECT_EQ(cpu_quota(64).quota_us, 1'280'000);
}

TEST_F(CgroupTest, OneWhoseOwnerLivesIsNotAbandoned) {
  const CpuHierarchy place = v2();
  {
    const auto group = create({place}, 1);
    ASSERT_TRUE(group);
    EXPECT_THAT(find_abandoned_groups({place}), IsEmpty());
  }
  // Removing it failed: unlike the kernel's its files are real.
  const auto abandoned = find_abandoned_groups({place, place});
  ASSERT_EQ(abandoned.size(), 1U);
  EXPECT_EQ(abandoned[0].directory, place.parent / "headroom-node-test");
  make("unified/own/another");
  EXPECT_EQ(find_abandoned_groups({place}).size(), 1U);
}

TEST_F(CgroupTest, AnAbandonedOneIsRemoved) {
  const CpuHierarchy place = v2();
  const AbandonedGroup group{make("unified/own/headroom-node-old"), {}};
  EXPECT_TRUE(remove_abandoned_group(group));
  EXPECT_FALSE(fs::exists(group.directory));
  EXPECT_FALSE(remove_abandoned_group(group)) << "somebody else was faster";
}

}  // namespace
}  // namespace headroom::target
