// A child process that cannot outlive us.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace headroom {

struct SubprocessOptions {
  std::vector<std::string> argv{};            // argv[0] is searched on PATH if it has no slash
  std::filesystem::path working_directory{};  // empty: ours
  std::filesystem::path output{};             // stdout and stderr go there; empty: /dev/null
  std::vector<std::string> environment{};     // "NAME=value" added to ours, or instead of it
  // `cgroup.procs` files of the control groups that the child moves to before it is the program:
  // no instruction of that, and nothing it forks, runs outside of them. One that cannot be joined
  // is an error.
  std::vector<std::filesystem::path> cgroups{};
};

// How a child ended.
struct ExitStatus {
  int code = 0;    // exit code, when signal is 0
  int signal = 0;  // the signal that ended it, or 0
  // "exit code 1", "killed by signal 9 (Killed)"
  [[nodiscard]] std::string describe() const;
};

// Owns one child. The kernel kills the child when our process dies (PR_SET_PDEATHSIG with SIGKILL;
// because that signal is tied to the *thread* that forked, all children are forked by one thread
// that lives as long as the process). The destructor kills and reaps. Not thread-safe.
//
// The child has a session of its own, so that Ctrl-C in our terminal does not reach it; an empty
// standard input; default signal handling; none of our descriptors.
//
// What it forked and left behind is killed and reaped when its end is noticed, daemons included: by
// the first start() this process becomes the one to which orphans below it are handed
// (base/orphans.h tells which of them are spared). Only if our process is killed meanwhile does
// what the child itself forked outlive it.
class Subprocess {
 public:
  // Returns when the child has become the program, or says why it could not (kTarget). The output
  // file is created or emptied.
  [[nodiscard]] static Result<Subprocess> start(const SubprocessOptions& options);
  Subprocess(Subprocess&& other) noexcept;
  Subprocess& operator=(Subprocess&& other) noexcept;
  Subprocess(const Subprocess&) = delete;
  Subprocess& operator=(const Subprocess&) = delete;
  ~Subprocess();

  [[nodiscard]] pid_t pid() const { return pid_; }
  // Reaps the child if it has ended, without waiting.
  [[nodiscard]] std::optional<ExitStatus> poll();
  // Waits at most `timeout`; nullopt if it still runs.
  [[nodiscard]] std::optional<ExitStatus> wait(Nanos timeout);
  // SIGTERM (after SIGCONT, so that a stopped child hears it), then SIGKILL after `grace`; reaps.
  // Of a child that had ended before: how it did.
  ExitStatus stop(Nanos grace);

 private:
  explicit Subprocess(pid_t pid) : pid_(pid) {}
  void kill_and_reap();
  // With WNOHANG it does not wait.
  std::optional<ExitStatus> reap(int flags);

  pid_t pid_ = -1;                   // -1: moved from
  std::optional<ExitStatus> ended_;  // present: reaped, and pid_ may be another process's by now
};

// The absolute path of an executable by name on PATH, or nullopt.
[[nodiscard]] std::optional<std::filesystem::path> find_executable(const std::string& name);

}  // namespace headroom
