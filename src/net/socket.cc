#include "net/socket.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/check.h"

namespace headroom::net {
namespace {

constexpr std::string_view kBacklogFull = "its backlog of new connections is full";

// Room for an address of any family, with the length that is used.
struct RawAddress {
  sockaddr_storage storage{};
  socklen_t length = sizeof(sockaddr_storage);

  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
  template <class Family>
  [[nodiscard]] Family as() const {
    Family result{};
    std::memcpy(&result, &storage, sizeof(result));
    return result;
  }
};

struct FreeAddresses {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};
using AddressList = std::unique_ptr<addrinfo, FreeAddresses>;

Result<AddressList> look_up(const Address& address) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const std::string port = std::to_string(address.port);
  const int code = ::getaddrinfo(address.host.c_str(), port.c_str(), &hints, &found);
  if (code != 0) {
    const std::string reason = code == EAI_SYSTEM ? errno_text(errno) : ::gai_strerror(code);
    return fail(ErrorKind::kTarget, "cannot find the host {}: {}", address.host, reason);
  }
  return AddressList(found);
}

Result<RawAddress> unix_address(const Address& address) {
  sockaddr_un raw{};
  raw.sun_family = AF_UNIX;
  if (address.socket.size() >= sizeof(raw.sun_path)) {
    return fail(ErrorKind::kTarget,
                "cannot connect to {}: the path has {} bytes, a unix socket's may have {}",
                address.text(), address.socket.size(), sizeof(raw.sun_path) - 1);
  }
  address.socket.copy(raw.sun_path, sizeof(raw.sun_path) - 1);
  RawAddress result;
  std::memcpy(&result.storage, &raw, sizeof(raw));
  result.length = sizeof(raw);
  return result;
}

// The first address that stands for `address`, in the form the kernel wants.
Result<RawAddress> raw_address(const Address& address) {
  if (!address.socket.empty()) return unix_address(address);
  const auto list = look_up(address);
  if (!list) return fail(list.error());
  RawAddress result;
  check((*list)->ai_addrlen <= sizeof(result.storage), "an address longer than any family's");
  std::memcpy(&result.storage, (*list)->ai_addr, (*list)->ai_addrlen);
  result.length = (*list)->ai_addrlen;
  return result;
}

Result<Address> to_address(const sockaddr* raw, socklen_t length) {
  char host[NI_MAXHOST];
  char port[NI_MAXSERV];
  const int code = ::getnameinfo(raw, length, host, sizeof(host), port, sizeof(port),
                                 NI_NUMERICHOST | NI_NUMERICSERV);
  if (code != 0) {
    return fail(ErrorKind::kTarget, "cannot print an address: {}", ::gai_strerror(code));
  }
  Address result;
  result.host = host;
  result.port = static_cast<std::uint16_t>(std::stoul(port));
  return result;
}

std::optional<RawAddress> end_of(int fd, int (*which)(int, sockaddr*, socklen_t*)) {
  RawAddress result;
  if (which(fd, result.get(), &result.length) != 0) return std::nullopt;
  return result;
}

bool same_host_address(const RawAddress& a, const RawAddress& b) {
  if (a.storage.ss_family != b.storage.ss_family) return false;
  if (a.storage.ss_family == AF_INET) {
    return a.as<sockaddr_in>().sin_addr.s_addr == b.as<sockaddr_in>().sin_addr.s_addr;
  }
  const auto left = a.as<sockaddr_in6>();
  const auto right = b.as<sockaddr_in6>();
  return std::memcmp(&left.sin6_addr, &right.sin6_addr, sizeof(left.sin6_addr)) == 0;
}

bool is_loopback(const RawAddress& address) {
  if (address.storage.ss_family == AF_INET) {
    return (ntohl(address.as<sockaddr_in>().sin_addr.s_addr) >> 24U) == IN_LOOPBACKNET;
  }
  const auto ipv6 = address.as<sockaddr_in6>();
  if (IN6_IS_ADDR_V4MAPPED(&ipv6.sin6_addr)) return ipv6.sin6_addr.s6_addr[12] == IN_LOOPBACKNET;
  return IN6_IS_ADDR_LOOPBACK(&ipv6.sin6_addr);
}

tl::unexpected<Error> cannot_connect(const Address& address, std::string_view reason) {
  return fail(ErrorKind::kTarget, "cannot connect to {}: {}", address.text(), reason);
}

}  // namespace

Result<std::vector<Address>> resolve(const Address& address) {
  if (!address.socket.empty()) return std::vector{address};
  const auto list = look_up(address);
  if (!list) return fail(list.error());
  std::vector<Address> result;
  for (const addrinfo* entry = list->get(); entry != nullptr; entry = entry->ai_next) {
    auto numeric = to_address(entry->ai_addr, entry->ai_addrlen);
    if (!numeric) return fail(std::move(numeric.error()));
    result.push_back(std::move(*numeric));
  }
  return result;
}

Result<UniqueFd> start_connect(const Address& address) {
  const auto raw = raw_address(address);
  if (!raw) return fail(raw.error());
  UniqueFd fd(::socket(raw->storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd.valid()) return cannot_connect(address, errno_text(errno));
  if (raw->storage.ss_family != AF_UNIX) {
    const int on = 1;
    // Without it Nagle's algorithm would hold small requests back for an acknowledgement.
    if (::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) != 0) {
      return cannot_connect(address, errno_text(errno));
    }
  }
  if (::connect(fd.get(), raw->get(), raw->length) == 0 || errno == EINPROGRESS) return fd;
  if (errno == EAGAIN) return cannot_connect(address, kBacklogFull);
  return cannot_connect(address, errno_text(errno));
}

Status finish_connect(int fd, const Address& address) {
  int reason = 0;
  socklen_t length = sizeof(reason);
  if (::getsockopt(fd, SOL_SOCKET, SO_ERROR, &reason, &length) != 0) reason = errno;
  if (reason != 0) return cannot_connect(address, errno_text(reason));
  // A port that nobody listens on may be picked for our own end, and TCP then connects the socket
  // with itself: what we sent would come back as the reply.
  const auto local = end_of(fd, ::getsockname);
  const auto peer = end_of(fd, ::getpeername);
  if (!peer) return cannot_connect(address, errno_text(errno));
  if (local && local->storage.ss_family != AF_UNIX && local->length == peer->length &&
      std::memcmp(&local->storage, &peer->storage, local->length) == 0) {
    return cannot_connect(address, errno_text(ECONNREFUSED));
  }
  return {};
}

bool backlog_full(const Error& error) { return error.message.ends_with(kBacklogFull); }

Result<UniqueFd> connect(const Address& address, Nanos deadline) {
  const auto candidates = resolve(address);
  if (!candidates) return fail(candidates.error());
  check(!candidates->empty(), "a resolved name without an address");
  Error last{ErrorKind::kTarget, {}};
  for (const Address& candidate : *candidates) {
    auto fd = start_connect(candidate);
    while (!fd && backlog_full(fd.error()) && real_clock().now() < deadline) {
      ::poll(nullptr, 0, 1);  // nothing tells when a unix listener's backlog has room again
      fd = start_connect(candidate);
    }
    if (!fd) {
      last = std::move(fd.error());
      continue;
    }
    if (!wait_for(fd->get(), Wait::kWritable, deadline)) {
      return cannot_connect(candidate, "no answer within the time allowed");
    }
    auto connected = finish_connect(fd->get(), candidate);
    if (connected) return fd;
    last = std::move(connected.error());
  }
  return fail(std::move(last));
}

bool wait_for(int fd, Wait what, Nanos deadline) {
  pollfd watched{};
  watched.fd = fd;
  watched.events = what == Wait::kReadable ? POLLIN : POLLOUT;
  while (true) {
    const Nanos left = std::max(deadline - real_clock().now(), Nanos{0});
    const timespec timeout{std::chrono::duration_cast<std::chrono::seconds>(left).count(),
                           (left % std::chrono::seconds{1}).count()};
    const int ready = ::ppoll(&watched, 1, &timeout, nullptr);
    if (ready > 0) return true;
    if (ready == 0) return false;
    check(errno == EINTR, "poll: bad descriptor");
  }
}

Result<Address> peer_address(int fd) {
  const auto peer = end_of(fd, ::getpeername);
  if (!peer) return fail(ErrorKind::kTarget, "not connected: {}", errno_text(errno));
  if (peer->storage.ss_family == AF_UNIX) {
    Address result;
    result.socket = peer->as<sockaddr_un>().sun_path;
    return result;
  }
  return to_address(peer->get(), peer->length);
}

bool ends_on_one_host(int fd) {
  const auto local = end_of(fd, ::getsockname);
  const auto peer = end_of(fd, ::getpeername);
  if (!local || !peer) return false;
  if (peer->storage.ss_family == AF_UNIX) return true;
  return is_loopback(*peer) || same_host_address(*local, *peer);
}

Result<std::uint16_t> free_loopback_port() {
  const UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in wanted{};
  wanted.sin_family = AF_INET;
  wanted.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  RawAddress got;
  std::memcpy(&got.storage, &wanted, sizeof(wanted));
  if (!fd.valid() || ::bind(fd.get(), got.get(), sizeof(wanted)) != 0 ||
      ::getsockname(fd.get(), got.get(), &got.length) != 0) {
    return fail(ErrorKind::kTarget, "cannot find a free port on 127.0.0.1: {}", errno_text(errno));
  }
  return ntohs(got.as<sockaddr_in>().sin_port);
}

}  // namespace headroom::net
