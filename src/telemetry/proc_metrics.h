// From the kernel's /proc to samples: the engine's process, and this machine.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/metric.h"

namespace headroom::telemetry {

// The parsers are pure; a text that is not what the kernel writes gives nullopt or no samples.

// /proc/PID/stat, and /proc/PID/task/TID/stat, which has the same form.
struct ProcessStat {
  double user_seconds = 0;
  double system_seconds = 0;
  double minor_faults = 0;
  double major_faults = 0;
  double threads = 0;
  std::string start_ticks;  // since boot: tells a process from a later one with the same pid
};
[[nodiscard]] std::optional<ProcessStat> parse_process_stat(std::string_view text,
                                                            double ticks_a_second);
// A "Name:  value" line of /proc/PID/status or /proc/meminfo; "kB" is turned into bytes.
[[nodiscard]] std::optional<double> proc_field(std::string_view text, std::string_view name);
// /proc/stat: the host_cpu_* metrics.
[[nodiscard]] std::vector<record::Sample> parse_host_cpu(std::string_view text,
                                                         double ticks_a_second);

// What the last reading could not get, in words.
using Unreadable = std::vector<std::string>;

// This machine: its CPU times and, with `memory`, what is free of its memory: that of a node that
// is here, too. Appends to `unreadable`.
[[nodiscard]] std::vector<record::Sample> sample_machine(bool memory, Unreadable& unreadable);

// One engine's process. Not thread-safe.
class ProcessSampler {
 public:
  explicit ProcessSampler(pid_t pid);

  // What could be read. A process that has ended, or whose pid now is another's, has no samples.
  // Appends to `unreadable`.
  [[nodiscard]] std::vector<record::Sample> sample(Unreadable& unreadable);

 private:
  pid_t pid_;
  std::string start_ticks_;  // of the process first seen
};

}  // namespace headroom::telemetry
