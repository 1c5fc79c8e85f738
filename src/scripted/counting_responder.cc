#include "scripted/counting_responder.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "base/file.h"
#include "net/epoll.h"
#include "scripted/event_tokens.h"
#include "scripted/listener.h"
#include "scripted/request_skipper.h"

namespace headroom::scripted {
namespace {

struct Client {
  UniqueFd fd;
  RequestSkipper requests;
  std::string unsent;  // replies that the kernel did not take; nothing is read until it has
};

}  // namespace

// One thread and its connections.
class CountingResponder::Loop {
 public:
  Loop(int listener, std::size_t value_bytes, UniqueFd wake_up, net::Epoll epoll)
      : listener_(listener),
        value_(fmt::format("${}\r\n{}\r\n", value_bytes, std::string(value_bytes, 'v'))),
        wake_up_(std::move(wake_up)),
        epoll_(std::move(epoll)),
        thread_([this] { serve(); }) {
    check(pthread_getcpuclockid(thread_.native_handle(), &cpu_clock_) == 0,
          "a running thread has a CPU clock");
  }
  ~Loop() {
    stopping_ = true;
    const std::uint64_t one = 1;
    check(write(wake_up_.get(), &one, sizeof one) == sizeof one, "an eventfd takes a wake-up");
    thread_.join();
  }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  Usage usage() const {
    timespec cpu{};
    clock_gettime(cpu_clock_, &cpu);
    return {requests_.load(std::memory_order_relaxed),
            std::chrono::seconds{cpu.tv_sec} + Nanos{cpu.tv_nsec}};
  }

 private:
  void serve();
  void handle(const epoll_event& event);
  void accept_one();
  // False if the client is to be closed.
  [[nodiscard]] bool answer(Client& client);
  [[nodiscard]] bool write_rest(Client& client);

  // Constant after construction.
  const int listener_;
  const std::string value_;
  clockid_t cpu_clock_{};

  // Any thread.
  std::atomic<bool> stopping_{false};
  std::atomic<std::uint64_t> requests_{0};

  // The server's thread.
  UniqueFd wake_up_;
  net::Epoll epoll_;
  std::unordered_map<std::uint64_t, Client> clients_;
  std::uint64_t next_client_ = 0;
  std::array<char, 64 * 1024> buffer_;
  std::string replies_;

  std::thread thread_;  // last: it uses all of the above
};

void CountingResponder::Loop::serve() {
  prctl(PR_SET_NAME, "responder");
  std::array<epoll_event, 256> events;
  while (!stopping_) {
    for (const epoll_event& event : epoll_.wait(events, net::kForEver)) handle(event);
  }
}

void CountingResponder::Loop::handle(const epoll_event& event) {
  if (event.data.u64 == kWakeUp) return;  // serve() looks at stopping_
  if (event.data.u64 == kListener) return accept_one();
  Client& client = clients_.at(event.data.u64);
  const bool goes_on = client.unsent.empty() ? answer(client) : write_rest(client);
  if (goes_on) {
    const std::uint32_t wanted = client.unsent.empty() ? EPOLLIN : EPOLLOUT;
    const bool was_writing = (event.events & EPOLLOUT) != 0;
    if ((wanted == EPOLLOUT) != was_writing) epoll_.modify(client.fd.get(), wanted, event.data.u64);
    return;
  }
  epoll_.remove(client.fd.get());
  clients_.erase(event.data.u64);
}

// One at a time, so that all threads get their share.
void CountingResponder::Loop::accept_one() {
  UniqueFd fd(accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!fd.valid()) return;
  const int on = 1;
  setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  const std::uint64_t index = next_client_++;
  if (!epoll_.add(fd.get(), EPOLLIN, index)) return;  // no memory for it: closed
  clients_[index].fd = std::move(fd);
}

bool CountingResponder::Loop::answer(Client& client) {
  const ssize_t size = recv(client.fd.get(), buffer_.data(), buffer_.size(), 0);
  if (size < 0) return errno == EAGAIN || errno == EINTR;
  if (size == 0) return false;
  replies_.clear();
  std::uint64_t count = 0;
  const bool well_formed =
      client.requests.feed({buffer_.data(), static_cast<std::size_t>(size)}, [&](char first) {
        ++count;
        replies_ += first == 'G' ? value_ : first == 'P' ? "+PONG\r\n" : "+OK\r\n";
      });
  if (!well_formed) return false;
  requests_.store(requests_.load(std::memory_order_relaxed) + count, std::memory_order_relaxed);
  if (replies_.empty()) return true;
  const ssize_t sent = send(client.fd.get(), replies_.data(), replies_.size(), MSG_NOSIGNAL);
  if (sent < 0 && errno != EAGAIN && errno != EINTR) return false;
  const auto taken = static_cast<std::size_t>(std::max<ssize_t>(sent, 0));
  if (taken < replies_.size()) client.unsent.assign(replies_, taken);
  return true;
}

bool CountingResponder::Loop::write_rest(Client& client) {
  const ssize_t sent =
      send(client.fd.get(), client.unsent.data(), client.unsent.size(), MSG_NOSIGNAL);
  if (sent < 0) return errno == EAGAIN || errno == EINTR;
  client.unsent.erase(0, static_cast<std::size_t>(sent));
  return true;
}

CountingResponder::CountingResponder(net::Address address, UniqueFd listener)
    : address_(std::move(address)), listener_(std::move(listener)) {}
CountingResponder::~CountingResponder() = default;

CountingResponder::Usage CountingResponder::usage() const {
  Usage sum;
  for (const auto& loop : loops_) {
    const Usage usage = loop->usage();
    sum.requests += usage.requests;
    sum.cpu += usage.cpu;
  }
  return sum;
}

Result<std::unique_ptr<CountingResponder>> CountingResponder::start(std::size_t value_bytes,
                                                                    std::uint32_t threads) {
  net::Address address;
  Result<UniqueFd> listener = listen_on_loopback(address);
  if (!listener) return fail(std::move(listener.error()));
  std::unique_ptr<CountingResponder> server(
      new CountingResponder(std::move(address), *std::move(listener)));
  for (std::uint32_t i = 0; i < threads; ++i) {
    UniqueFd wake_up(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
    if (!wake_up.valid())
      return fail(ErrorKind::kIncomplete, "cannot make an eventfd: {}", errno_text(errno));
    Result<net::Epoll> epoll = net::Epoll::create();
    if (!epoll) return fail(std::move(epoll.error()));
    const int fd = server->listener_.get();
    if (Status added = epoll->add(fd, EPOLLIN | EPOLLEXCLUSIVE, kListener); !added)
      return fail(added.error());
    if (Status added = epoll->add(wake_up.get(), EPOLLIN, kWakeUp); !added)
      return fail(added.error());
    server->loops_.push_back(
        std::make_unique<Loop>(fd, value_bytes, std::move(wake_up), *std::move(epoll)));
  }
  return server;
}

}  // namespace headroom::scripted
