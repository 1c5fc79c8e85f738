#include "lab/interrupts.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <utility>

namespace headroom::lab {
namespace {

// The exit code for a run that was left incomplete.
constexpr int kExitIncomplete = 4;

// A blocked signal waits to be heard even if it is ignored, so one that nohup had ignored must not
// be blocked at all.
bool is_ignored(int number) {
  struct sigaction current{};
  return ::sigaction(number, nullptr, &current) == 0 && current.sa_handler == SIG_IGN;
}

sigset_t interrupt_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  if (!is_ignored(SIGHUP)) sigaddset(&set, SIGHUP);
  return set;
}

std::string signal_name(int number) {
  if (number == SIGHUP) return "SIGHUP";
  return number == SIGINT ? "SIGINT" : "SIGTERM";
}

// One line on stderr, whole, below what a terminal shows in its last line.
void say(const std::string& words) {
  const std::string line =
      fmt::format("{}headroom: {}\n", ::isatty(STDERR_FILENO) == 1 ? "\n" : "", words);
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace

void block_interrupts() {
  const sigset_t set = interrupt_signals();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

Interrupts::Interrupts(std::function<void(const std::string&)> on_first, std::string answer)
    : on_first_(std::move(on_first)), answer_(std::move(answer)), thread_([this] { listen(); }) {}

Interrupts::~Interrupts() {
  stopping_ = true;
  thread_.join();
}

void Interrupts::set_remains(std::string text) {
  const std::lock_guard lock(mutex_);
  remains_ = std::move(text);
}

void Interrupts::listen() {
  const sigset_t set = interrupt_signals();
  // Looks at stopping_ ten times a second; a signal itself is heard at once.
  const timespec turn{0, 100'000'000};
  while (!stopping_) {
    const int number = ::sigtimedwait(&set, nullptr, &turn);
    if (number < 0) continue;
    if (!interrupted_.exchange(true)) {
      say(fmt::format("{}: {}", signal_name(number), answer_));
      on_first_(signal_name(number));
      continue;
    }
    const std::lock_guard lock(mutex_);
    say(fmt::format("second {}: leaving at once. {}", signal_name(number), remains_));
    ::_exit(kExitIncomplete);
  }
}

}  // namespace headroom::lab
