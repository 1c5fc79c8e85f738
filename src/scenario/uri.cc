#include "scenario/uri.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "base/text.h"
#include "scenario/value.h"

namespace headroom::scenario {
namespace {

constexpr std::size_t kLongestHostBytes = 253;
constexpr std::size_t kLongestSocketBytes = 107;  // sockaddr_un::sun_path without its final zero

struct Scheme {
  std::string_view name;
  bool tls;
};
constexpr std::array kSchemes = {Scheme{"valkey", false}, Scheme{"redis", false},
                                 Scheme{"valkeys", true}, Scheme{"rediss", true},
                                 Scheme{"unix", false}};

template <class... Args>
tl::unexpected<Error> wrong(fmt::format_string<Args...> format, Args&&... args) {
  return fail(ErrorKind::kUsage, format, std::forward<Args>(args)...);
}

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      result += text[i];
      continue;
    }
    unsigned char byte = 0;
    if (i + 2 >= text.size()) return std::nullopt;
    const char* const digits = text.data() + i + 1;
    const auto [end, failure] = std::from_chars(digits, digits + 2, byte, 16);
    if (failure != std::errc{} || end != digits + 2) return std::nullopt;
    result += static_cast<char>(byte);
    i += 2;
  }
  return result;
}

template <class Number>
bool read_number(std::string_view text, Number lowest, Number highest, Number& number) {
  const char* const end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, number);
  return failure == std::errc{} && stop == end && number >= lowest && number <= highest;
}

// Takes "user@" off the front of `rest`.
Status take_user(std::string_view& rest, Uri& uri) {
  const std::size_t at = rest.rfind('@');
  if (at == std::string_view::npos) return {};
  const std::string_view user = rest.substr(0, at);
  rest.remove_prefix(at + 1);
  if (user.find(':') != std::string_view::npos) {
    return wrong(
        "holds a password, and scenarios are stored in run files; leave it out and give "
        "target.password_file or target.password_env");
  }
  const auto decoded = percent_decoded(user);
  if (!decoded) return wrong("has a user that is not percent-encoded rightly");
  if (decoded->empty()) return wrong("has an @ without a user; leave it out");
  const auto word = read_value(TextType{TextForm::kWord, 256}, *decoded);
  if (!word) return wrong("has a user that is no text without spaces of at most 256 bytes");
  uri.username = *decoded;
  return {};
}

Status take_host_and_port(std::string_view text, Uri& uri) {
  std::string_view host = text;
  std::optional<std::string_view> port;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return wrong("has a \"[\" without \"]\" around its host");
    host = text.substr(1, end - 1);
    const std::string_view behind = text.substr(end + 1);
    if (behind.starts_with(':')) {
      port = behind.substr(1);
    } else if (!behind.empty()) {
      return wrong("has something other than :port behind the host's \"]\"");
    }
  } else if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
    host = text.substr(0, colon);
    port = text.substr(colon + 1);
    if (port->find(':') != std::string_view::npos) {
      return wrong("has an IPv6 address without brackets; write [::1]:6379");
    }
  }
  if (host.empty()) return wrong("has no host; write valkey://host:6379");
  if (!read_value(TextType{TextForm::kHost, kLongestHostBytes}, host)) {
    return wrong("has what is no host name and no IP address where its host should stand");
  }
  uri.host = host;
  if (port && !read_number<std::uint16_t>(*port, 1, 65535, uri.port)) {
    return wrong("has what is no port from 1 to 65,535 behind its host");
  }
  return {};
}

Result<Uri> unix_uri(std::string_view rest) {
  Uri uri;
  const std::size_t at = rest.find('@');
  if (at != std::string_view::npos && at < rest.find('/')) {
    std::string_view user = rest.substr(0, at + 1);
    if (auto taken = take_user(user, uri); !taken) return fail(taken.error());
    rest.remove_prefix(at + 1);
  }
  if (!rest.starts_with('/')) {
    return wrong("needs the socket's absolute path; write unix:///run/valkey.sock");
  }
  const auto path = percent_decoded(rest);
  if (!path || !read_value(TextType{TextForm::kPath, kLongestSocketBytes}, *path)) {
    return wrong("has no path of at most {} bytes for its socket", kLongestSocketBytes);
  }
  uri.socket = *path;
  return uri;
}

}  // namespace

Result<Uri> parse_uri(std::string_view text) {
  const std::size_t end = text.find("://");
  if (end == std::string_view::npos) {
    return wrong("is no URI; write valkey://host:6379, rediss://host or unix:///path");
  }
  const std::string_view name = text.substr(0, end);
  const auto* const scheme = std::ranges::find(kSchemes, name, &Scheme::name);
  if (scheme == kSchemes.end()) {
    std::vector<std::string> names;
    for (const Scheme& each : kSchemes) names.emplace_back(each.name);
    const auto near = nearest(name, names);
    return wrong("has the scheme \"{}\"; give valkey, valkeys, redis, rediss or unix{}",
                 printable(name, 20), near ? fmt::format("; did you mean {}?", *near) : "");
  }
  std::string_view rest = text.substr(end + 3);
  if (scheme->name == "unix") return unix_uri(rest);

  Uri uri;
  uri.tls = scheme->tls;
  if (auto taken = take_user(rest, uri); !taken) return fail(taken.error());
  const std::size_t slash = rest.find('/');
  if (auto taken = take_host_and_port(rest.substr(0, slash), uri); !taken) {
    return fail(taken.error());
  }
  if (slash == std::string_view::npos || slash + 1 == rest.size()) return uri;
  std::uint32_t database = 0;
  if (!read_number<std::uint32_t>(rest.substr(slash + 1), 0, kHighestDatabase, database)) {
    return wrong("has what is no database from 0 to {} behind its last \"/\"", kHighestDatabase);
  }
  uri.database = database;
  return uri;
}

}  // namespace headroom::scenario
