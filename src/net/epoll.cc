#include "net/epoll.h"

#include <sys/timerfd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

#include "base/check.h"

namespace headroom::net {
namespace {

timespec to_timespec(Nanos duration) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(duration);
  timespec result{};
  result.tv_sec = seconds.count();
  result.tv_nsec = (duration - seconds).count();
  return result;
}

}  // namespace

Result<Epoll> Epoll::create(Timing timing) {
  UniqueFd fd(::epoll_create1(EPOLL_CLOEXEC));
  if (!fd.valid()) {
    return fail(ErrorKind::kIncomplete, "cannot create an event queue: {}", errno_text(errno));
  }
  Epoll epoll(std::move(fd));
  if (timing == Timing::kTimer) {
    if (Status made = epoll.make_timer(); !made) return fail(made.error());
  }
  return epoll;
}

Status Epoll::make_timer() {
  UniqueFd timer(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
  if (!timer.valid()) {
    return fail(ErrorKind::kIncomplete, "cannot create a timer: {}", errno_text(errno));
  }
  if (Status added = add(timer.get(), EPOLLIN, kTimerToken); !added) return added;
  timer_ = std::move(timer);
  return {};
}

Status Epoll::add(int fd, std::uint32_t events, std::uint64_t token) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = token;
  if (::epoll_ctl(fd_.get(), EPOLL_CTL_ADD, fd, &event) == 0) return {};
  const int reason = errno;
  check(reason == ENOMEM || reason == ENOSPC, "epoll: descriptor cannot be added");
  return fail(ErrorKind::kIncomplete, "cannot watch another connection: {}", errno_text(reason));
}

void Epoll::modify(int fd, std::uint32_t events, std::uint64_t token) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = token;
  check(::epoll_ctl(fd_.get(), EPOLL_CTL_MOD, fd, &event) == 0, "epoll: descriptor not watched");
}

void Epoll::remove(int fd) {
  check(::epoll_ctl(fd_.get(), EPOLL_CTL_DEL, fd, nullptr) == 0, "epoll: descriptor not watched");
}

std::span<epoll_event> Epoll::wait(std::span<epoll_event> events, Nanos timeout) {
  int count = -1;
  if (!timer_.valid()) {
    const timespec precise = to_timespec(std::max(timeout, Nanos{0}));
    count = ::epoll_pwait2(fd_.get(), events.data(), static_cast<int>(events.size()),
                           timeout < Nanos{0} ? nullptr : &precise, nullptr);
    // Old container profiles answer EPERM to what they do not know.
    if (count < 0 && (errno == ENOSYS || errno == EPERM)) {
      check(make_timer().has_value(), "epoll: neither epoll_pwait2 nor a timer");
    }
  }
  if (timer_.valid()) count = wait_by_timer(events, timeout);
  check(count >= 0 || errno == EINTR, "epoll: wait failed");
  return events.first(count > 0 ? static_cast<std::size_t>(count) : 0);
}

// As epoll_wait(); the timer's own event is taken out.
int Epoll::wait_by_timer(std::span<epoll_event> events, Nanos timeout) {
  itimerspec when{};  // zero: never
  if (timeout > Nanos{0}) when.it_value = to_timespec(timeout);
  check(::timerfd_settime(timer_.get(), 0, &when, nullptr) == 0, "epoll: timer cannot be set");
  const int count = ::epoll_wait(fd_.get(), events.data(), static_cast<int>(events.size()),
                                 timeout == Nanos{0} ? 0 : -1);
  if (count <= 0) return count;
  const auto end = events.begin() + count;
  const auto is_timer = [](const epoll_event& event) { return event.data.u64 == kTimerToken; };
  return static_cast<int>(std::remove_if(events.begin(), end, is_timer) - events.begin());
}

}  // namespace headroom::net
