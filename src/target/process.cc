#include "target/process.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "base/file.h"
#include "base/text.h"

namespace headroom::target {

namespace fs = std::filesystem;

std::string process_start_time(pid_t pid) {
  const auto stat = read_file(fmt::format("/proc/{}/stat", pid));
  if (!stat) return {};
  // The program's name, in parentheses, may hold anything; field 3 follows the last one.
  const std::size_t name_end = stat->rfind(')');
  if (name_end == std::string::npos) return {};
  const auto fields = split(trim(std::string_view(*stat).substr(name_end + 1)), ' ');
  constexpr std::size_t kStartTime = 22 - 3;
  return fields.size() > kStartTime ? std::string(fields[kStartTime]) : std::string();
}

std::vector<pid_t> processes_working_in(const fs::path& directory) {
  std::vector<pid_t> pids;
  std::error_code error;
  fs::directory_iterator entry("/proc", fs::directory_options::skip_permission_denied, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    pid_t pid = 0;
    const auto [stop, bad] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (bad != std::errc{} || stop != name.data() + name.size()) continue;
    std::error_code unreadable;  // another's, or one that has just ended
    if (fs::read_symlink(entry->path() / "cwd", unreadable) == directory) pids.push_back(pid);
  }
  return pids;
}

}  // namespace headroom::target
