// Which process a number means: pids are used again.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace headroom::target {

// When the process started, in clock ticks since boot, as the kernel tells it (field 22 of
// /proc/PID/stat). Empty if there is no such process.
[[nodiscard]] std::string process_start_time(pid_t pid);

// This user's processes whose working directory is `directory`.
[[nodiscard]] std::vector<pid_t> processes_working_in(const std::filesystem::path& directory);

// Does the process listen on this TCP port, by /proc/net and its descriptors?
[[nodiscard]] bool listens_on(pid_t pid, std::uint16_t port);

}  // namespace headroom::target
