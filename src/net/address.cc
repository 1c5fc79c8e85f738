#include "net/address.h"

#include <fmt/format.h>

namespace headroom::net {

std::string Address::text() const {
  if (!socket.empty()) return fmt::format("unix:{}", socket);
  // A literal IPv6 address needs brackets, or its last group would read as the port.
  const bool ipv6 = host.find(':') != std::string::npos;
  return ipv6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

}  // namespace headroom::net
