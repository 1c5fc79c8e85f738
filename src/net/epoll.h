// Linux epoll(7) as a value: which of many descriptors are ready.
#pragma once

#include <sys/epoll.h>

#include <cstdint>
#include <span>

#include "base/clock.h"
#include "base/file.h"
#include "base/result.h"

namespace headroom::net {

// One owner thread; only wake-ups through a descriptor of its own (an eventfd) may come from
// others. Level-triggered unless EPOLLET is among the events. Does not own the descriptors it
// watches: remove one before closing it, or close all of its duplicates.
class Epoll {
 public:
  [[nodiscard]] static Result<Epoll> create();

  // `token` comes back in epoll_event::data.u64 with each event. Misuse (a descriptor added twice,
  // one that was never added) breaks an invariant and aborts; running out of memory or of
  // fs.epoll.max_user_watches is an Error.
  [[nodiscard]] Status add(int fd, std::uint32_t events, std::uint64_t token);
  void modify(int fd, std::uint32_t events, std::uint64_t token);
  void remove(int fd);

  // Waits for events, at most `timeout` (in nanoseconds where the kernel can, else rounded up to
  // the millisecond and cut at an hour; negative: without end). Returns the front of `events`,
  // filled; empty on a timeout or a signal.
  [[nodiscard]] std::span<epoll_event> wait(std::span<epoll_event> events, Nanos timeout);

 private:
  explicit Epoll(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace headroom::net
