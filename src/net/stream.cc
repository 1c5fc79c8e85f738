#include "net/stream.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>

#include "base/result.h"

namespace headroom::net {

ssize_t Stream::receive(std::span<char> buffer) {
  if (tls_ != nullptr) [[unlikely]]
    return tls_->read(buffer);
  const ssize_t bytes = ::recv(fd_.get(), buffer.data(), buffer.size(), 0);
  return bytes < 0 ? -errno : bytes;
}

ssize_t Stream::send(std::string_view bytes, std::string_view tail) {
  if (tls_ != nullptr) [[unlikely]]
    return send_tls(bytes, tail);
  ssize_t taken = 0;
  if (tail.empty()) [[likely]] {
    taken = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  } else {
    // sendmsg() writes from the parts and does not change them, whatever its type says.
    std::array<iovec, 2> parts = {{{const_cast<char*>(bytes.data()), bytes.size()},
                                   {const_cast<char*>(tail.data()), tail.size()}}};
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = parts.size();
    taken = ::sendmsg(fd_.get(), &message, MSG_NOSIGNAL);
  }
  if (taken >= 0) [[likely]]
    return taken;
  return errno == EAGAIN || errno == EINTR ? 0 : -errno;
}

ssize_t Stream::send_tls(std::string_view bytes, std::string_view tail) {
  if (const ssize_t flushed = tls_->flush(); flushed < 0) return flushed;
  ssize_t taken = 0;
  for (const std::string_view part : {bytes, tail}) {
    if (tls_->has_unsent()) break;
    const ssize_t of_part = tls_->write(part);
    if (of_part < 0) return of_part;
    taken += of_part;
    if (static_cast<std::size_t>(of_part) < part.size()) break;
  }
  return taken;
}

std::string Stream::failure_text(ssize_t result) const {
  if (tls_ != nullptr && !tls_->failure().empty()) return tls_->failure();
  return errno_text(static_cast<int>(-result));
}

}  // namespace headroom::net
