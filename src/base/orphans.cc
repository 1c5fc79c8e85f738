#include "base/orphans.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/file.h"
#include "base/text.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

// Each round ends all that is there; a further one finds what the ended ones left in turn.
constexpr int kMostRounds = 100;

struct Process {
  pid_t pid = -1;
  pid_t parent = -1;
  pid_t session = -1;
};

std::optional<pid_t> to_pid(std::string_view text) {
  pid_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

// From /proc/PID/stat (proc(5)): "PID (NAME) STATE PARENT GROUP SESSION ..."; a name may hold
// anything.
std::optional<Process> process_of(pid_t pid) {
  const auto stat = read_file(fmt::format("/proc/{}/stat", pid));
  if (!stat) return std::nullopt;  // it has ended
  const std::size_t name_end = stat->rfind(") ");
  if (name_end == std::string::npos) return std::nullopt;
  const auto fields = split(std::string_view(*stat).substr(name_end + 2), ' ');
  if (fields.size() < 4) return std::nullopt;
  const auto parent = to_pid(fields[1]);
  const auto session = to_pid(fields[3]);
  if (!parent || !session) return std::nullopt;
  return Process{pid, *parent, *session};
}

std::vector<Process> children_of(pid_t parent) {
  std::vector<Process> children;
  std::error_code error;
  for (fs::directory_iterator at("/proc", error), end; !error && at != end; at.increment(error)) {
    const auto pid = to_pid(at->path().filename().native());
    if (!pid) continue;
    const auto process = process_of(*pid);
    if (process && process->parent == parent) children.push_back(*process);
  }
  return children;
}

}  // namespace

Orphans& Orphans::instance() {
  static Orphans* const orphans = new Orphans;  // never destroyed: children may be static
  return *orphans;
}

Orphans::Orphans() : own_session_(::getsid(0)) {
  for (const Process& child : children_of(::getpid())) strangers_.insert(child.pid);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

pid_t Orphans::adopt(const std::function<pid_t()>& fork) {
  const std::lock_guard lock(mutex_);
  const pid_t child = fork();
  if (child > 0) owned_.insert(child);
  return child;
}

void Orphans::end(pid_t child) {
  const std::lock_guard lock(mutex_);
  ::kill(-child, SIGKILL);  // the zombie keeps the number of the group ours
  (void)::waitpid(child, nullptr, 0);
  owned_.erase(child);
  for (int round = 0; round < kMostRounds && sweep(child); ++round) continue;
}

bool Orphans::sweep(pid_t child) {
  bool found = false;
  for (const Process& process : children_of(::getpid())) {
    const bool others = owned_.contains(process.pid) || owned_.contains(process.session) ||
                        strangers_.contains(process.pid) || process.session == own_session_;
    if (others || (::getpid() == 1 && process.session != child)) continue;
    // It is our child and only we reap it: the pid is its own. One that changed its user may be
    // out of our reach, and is not waited for.
    const bool killed = ::kill(process.pid, SIGKILL) == 0;
    if (::waitpid(process.pid, nullptr, killed ? 0 : WNOHANG) == process.pid) found = true;
  }
  return found;
}

}  // namespace headroom
