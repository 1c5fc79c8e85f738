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
                                                            double ticks_per_second);
// A "Name:  value" line of /proc/PID/status or /proc/meminfo; "kB" is turned into bytes.
[[nodiscard]] std::optional<double> proc_field(std::string_view text, std::string_view name);
// /proc/stat: the host_cpu_* metrics.
[[nodiscard]] std::vector<record::Sample> parse_host_cpu(std::string_view text,
                                                         double ticks_per_second);

// Reads this machine's CPU times and, if there is a pid, the engine's process and the node's
// memory. Not thread-safe.
class ProcSampler {
 public:
  explicit ProcSampler(std::optional<pid_t> engine_pid);

  // What could be read. A process that has ended, or whose pid now is another's, has no samples.
  [[nodiscard]] std::vector<record::Sample> sample();
  // What the last sample() could not read, in words; empty if nothing was missing.
  [[nodiscard]] const std::vector<std::string>& unreadable() const { return unreadable_; }

 private:
  void sample_host(std::vector<record::Sample>& samples);
  void sample_process(pid_t pid, std::vector<record::Sample>& samples);
  void sample_memory(std::vector<record::Sample>& samples);
  [[nodiscard]] std::optional<std::string> read(const std::string& path);

  std::optional<pid_t> engine_pid_;
  double ticks_per_second_;
  std::string start_ticks_;  // of the process first seen
  std::vector<std::string> unreadable_;
};

}  // namespace headroom::telemetry
