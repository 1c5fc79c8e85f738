// This machine over a stretch of time, as far as it decides what can be measured on it: who used
// the CPUs, how many of them there were, and how its clock is read.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/instrument.h"
#include "base/clock.h"

namespace headroom::lab {

// The parsers are pure; a text that is not what the kernel writes gives nullopt.

// Seconds since the boot, of some CPUs together.
struct CpuTimes {
  double busy = 0;   // anything but idle, waiting for a disk, and stolen
  double steal = 0;  // the hypervisor gave to other machines what this one wanted
  double idle = 0;
  [[nodiscard]] double total() const { return busy + steal + idle; }
};
// /proc/stat; the CPUs by their numbers.
[[nodiscard]] std::optional<CpuTimes> parse_cpu_times(std::string_view stat,
                                                      std::span<const int> cpus,
                                                      double ticks_per_second);

// What a cgroup lets its processes use.
struct CpuQuota {
  double cpus = 0;                          // CPU seconds per second
  std::optional<double> throttled_seconds;  // for how long it was exhausted, since the boot
};
// The narrowest quota of the cgroups named in `own` (/proc/self/cgroup) and of those above them,
// under `root` (/sys/fs/cgroup), version 1 or 2; nullopt if none has one.
[[nodiscard]] std::optional<CpuQuota> read_cpu_quota(const std::filesystem::path& root,
                                                     std::string_view own);

// Watches from its construction on. Not thread-safe.
class MachineWatch {
 public:
  MachineWatch();
  // What was seen since the construction.
  [[nodiscard]] analysis::MachineFacts facts() const;

 private:
  struct Reading {
    Nanos at{0};
    std::optional<CpuTimes> cpus;
    double own_seconds = 0;
    std::optional<CpuQuota> quota;
  };
  [[nodiscard]] Reading read() const;

  std::vector<int> allowed_;
  Reading first_;
};

}  // namespace headroom::lab
