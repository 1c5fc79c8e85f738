#include "serve/guard.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace headroom::serve {
namespace {

constexpr std::uint16_t kHttpPort = 80;  // which a Host header leaves out

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return std::tolower(c); });
  return result;
}

bool is_numeric(const std::string& host) {
  in6_addr address{};
  return ::inet_pton(AF_INET, host.c_str(), &address) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

// "host:port" or "[host]:port", the port 80 if it is left out; nullopt if it is neither.
std::optional<OwnName> parse_host(std::string_view text) {
  OwnName name;
  std::string_view port;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    name.host = lower(text.substr(1, end - 1));
    port = text.substr(end + 1);
  } else {
    const std::size_t colon = text.find(':');
    name.host = lower(text.substr(0, colon));
    port = colon == std::string_view::npos ? "" : text.substr(colon);
  }
  name.port = kHttpPort;
  if (port.empty()) return name;
  port.remove_prefix(1);
  constexpr std::size_t kLongest = 5;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (port.empty() || port.size() > kLongest || !std::ranges::all_of(port, is_digit))
    return std::nullopt;
  const int value = std::stoi(std::string(port));
  if (value > UINT16_MAX) return std::nullopt;
  name.port = static_cast<std::uint16_t>(value);
  return name;
}

}  // namespace

bool is_ours(const OwnName& us, std::string_view host_header) {
  const auto asked = parse_host(host_header);
  if (!asked || asked->port != us.port) return false;
  return asked->host == lower(us.host) || asked->host == "localhost" || is_numeric(asked->host);
}

std::optional<HttpResponse> refusal(const OwnName& us, const HttpRequest& request) {
  if (request.method != "GET" && request.method != "HEAD") {
    HttpResponse response =
        plain_response(405, "This server only shows things: GET and HEAD are all it answers.");
    response.headers.emplace_back("Allow", "GET, HEAD");
    return response;
  }
  if (request.has_body) return plain_response(413, "A request here has no body.");
  if (request.has_range) return plain_response(416, "Parts of a page are not served.");
  if (!request.host) return plain_response(400, "The request names no host.");
  if (!is_ours(us, *request.host)) {
    return plain_response(
        421, fmt::format("This server is not called {}: ask it by the address that it printed.",
                         printable(*request.host, 100)));
  }
  if (request.origin && lower(*request.origin) != "http://" + lower(*request.host))
    return plain_response(403, "Pages of other sites are not answered.");
  if (request.fetch_site == "cross-site" && request.fetch_mode != "navigate")
    return plain_response(403, "Pages of other sites are not answered.");
  return std::nullopt;
}

}  // namespace headroom::serve
