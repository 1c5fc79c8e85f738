// A control group of a local node's own: holds its CPU time to a quota, and counts it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/result.h"

namespace headroom::target {

// Every group, and every directory, of a local node has a name that begins with this.
inline constexpr std::string_view kNodePrefix = "headroom-node-";

enum class CgroupVersion : int { kV1 = 1, kV2 = 2 };

// A place where groups with the cpu controller may be made.
struct CpuHierarchy {
  CgroupVersion version = CgroupVersion::kV2;
  std::filesystem::path parent;      // new groups become directories of it
  std::filesystem::path accounting;  // the same in version 1's cpuacct; `parent` where it is one
};
// The places by /proc/self/mountinfo and /proc/self/cgroup, the best first: below this process's
// own group, so that what holds it holds the node. Looks at the directories that the texts name.
[[nodiscard]] std::vector<CpuHierarchy> cpu_hierarchies(std::string_view mountinfo,
                                                        std::string_view own_cgroups);
// Of this process.
[[nodiscard]] std::vector<CpuHierarchy> cpu_hierarchies();

// CPU of a group since it was made. Absent is what the kernel did not tell.
struct CpuUse {
  double seconds = 0;
  std::optional<double> periods;            // in which it wanted to run
  std::optional<double> throttled_periods;  // of those, in which its quota was used up
  std::optional<double> throttled_seconds;  // sum over CPUs
};
// The text of cpu.stat. In version 1 it lacks `seconds`, which are left 0. nullopt: it is none.
[[nodiscard]] std::optional<CpuUse> parse_cpu_stat(std::string_view text, CgroupVersion version);

// What is written to give a group `vcpus` seconds of CPU a second. The period is 20 ms, so that a
// throttled engine stops for no longer, or what the smallest quota of 1 ms asks for.
struct CpuQuota {
  std::int64_t quota_us = 0;
  std::int64_t period_us = 0;
};
[[nodiscard]] CpuQuota cpu_quota(double vcpus);

// Owns the group. Like a node's directory it is kept locked (flock) by its owner: one whose lock
// can be taken is one that nobody will remove any more. set_quota() and use() may be called from
// any thread, one at a time; the rest is its owner's.
class CpuGroup {
 public:
  // How a group's directory is made: mkdir(2), but in tests. 0, or an errno value.
  using Make = std::function<int(const std::filesystem::path&)>;

  // Tries the places in their order. The Error (kTarget) is the reason of the last one.
  [[nodiscard]] static Result<CpuGroup> create(const std::vector<CpuHierarchy>& places,
                                               const std::string& name, double vcpus);
  [[nodiscard]] static Result<CpuGroup> create(const std::vector<CpuHierarchy>& places,
                                               const std::string& name, double vcpus,
                                               const Make& make);
  CpuGroup(CpuGroup&& other) noexcept = default;
  CpuGroup& operator=(CpuGroup&& other) noexcept = delete;
  CpuGroup(const CpuGroup&) = delete;
  CpuGroup& operator=(const CpuGroup&) = delete;
  ~CpuGroup();  // remove(), without proof

  [[nodiscard]] Status set_quota(double vcpus);
  [[nodiscard]] std::optional<CpuUse> use() const;
  // The files through which a process joins (SubprocessOptions::cgroups).
  [[nodiscard]] std::vector<std::filesystem::path> procs_files() const;
  // Its directories, one or two.
  [[nodiscard]] const std::vector<std::filesystem::path>& directories() const {
    return directories_;
  }
  [[nodiscard]] CgroupVersion version() const { return version_; }
  // Waits up to a second for the group to be empty. kTeardown; doing it again does nothing.
  [[nodiscard]] Status remove();

 private:
  CpuGroup(CgroupVersion version) : version_(version) {}
  [[nodiscard]] Status add_directory(const std::filesystem::path& path, const Make& make);

  CgroupVersion version_;
  std::vector<std::filesystem::path> directories_;  // the quota's first, then the accounting's
  std::vector<UniqueFd> locks_;                     // of the same
};

// A group of a node whose owner is dead.
struct AbandonedGroup {
  std::filesystem::path directory;
  std::vector<pid_t> processes;  // that are still in it
};
[[nodiscard]] std::vector<AbandonedGroup> find_abandoned_groups(
    const std::vector<CpuHierarchy>& places);
// Kills its processes and removes it; false if it is still there, or has an owner now.
[[nodiscard]] bool remove_abandoned_group(const AbandonedGroup& group);

}  // namespace headroom::target
