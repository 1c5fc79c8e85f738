#include "base/subprocess.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <span>
#include <string_view>
#include <thread>
#include <utility>

#include "base/check.h"
#include "base/file.h"
#include "base/orphans.h"
#include "base/text.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

// All that the child needs between fork and exec, made ready before the fork: after it only
// async-signal-safe calls are allowed, because other threads may have held any lock.
struct Plan {
  const char* program = nullptr;
  char* const* argv = nullptr;
  char* const* envp = nullptr;
  const char* directory = nullptr;  // nullptr: stay
  std::span<const int> cgroups{};   // open cgroup.procs files
  int input = -1;
  int output = -1;
  int report = -1;  // where the child tells why it could not become the program
  pid_t parent = -1;
};

// What the child writes to Plan::report when it fails.
struct Failure {
  enum Step : int { kDirectory, kRedirect, kCgroup, kExec };
  int step = kExec;
  int error = 0;
};

[[noreturn]] void give_up(const Plan& plan, Failure::Step step) {
  const Failure failure{step, errno};
  (void)!::write(plan.report, &failure, sizeof failure);
  ::_exit(127);
}

[[noreturn]] void become(const Plan& plan) {
  // A session of its own: Ctrl-C in the terminal is for us to handle, not for the engine, and what
  // the program forks can be killed as a group.
  ::setsid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != plan.parent) ::_exit(127);  // the parent died before prctl()
  for (const int cgroup : plan.cgroups) {
    if (::write(cgroup, "0", 1) != 1) give_up(plan, Failure::kCgroup);  // 0: whoever writes it
  }
  if (plan.directory != nullptr && ::chdir(plan.directory) != 0) give_up(plan, Failure::kDirectory);
  if (::dup2(plan.input, STDIN_FILENO) < 0 || ::dup2(plan.output, STDOUT_FILENO) < 0 ||
      ::dup2(plan.output, STDERR_FILENO) < 0) {
    give_up(plan, Failure::kRedirect);
  }
  // Descriptors that a library opened without O_CLOEXEC. May be unknown to an old kernel; ours are
  // all marked already.
  (void)::syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  // Ignored signals and the mask would survive exec.
  struct sigaction standard{};
  standard.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) ::sigaction(number, &standard, nullptr);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execve(plan.program, plan.argv, plan.envp);
  give_up(plan, Failure::kExec);
}

// The one thread that forks. It is made by the first start() and lives as long as the process, so
// that the parent-death signal, which follows the forking thread, follows the process.
class Forker {
 public:
  static Forker& instance() {
    static Forker* const forker = new Forker;  // never destroyed: its thread never ends
    return *forker;
  }

  // The pid, or minus an errno value.
  pid_t fork_child(const Plan& plan) {
    const std::lock_guard turn(callers_);
    std::unique_lock lock(mutex_);
    plan_ = &plan;
    changed_.notify_all();
    changed_.wait(lock, [this] { return plan_ == nullptr; });
    return pid_;
  }

 private:
  Forker() {
    // A parent that ignored SIGCHLD bequeaths that to us, and children would vanish unreaped.
    struct sigaction current{};
    if (::sigaction(SIGCHLD, nullptr, &current) == 0 && current.sa_handler == SIG_IGN)
      std::signal(SIGCHLD, SIG_DFL);
    // The thread must not take signals that are meant for the process; it inherits this mask.
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread([this] { serve(); }).detach();
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  [[noreturn]] void serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return plan_ != nullptr; });
      pid_ = Orphans::instance().adopt([this] {
        const pid_t pid = ::fork();
        if (pid == 0) become(*plan_);
        return pid > 0 ? pid : -errno;
      });
      plan_ = nullptr;
      changed_.notify_all();
    }
  }

  std::mutex callers_;  // one at a time in fork_child()
  std::mutex mutex_;    // guards the rest
  std::condition_variable changed_;
  const Plan* plan_ = nullptr;
  pid_t pid_ = -1;
};

bool is_executable(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

// Above the standard descriptors, so that redirecting those cannot overwrite it.
UniqueFd lifted(UniqueFd fd) {
  if (!fd.valid() || fd.get() > STDERR_FILENO) return fd;
  return UniqueFd(::fcntl(fd.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

std::vector<std::string> merged_environment(const std::vector<std::string>& added) {
  const auto name = [](std::string_view entry) { return entry.substr(0, entry.find('=')); };
  std::vector<std::string> result = added;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const bool replaced = std::ranges::any_of(
        added, [&](const std::string& other) { return name(other) == name(*entry); });
    if (!replaced) result.emplace_back(*entry);
  }
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

Result<fs::path> resolve(const std::string& program) {
  if (program.empty()) return fail(ErrorKind::kUsage, "cannot start a program without a name");
  if (program.find('/') == std::string::npos) {
    if (auto found = find_executable(program)) return *found;
    return fail(ErrorKind::kTarget, "cannot start {}: not found on PATH", program);
  }
  std::error_code error;
  fs::path absolute = fs::absolute(program, error);
  if (error) return fail(ErrorKind::kTarget, "cannot start {}: {}", program, error.message());
  return absolute;
}

// Waits until the child has become its program (nothing in the pipe) or could not.
std::optional<Failure> read_failure(int fd) {
  Failure failure;
  ssize_t got = 0;
  do {
    got = ::read(fd, &failure, sizeof failure);
  } while (got < 0 && errno == EINTR);
  if (got == static_cast<ssize_t>(sizeof failure)) return failure;
  return std::nullopt;
}

ExitStatus exit_status(const siginfo_t& info) {
  if (info.si_code == CLD_EXITED) return {info.si_status, 0};
  return {0, info.si_status};
}

}  // namespace

std::string ExitStatus::describe() const {
  if (signal == 0) return fmt::format("exit code {}", code);
  const char* const name = ::sigdescr_np(signal);
  if (name == nullptr) return fmt::format("killed by signal {}", signal);
  return fmt::format("killed by signal {} ({})", signal, name);
}

Result<Subprocess> Subprocess::start(const SubprocessOptions& options) {
  check(!options.argv.empty(), "a subprocess has an argv");
  const std::string& name = options.argv.front();
  Result<fs::path> program = resolve(name);
  if (!program) return fail(program.error());

  const bool discard = options.output.empty();
  const fs::path output_path = discard ? fs::path("/dev/null") : options.output;
  const int flags = O_WRONLY | O_APPEND | O_CLOEXEC | (discard ? 0 : O_CREAT | O_TRUNC);
  const UniqueFd input = lifted(UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC)));
  const UniqueFd output = lifted(UniqueFd(::open(output_path.c_str(), flags, 0666)));
  if (!input.valid() || !output.valid()) {
    return fail(ErrorKind::kTarget, "cannot start {}: cannot write its output to {}: {}", name,
                output_path.string(), errno_text(errno));
  }
  std::vector<UniqueFd> cgroups;
  std::vector<int> cgroup_numbers;
  for (const fs::path& path : options.cgroups) {
    cgroups.push_back(lifted(UniqueFd(::open(path.c_str(), O_WRONLY | O_CLOEXEC))));
    if (!cgroups.back().valid()) {
      return fail(ErrorKind::kTarget, "cannot start {} in the cgroup {}: {}", name,
                  path.parent_path().string(), errno_text(errno));
    }
    cgroup_numbers.push_back(cgroups.back().get());
  }
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    return fail(ErrorKind::kTarget, "cannot start {}: {}", name, errno_text(errno));
  const UniqueFd report_end(ends[0]);
  UniqueFd child_end = lifted(UniqueFd(ends[1]));

  std::vector<std::string> arguments = options.argv;
  std::vector<std::string> environment = merged_environment(options.environment);
  const std::vector<char*> argv = pointers(arguments);
  const std::vector<char*> envp = pointers(environment);
  const Plan plan{
      .program = program->c_str(),
      .argv = argv.data(),
      .envp = envp.data(),
      .directory = options.working_directory.empty() ? nullptr : options.working_directory.c_str(),
      .cgroups = cgroup_numbers,
      .input = input.get(),
      .output = output.get(),
      .report = child_end.get(),
      .parent = ::getpid(),
  };
  const pid_t pid = Forker::instance().fork_child(plan);
  child_end.reset();
  if (pid < 0) return fail(ErrorKind::kTarget, "cannot start {}: {}", name, errno_text(-pid));
  Subprocess child(pid);
  if (const std::optional<Failure> failure = read_failure(report_end.get())) {
    const std::string why = errno_text(failure->error);
    switch (failure->step) {
      case Failure::kDirectory:
        return fail(ErrorKind::kTarget, "cannot start {} in {}: {}", name,
                    options.working_directory.string(), why);
      case Failure::kCgroup:
        return fail(ErrorKind::kTarget, "cannot start {} in its cgroup: {}", name, why);
      case Failure::kRedirect:
        return fail(ErrorKind::kTarget, "cannot start {}: cannot redirect its output: {}", name,
                    why);
      default:
        return fail(ErrorKind::kTarget, "cannot start {}: {}", program->string(), why);
    }
  }
  return child;
}

Subprocess::Subprocess(Subprocess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), ended_(std::exchange(other.ended_, std::nullopt)) {}

Subprocess& Subprocess::operator=(Subprocess&& other) noexcept {
  if (this != &other) {
    kill_and_reap();
    pid_ = std::exchange(other.pid_, -1);
    ended_ = std::exchange(other.ended_, std::nullopt);
  }
  return *this;
}

Subprocess::~Subprocess() { kill_and_reap(); }

std::optional<ExitStatus> Subprocess::poll() { return reap(WNOHANG); }

std::optional<ExitStatus> Subprocess::wait(Nanos timeout) {
  if (std::optional<ExitStatus> status = poll()) return status;
  const Clock& clock = real_clock();
  const Nanos deadline = clock.now() + timeout;
  // Readable when the child has ended. The pid cannot be another's: it is ours until it is reaped.
  const UniqueFd ended(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  check(ended.valid(), "a process descriptor can be opened for a child (Linux 5.3 or newer)");
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - clock.now());
    pollfd wanted{.fd = ended.get(), .events = POLLIN, .revents = 0};
    (void)::poll(&wanted, 1, static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, INT_MAX)));
    if (std::optional<ExitStatus> status = poll()) return status;
    if (clock.now() >= deadline) return std::nullopt;
  }
}

ExitStatus Subprocess::stop(Nanos grace) {
  if (!poll()) {
    ::kill(pid_, SIGCONT);
    ::kill(pid_, SIGTERM);
    if (!wait(grace)) kill_and_reap();
  }
  return *ended_;
}

void Subprocess::kill_and_reap() {
  if (pid_ < 0 || ended_) return;
  ::kill(pid_, SIGKILL);
  (void)reap(0);
}

std::optional<ExitStatus> Subprocess::reap(int flags) {
  if (ended_) return ended_;
  check(pid_ > 0, "a subprocess that was moved from is not used");
  siginfo_t info{};
  int result = 0;
  do {
    // WNOWAIT leaves a zombie, which keeps the pid ours until what it left behind is ended.
    result = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT | flags);
  } while (result < 0 && errno == EINTR);
  check(result == 0, "our child is there to be waited for");
  if (info.si_pid == 0) return std::nullopt;  // still runs
  Orphans::instance().end(pid_);
  ended_ = exit_status(info);
  return ended_;
}

std::optional<fs::path> find_executable(const std::string& name) {
  if (name.empty() || name.find('/') != std::string::npos) return std::nullopt;
  const char* const path = std::getenv("PATH");
  if (path == nullptr) return std::nullopt;
  for (const std::string_view directory : split(path, ':')) {
    // An empty entry means the working directory; running whatever lies there is nobody's wish.
    if (directory.empty()) continue;
    std::error_code error;
    fs::path candidate = fs::absolute(fs::path(directory) / name, error);
    if (!error && is_executable(candidate)) return candidate;
  }
  return std::nullopt;
}

}  // namespace headroom
