#include "serve/listen_address.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace headroom::serve {
namespace {

tl::unexpected<Error> refuse(std::string_view text, std::string_view what) {
  return fail(ErrorKind::kUsage, "{}: {}; write ADDR:PORT such as {}, with port 0 for any",
              printable(text), what, kDefaultListen);
}

bool is_host(std::string_view host) {
  return !host.empty() && std::ranges::all_of(host, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
           c == '-' || c == '_';
  });
}

}  // namespace

std::string ListenAddress::text() const {
  const bool is_v6 = host.find(':') != std::string::npos;
  return fmt::format("{}{}{}:{}", is_v6 ? "[" : "", host, is_v6 ? "]" : "", port);
}

bool ListenAddress::is_loopback() const {
  in_addr v4{};
  if (::inet_pton(AF_INET, host.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24U) == 127;
  return host == "::1" || host == "localhost";
}

Result<ListenAddress> parse_listen_address(std::string_view text) {
  ListenAddress address;
  std::string_view rest = text;
  if (rest.starts_with('[')) {
    const std::size_t end = rest.find(']');
    in6_addr v6{};
    address.host = rest.substr(1, end == std::string_view::npos ? end : end - 1);
    if (end == std::string_view::npos || ::inet_pton(AF_INET6, address.host.c_str(), &v6) != 1)
      return refuse(text, "no IPv6 address in brackets");
    rest.remove_prefix(end + 1);
  } else {
    const std::size_t colon = rest.find(':');
    if (colon != std::string_view::npos && rest.find(':', colon + 1) != std::string_view::npos)
      return refuse(text, "an IPv6 address stands in brackets, as in [::1]:8379");
    address.host = rest.substr(0, colon);
    if (!is_host(address.host)) return refuse(text, "has no address");
    rest.remove_prefix(std::min(colon, rest.size()));
  }
  if (rest.empty()) return address;
  rest.remove_prefix(1);
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), address.port);
  if (rest.empty() || error != std::errc() || end != rest.data() + rest.size())
    return refuse(text, "its port is not 0 to 65535");
  return address;
}

}  // namespace headroom::serve
