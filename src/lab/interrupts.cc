#include "lab/interrupts.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <utility>

namespace headroom::lab {
namespace {

// The exit code for a run that was left incomplete.
constexpr int kExitIncomplete = 4;

sigset_t interrupt_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

std::string signal_name(int number) { return number == SIGINT ? "SIGINT" : "SIGTERM"; }

}  // namespace

void block_interrupts() {
  const sigset_t set = interrupt_signals();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

Interrupts::Interrupts(std::function<void(const std::string&)> on_first)
    : on_first_(std::move(on_first)), thread_([this] { listen(); }) {}

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
      on_first_(signal_name(number));
      continue;
    }
    const std::lock_guard lock(mutex_);
    const std::string words =
        fmt::format("\nheadroom: second {}: leaving at once. {}\n", signal_name(number), remains_);
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, words.data(), words.size());
    ::_exit(kExitIncomplete);
  }
}

}  // namespace headroom::lab
