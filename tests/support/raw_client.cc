#include "tests/support/raw_client.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <utility>

#include "net/socket.h"

namespace headroom::testing {

std::string encode(std::initializer_list<std::string_view> arguments) {
  std::string request = fmt::format("*{}\r\n", arguments.size());
  for (const std::string_view each : arguments) {
    request += fmt::format("${}\r\n{}\r\n", each.size(), each);
  }
  return request;
}

Result<RawClient> RawClient::connect(const net::Address& address) {
  Result<UniqueFd> fd = net::connect(address, real_clock().now() + kPatience);
  if (!fd) return fail(std::move(fd.error()));
  return RawClient(*std::move(fd));
}

bool RawClient::send(std::string_view bytes) {
  const Nanos deadline = real_clock().now() + kPatience;
  while (!bytes.empty()) {
    const ssize_t size = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (size >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(size));
    } else if (errno != EAGAIN || !net::wait_for(fd_.get(), net::Wait::kWritable, deadline)) {
      return false;
    }
  }
  return true;
}

bool RawClient::receive() {
  const Nanos deadline = real_clock().now() + kPatience;
  std::array<char, 16 * 1024> chunk;
  while (true) {
    const ssize_t size = recv(fd_.get(), chunk.data(), chunk.size(), 0);
    if (size > 0) {
      last_read_ = real_clock().now();
      buffer_.append(chunk.data(), static_cast<std::size_t>(size));
      return true;
    }
    if (size == 0 || errno != EAGAIN) return false;
    if (!net::wait_for(fd_.get(), net::Wait::kReadable, deadline)) return false;
  }
}

std::string RawClient::read(std::size_t size) {
  while (buffer_.size() < size && receive()) {
  }
  std::string result = buffer_.substr(0, size);
  buffer_.erase(0, result.size());
  return result;
}

std::string RawClient::read_to_end() {
  while (receive()) {
  }
  return std::exchange(buffer_, {});
}

std::string RawClient::ask(std::initializer_list<std::string_view> arguments,
                           std::string_view expected) {
  if (!send(encode(arguments))) return "(the connection is broken)";
  return read(expected.size());
}

std::string RawClient::ask_bulk(std::initializer_list<std::string_view> arguments) {
  if (!send(encode(arguments))) return "(the connection is broken)";
  std::string header;
  while (!header.ends_with("\r\n")) {
    const std::string next = read(1);
    if (next.empty()) return header;
    header += next;
  }
  std::size_t size = 0;
  std::from_chars(header.data() + 1, header.data() + header.size(), size);
  std::string body = read(size + 2);
  if (body.size() >= 2) body.resize(body.size() - 2);
  return body;
}

}  // namespace headroom::testing
