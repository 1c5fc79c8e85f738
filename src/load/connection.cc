#include "load/connection.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace headroom::load {

void Connection::connecting(UniqueFd fd, Nanos now) {
  fd_ = std::move(fd);
  state_ = ConnectionState::kConnecting;
  since_ = now;
}

void Connection::close(Nanos now) {
  fd_.reset();
  state_ = ConnectionState::kClosed;
  since_ = now;
  queue_.clear();
  parser_.reset();
  rest_ = {};
  rest_begin_ = 0;
  tail_ = {};
}

ssize_t Connection::receive(std::span<char> buffer) const {
  const ssize_t bytes = ::recv(fd_.get(), buffer.data(), buffer.size(), 0);
  return bytes < 0 ? -errno : bytes;
}

ssize_t Connection::send(std::string_view bytes, std::string_view tail) const {
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

void Connection::keep_unsent(std::string_view bytes, std::string_view tail, std::size_t taken) {
  const std::size_t of_bytes = std::min(taken, bytes.size());
  rest_.assign(bytes.substr(of_bytes));
  rest_begin_ = 0;
  tail_ = tail.substr(taken - of_bytes);
}

void Connection::sent_more(std::size_t taken) {
  const std::size_t of_rest = std::min(taken, rest().size());
  rest_begin_ += of_rest;
  tail_.remove_prefix(taken - of_rest);
  if (!has_unsent()) {
    rest_ = {};  // gives the memory back: being cut short is rare
    rest_begin_ = 0;
  }
}

void Connection::drop_waiting() {
  if (queue_.waiting() == 0) return;
  // The tail belongs to the last request, and that one is dropped.
  tail_ = {};
  if (has_unsent()) rest_.resize(rest_begin_ + queue_.first_waiting_offset());
  queue_.drop_waiting();
}

}  // namespace headroom::load
