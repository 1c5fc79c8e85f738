#include "scripted/listener.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/check.h"

namespace headroom::scripted {
namespace {

constexpr int kBacklog = 4096;

Result<UniqueFd> listen_on(sockaddr* address, socklen_t size, const std::string& name) {
  UniqueFd fd(socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd.valid() || bind(fd.get(), address, size) != 0 || listen(fd.get(), kBacklog) != 0) {
    return fail(ErrorKind::kTarget, "the scripted server cannot listen on {}: {}", name,
                errno_text(errno));
  }
  return fd;
}

}  // namespace

Result<UniqueFd> listen_on_loopback(net::Address& address) {
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof name;
  auto* generic = reinterpret_cast<sockaddr*>(&name);
  Result<UniqueFd> fd = listen_on(generic, size, "127.0.0.1");
  if (!fd) return fd;
  check(getsockname(fd->get(), generic, &size) == 0, "a listening socket has a name");
  address.host = "127.0.0.1";
  address.port = ntohs(name.sin_port);
  return fd;
}

Result<UniqueFd> listen_on_path(const std::string& path) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  if (path.size() >= sizeof name.sun_path) {
    return fail(ErrorKind::kTarget, "{}: a socket's path has at most {} bytes", path,
                sizeof name.sun_path - 1);
  }
  std::memcpy(name.sun_path, path.data(), path.size());
  return listen_on(reinterpret_cast<sockaddr*>(&name), sizeof name, path);
}

ssize_t receive(int fd, std::span<char> buffer, std::optional<Nanos>& stamp) {
  iovec bytes{buffer.data(), buffer.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(timespec))> control;
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t size = recvmsg(fd, &message, 0);
  const cmsghdr* header = size > 0 ? CMSG_FIRSTHDR(&message) : nullptr;
  if (header != nullptr && header->cmsg_level == SOL_SOCKET &&
      header->cmsg_type == SCM_TIMESTAMPNS) {
    timespec time{};
    std::memcpy(&time, CMSG_DATA(header), sizeof time);
    stamp = std::chrono::seconds{time.tv_sec} + Nanos{time.tv_nsec};
  }
  return size;
}

UniqueFd keep_stamping() {
  UniqueFd fd(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  if (fd.valid() && setsockopt(fd.get(), SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) != 0)
    fd.reset();
  return fd;
}

}  // namespace headroom::scripted
