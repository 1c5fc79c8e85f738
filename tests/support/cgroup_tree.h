// Directory trees that look like the kernel's. Real groups are tested with real engines, in
// tests/e2e/node_test.cc.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "target/cgroup.h"

namespace headroom::target {

class CgroupTree : public testing::Test {
 protected:
  void SetUp() override {
    auto base = TempDir::create("cgroup-test");
    ASSERT_TRUE(base) << base.error().message;
    base_.emplace(std::move(*base));
  }

  std::filesystem::path make(const std::string& directory) {
    const std::filesystem::path path = base_->path() / directory;
    std::filesystem::create_directories(path);
    return path;
  }
  void put(const std::filesystem::path& file, const std::string& text) {
    ASSERT_TRUE(write_file(file, text));
  }
  static std::string content(const std::filesystem::path& file) {
    return read_file(file).value_or("(none)");
  }

  [[nodiscard]] std::string mounted(const std::string& at, const std::string& type,
                                    const std::string& options,
                                    const std::string& root = "/") const {
    return fmt::format("30 23 0:26 {} {} rw,relatime shared:4 - {} {} rw,{}\n", root,
                       (base_->path() / at).string(), type, type, options);
  }
  // The mounts and the place of a machine with version 1.
  CpuHierarchy v1() { return {CgroupVersion::kV1, make("cpu/own"), make("cpuacct/own")}; }
  CpuHierarchy v2() {
    const std::filesystem::path parent = make("unified/own");
    put(parent / "cgroup.subtree_control", "cpu memory\n");
    return {CgroupVersion::kV2, parent, parent};
  }
  // As mkdir does it in a cgroup hierarchy: the directory comes with its files.
  int make_group(const std::filesystem::path& path) {
    if (!std::filesystem::create_directory(path)) return EEXIST;
    for (const char* name : {"cpu.max", "cpu.cfs_quota_us", "cpu.cfs_period_us", "cgroup.procs",
                             "cpu.stat", "cpuacct.usage"}) {
      put(path / name, "");
    }
    return 0;
  }
  Result<CpuGroup> create(const std::vector<CpuHierarchy>& places, double vcpus) {
    return CpuGroup::create(places, "headroom-node-test", vcpus,
                            [this](const std::filesystem::path& path) { return make_group(path); });
  }

  std::optional<TempDir> base_;
};

}  // namespace headroom::target
