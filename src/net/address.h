// Where a server listens: a TCP host and port, or a unix socket.
#pragma once

#include <cstdint>
#include <string>

namespace headroom::net {

struct Address {
  std::string host;  // name or literal; empty when `socket` is set
  std::uint16_t port = 0;
  std::string socket;  // path of a unix socket
  // "127.0.0.1:6379", "[::1]:6379", "unix:/run/valkey.sock"
  [[nodiscard]] std::string text() const;
};

}  // namespace headroom::net
