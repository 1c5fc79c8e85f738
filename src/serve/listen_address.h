// Where to listen, as a user writes it. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace headroom::serve {

struct ListenAddress {
  std::string host = "127.0.0.1";
  std::uint16_t port = 8379;  // 0: any that is free
  // "127.0.0.1:8379", "[::1]:8379"
  [[nodiscard]] std::string text() const;
  // Of the page that is served there.
  [[nodiscard]] std::string url() const { return "http://" + text() + "/"; }
  // Whether only this machine can reach it.
  [[nodiscard]] bool is_loopback() const;
};

inline constexpr std::string_view kDefaultListen = "127.0.0.1:8379";

// "ADDR:PORT", "[ADDR]:PORT" or "ADDR" with the default port. Errors (kUsage) name the text.
[[nodiscard]] Result<ListenAddress> parse_listen_address(std::string_view text);

}  // namespace headroom::serve
