#include "net/epoll.h"

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

int to_milliseconds(Nanos timeout) {
  if (timeout < Nanos{0}) return -1;
  constexpr Nanos kLongest = std::chrono::hours{1};
  return static_cast<int>(
      std::chrono::ceil<std::chrono::milliseconds>(std::min(timeout, kLongest)).count());
}

}  // namespace

Result<Epoll> Epoll::create() {
  UniqueFd fd(::epoll_create1(EPOLL_CLOEXEC));
  if (!fd.valid()) {
    return fail(ErrorKind::kIncomplete, "cannot create an event queue: {}", errno_text(errno));
  }
  return Epoll(std::move(fd));
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
  const int capacity = static_cast<int>(events.size());
  const timespec precise = to_timespec(std::max(timeout, Nanos{0}));
  int count = ::epoll_pwait2(fd_.get(), events.data(), capacity,
                             timeout < Nanos{0} ? nullptr : &precise, nullptr);
  if (count < 0 && errno == ENOSYS) {  // Linux before 5.11 and some sandboxes: milliseconds only
    count = ::epoll_wait(fd_.get(), events.data(), capacity, to_milliseconds(timeout));
  }
  check(count >= 0 || errno == EINTR, "epoll: wait failed");
  return events.first(count > 0 ? static_cast<std::size_t>(count) : 0);
}

}  // namespace headroom::net
