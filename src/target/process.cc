#include "target/process.h"

#include <fmt/format.h>

#include <charconv>
#include <set>
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

bool listens_on(pid_t pid, std::uint16_t port) {
  // "  0: 0100007F:1F90 00000000:0000 0A ... INODE": a local address, a state (0A: it listens).
  constexpr std::size_t kLocalAddress = 1;
  constexpr std::size_t kState = 3;
  constexpr std::size_t kInode = 9;
  std::set<std::string> listeners;
  for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    const auto text = read_file(table);
    if (!text) continue;
    for (const std::string_view line : split(*text, '\n')) {
      std::vector<std::string_view> words;
      for (const std::string_view word : split(line, ' ')) {
        if (!word.empty()) words.push_back(word);
      }
      if (words.size() > kInode && words[kState] == "0A" &&
          words[kLocalAddress].ends_with(fmt::format(":{:04X}", port)))
        listeners.insert(fmt::format("socket:[{}]", words[kInode]));
    }
  }
  std::error_code error;
  fs::directory_iterator entry(fmt::format("/proc/{}/fd", pid), error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    std::error_code gone;
    if (listeners.contains(fs::read_symlink(entry->path(), gone).string())) return true;
  }
  return false;
}

}  // namespace headroom::target
