#include "scenario/engine_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "base/text.h"

namespace headroom::scenario {
namespace {

// Settings that would take a node away from Headroom, and what to do instead.
struct Owned {
  std::string_view name;
  std::string_view instead;
};
constexpr std::array kOwned = {
    Owned{"aclfile", "give target.acl_user"},
    Owned{"bind", "a local node listens on 127.0.0.1 alone"},
    Owned{"cluster-config-file", "give target.shards"},
    Owned{"cluster-enabled", "give target.shards"},
    Owned{"cluster-port", "give target.shards"},
    Owned{"daemonize", "an engine that leaves its parent could not be taken down"},
    Owned{"dir", "a local node has a private directory"},
    Owned{"include", "write the settings here"},
    Owned{"logfile", "its output goes to the private directory"},
    Owned{"masterauth", "give target.acl_user"},
    Owned{"masteruser", "give target.acl_user"},
    Owned{"maxmemory", "give target.maxmemory"},
    Owned{"maxmemory-policy", "give target.maxmemory_policy"},
    Owned{"pidfile", "a local node needs none"},
    Owned{"port", "a free one is chosen"},
    Owned{"primaryauth", "give target.acl_user"},
    Owned{"primaryuser", "give target.acl_user"},
    Owned{"protected-mode", "a local node listens on 127.0.0.1 alone"},
    Owned{"replicaof", "give target.replicas"},
    Owned{"requirepass", "give target.acl_user"},
    Owned{"slaveof", "give target.replicas"},
    Owned{"supervised", "Headroom is what supervises it"},
    Owned{"syslog-enabled", "its output goes to the private directory"},
    Owned{"tls-", "give target.tls"},
    Owned{"unixsocket", "a local node listens on 127.0.0.1 alone"},
    Owned{"user", "give target.acl_user"},
};

const Owned* find_owned(std::string_view name) {
  const auto* found = std::ranges::find_if(kOwned, [name](const Owned& owned) {
    return owned.name.ends_with('-') ? name.starts_with(owned.name) : name == owned.name;
  });
  return found == kOwned.end() ? nullptr : found;
}

bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
  });
}

}  // namespace

Result<std::vector<EngineSetting>> read_engine_settings(std::string_view text) {
  std::vector<EngineSetting> settings;
  for (const std::string_view given : split(text, '\n')) {
    const std::string_view line = trim(given);
    if (line.empty() || line.front() == '#') continue;
    const std::size_t blank = std::min(line.find_first_of(" \t"), line.size());
    EngineSetting setting{std::string(line.substr(0, blank)),
                          std::string(trim(line.substr(blank)))};
    std::ranges::transform(setting.name, setting.name.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (!is_name(setting.name) || setting.value.empty()) {
      return fail(ErrorKind::kUsage,
                  "\"{}\" is no setting; write a name and a value, such as \"io-threads 4\"",
                  printable(line, 80));
    }
    if (const Owned* owned = find_owned(setting.name)) {
      return fail(ErrorKind::kUsage, "{} is set by Headroom: {}", setting.name, owned->instead);
    }
    settings.push_back(std::move(setting));
  }
  return settings;
}

Result<std::vector<std::string>> read_engine_args(
    std::string_view text, const std::map<std::string, std::string, std::less<>>& values) {
  std::vector<std::string> words;
  bool has_port = false;
  std::string flat(text);
  std::ranges::replace_if(flat, [](char c) { return c == '\t' || c == '\n'; }, ' ');
  for (const std::string_view given : split(flat, ' ')) {
    if (given.empty()) continue;
    std::string word;
    std::size_t at = 0;
    while (at < given.size()) {
      const std::size_t open = std::min(given.find('{', at), given.size());
      word += given.substr(at, open - at);
      if (open == given.size()) break;
      const std::size_t close = given.find('}', open);
      const std::string_view name =
          close == std::string_view::npos ? "" : given.substr(open + 1, close - open - 1);
      const auto value = values.find(name);
      if (value == values.end()) {
        return fail(ErrorKind::kUsage,
                    "\"{}\" has an unknown placeholder; there are {{port}}, {{maxmemory}}, "
                    "{{policy}} and {{directory}}",
                    printable(given, 80));
      }
      has_port |= name == "port";
      word += value->second;
      at = close + 1;
    }
    words.push_back(std::move(word));
  }
  if (!has_port) {
    return fail(ErrorKind::kUsage,
                "{{port}} is not in it; say with it where the server is to listen, such as "
                "\"--port {{port}}\"");
  }
  return words;
}

std::uint32_t engine_count(const Target& target) {
  return target.shards.value_or(1) * (1 + target.replicas);
}

}  // namespace headroom::scenario
