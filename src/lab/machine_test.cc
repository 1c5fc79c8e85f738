#include "lab/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "base/file.h"

namespace headroom::lab {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStat =
    "cpu  400 0 200 9000 100 50 50 200 0 0\n"
    "cpu0 300 10 100 4000 40 30 20 150 7 0\n"
    "cpu1 100 0 100 5000 60 20 30 50 0 0\n"
    "intr 12\n";

TEST(CpuTimes, AreOfTheCpusThatAreNamed) {
  const auto one = parse_cpu_times(kStat, std::array{0}, 100);
  ASSERT_TRUE(one);
  EXPECT_DOUBLE_EQ(one->busy, 4.6);
  EXPECT_DOUBLE_EQ(one->steal, 1.5);
  EXPECT_DOUBLE_EQ(one->idle, 40.4);
  const auto both = parse_cpu_times(kStat, std::array{0, 1}, 100);
  ASSERT_TRUE(both);
  EXPECT_DOUBLE_EQ(both->total(), one->total() + 53.6);
}

TEST(CpuTimes, AreNotKnownFromATextThatLacksThem) {
  EXPECT_FALSE(parse_cpu_times(kStat, std::array{0, 2}, 100));
  EXPECT_FALSE(parse_cpu_times(kStat, std::span<const int>(), 100));
  EXPECT_FALSE(parse_cpu_times("cpu0 1 2 3\n", std::array{0}, 100));
  EXPECT_FALSE(parse_cpu_times("cpu0 1 2 x 4 5 6 7 8\n", std::array{0}, 100));
}

class CpuQuotaTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = TempDir::create("cgroup");
    ASSERT_TRUE(made);
    dir_ = std::move(*made);
  }
  void write(const fs::path& file, std::string_view content) {
    fs::create_directories((root() / file).parent_path());
    ASSERT_TRUE(write_file(root() / file, content));
  }
  [[nodiscard]] fs::path root() const { return dir_->path(); }
  std::optional<TempDir> dir_;
};

TEST_F(CpuQuotaTest, IsTheNarrowestOfACgroupAndThoseAboveIt) {
  write("pod/cpu.max", "150000 100000\n");
  write("pod/cpu.stat", "usage_usec 5\nthrottled_usec 2500000\n");
  write("pod/box/cpu.max", "max 100000\n");
  const auto quota = read_cpu_quota(root(), "0::/pod/box\n");
  ASSERT_TRUE(quota);
  EXPECT_DOUBLE_EQ(quota->cpus, 1.5);
  EXPECT_DOUBLE_EQ(quota->throttled_seconds.value(), 2.5);
  write("cpu.max", "50000 100000\n");
  EXPECT_DOUBLE_EQ(read_cpu_quota(root(), "0::/pod/box\n")->cpus, 0.5);
  EXPECT_FALSE(read_cpu_quota(root(), "0::/pod/box\n")->throttled_seconds);
}

TEST_F(CpuQuotaTest, OfTheFirstVersionIsKnownToo) {
  write("cpu,cpuacct/box/cpu.cfs_quota_us", "200000\n");
  write("cpu,cpuacct/box/cpu.cfs_period_us", "100000\n");
  write("cpu,cpuacct/box/cpu.stat", "nr_periods 9\nthrottled_time 500000000\n");
  write("cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  write("cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  const auto quota = read_cpu_quota(root(), "4:cpu,cpuacct:/box\n0::/\n");
  ASSERT_TRUE(quota);
  EXPECT_DOUBLE_EQ(quota->cpus, 2);
  EXPECT_DOUBLE_EQ(quota->throttled_seconds.value(), 0.5);
}

TEST_F(CpuQuotaTest, IsNoneWhereNoneIsSet) {
  EXPECT_FALSE(read_cpu_quota(root(), "0::/box\n"));
  write("box/cpu.max", "max 100000\n");
  EXPECT_FALSE(read_cpu_quota(root(), "0::/box\n"));
  write("box/cpu.max", "nonsense\n");
  EXPECT_FALSE(read_cpu_quota(root(), "0::/box\n"));
  EXPECT_FALSE(read_cpu_quota(root(), "no cgroups here"));
}

TEST(MachineWatch, SeesThisMachine) {
  const MachineWatch watch;
  const Nanos until = real_clock().now() + std::chrono::milliseconds{30};
  while (real_clock().now() < until) {
  }
  const analysis::MachineFacts facts = watch.facts();
  EXPECT_GE(facts.cpus_allowed, 1U);
  EXPECT_GT(facts.clock_reading, Nanos{0});
  ASSERT_TRUE(facts.others_cpus);
  EXPECT_GE(*facts.others_cpus, 0);
}

}  // namespace
}  // namespace headroom::lab
