// The URIs by which the Redis family names a server:
// redis://[[user][:password]@]host[:port][/database], rediss:// and valkeys:// for TLS. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace headroom::interop {

struct EndpointUri {
  bool tls = false;
  std::string username;
  std::string password;
  std::string host;
  std::string port;      // empty: not given
  std::string database;  // empty: not given
};

// User and password are percent-decoded (RFC 3986). The error (kUsage) is the end of a message and
// never holds the URI, which may hold a password.
[[nodiscard]] Result<EndpointUri> parse_endpoint_uri(std::string_view text);

}  // namespace headroom::interop
