// The URI of a cache, as clients of Redis and Valkey write it. Pure.
//
//   valkey://[user@]host[:port][/database]    redis:// is the same
//   valkeys://...                             the same under TLS, as is rediss://
//   unix://[user@]/path/of/the/socket
//
// An IPv6 address stands in brackets. What is percent-encoded in user and path is decoded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace headroom::scenario {

struct Uri {
  bool tls = false;
  std::string username;  // empty: none
  std::string host;      // empty if it is a unix socket's
  std::uint16_t port = 6379;
  std::optional<std::uint32_t> database;
  std::string socket;
};

inline constexpr std::uint32_t kHighestDatabase = 65'535;

// The Error (kUsage) says what is wrong and what to write instead; it shows nothing of the text but
// the scheme, since a password may stand in it. One does: that is an error too, because scenarios
// are stored in run files.
[[nodiscard]] Result<Uri> parse_uri(std::string_view text);

}  // namespace headroom::scenario
