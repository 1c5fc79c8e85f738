// Linux epoll(7) as a value: which of many descriptors are ready.
#pragma once

#include <sys/epoll.h>

#include <cstdint>
#include <span>

#include "base/clock.h"
#include "base/file.h"
#include "base/result.h"

namespace headroom::net {

// A timeout that never strikes.
inline constexpr Nanos kForEver{-1};

// One owner thread; only wake-ups through a descriptor of its own (an eventfd) may come from
// others. Level-triggered unless EPOLLET is among the events. Does not own the descriptors it
// watches: remove one before closing it, or close all of its duplicates.
class Epoll {
 public:
  // How a wait is timed: by epoll_pwait2(2), or by timerfd(2) where that does not exist (Linux
  // before 5.11, some sandboxes), which takes two more system calls.
  enum class Timing { kWait, kTimer };

  // With kWait, the first wait finds out whether it must be kTimer.
  [[nodiscard]] static Result<Epoll> create(Timing timing = Timing::kWait);

  // `token` comes back in epoll_event::data.u64 with each event; not kTimerToken. Misuse (a
  // descriptor added twice, one that was never added) breaks an invariant and aborts; running out
  // of memory or of fs.epoll.max_user_watches is an Error.
  [[nodiscard]] Status add(int fd, std::uint32_t events, std::uint64_t token);
  void modify(int fd, std::uint32_t events, std::uint64_t token);
  void remove(int fd);

  // Waits for events, at most `timeout` (to the nanosecond, as far as the thread's timer slack
  // allows; negative: without end). Returns the front of `events`, filled; empty on a timeout or a
  // signal.
  [[nodiscard]] std::span<epoll_event> wait(std::span<epoll_event> events, Nanos timeout);

 private:
  static constexpr std::uint64_t kTimerToken = ~std::uint64_t{1};

  explicit Epoll(UniqueFd fd) : fd_(std::move(fd)) {}
  [[nodiscard]] Status make_timer();
  [[nodiscard]] int wait_by_timer(std::span<epoll_event> events, Nanos timeout);

  UniqueFd fd_;
  UniqueFd timer_;  // of Timing::kTimer
};

}  // namespace headroom::net
