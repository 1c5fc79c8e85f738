#include "interop/endpoint_uri.h"

#include <charconv>

namespace headroom::interop {
namespace {

Result<std::string> percent_decoded(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      result += text[i];
      continue;
    }
    unsigned byte = 0;
    const std::string_view digits = text.substr(i + 1, 2);
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
    if (digits.size() != 2 || read.ec != std::errc() || read.ptr != digits.data() + 2) {
      return fail(
          ErrorKind::kUsage,
          "a % in the user or password is not followed by two hexadecimal digits; write %25 "
          "for a % itself");
    }
    result += static_cast<char>(byte);
    i += 2;
  }
  return result;
}

}  // namespace

Result<EndpointUri> parse_endpoint_uri(std::string_view text) {
  EndpointUri uri;
  const std::size_t scheme_end = text.find("://");
  const std::string_view scheme = text.substr(0, scheme_end);
  if (scheme_end == std::string_view::npos ||
      (scheme != "redis" && scheme != "valkey" && scheme != "rediss" && scheme != "valkeys")) {
    return fail(ErrorKind::kUsage,
                "does not begin with redis://, rediss://, valkey:// or valkeys://");
  }
  uri.tls = scheme.ends_with("ss") || scheme == "valkeys";
  std::string_view rest = text.substr(scheme_end + 3);

  // A password may hold an '@' that nobody encoded: the last one ends it.
  if (const std::size_t at = rest.rfind('@'); at != std::string_view::npos) {
    const std::string_view login = rest.substr(0, at);
    rest.remove_prefix(at + 1);
    const std::size_t colon = login.find(':');
    auto user = percent_decoded(login.substr(0, colon));
    if (!user) return fail(std::move(user.error()));
    uri.username = std::move(*user);
    if (colon != std::string_view::npos) {
      auto password = percent_decoded(login.substr(colon + 1));
      if (!password) return fail(std::move(password.error()));
      uri.password = std::move(*password);
    }
  }
  if (const std::size_t slash = rest.find('/'); slash != std::string_view::npos) {
    uri.database = rest.substr(slash + 1);
    rest = rest.substr(0, slash);
  }
  std::string_view host = rest;
  if (rest.starts_with('[')) {
    const std::size_t bracket = rest.find(']');
    if (bracket == std::string_view::npos)
      return fail(ErrorKind::kUsage, "the address begins with [ and has no ]");
    host = rest.substr(1, bracket - 1);
    rest.remove_prefix(bracket + 1);
  } else {
    host = rest.substr(0, rest.find(':'));
    rest.remove_prefix(host.size());
  }
  if (rest.starts_with(':')) uri.port = rest.substr(1);
  uri.host = host;
  if (uri.host.empty()) return fail(ErrorKind::kUsage, "names no host");
  return uri;
}

}  // namespace headroom::interop
