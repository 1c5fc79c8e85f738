#include "scripted/engine_model.h"

#include <fmt/format.h>
#include <fnmatch.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/text.h"

namespace headroom::scripted {
namespace {

constexpr std::uint64_t kEmptyEngineBytes = 1'000'000;
constexpr std::uint64_t kOverheadPerKeyBytes = 70;

std::string bulk(std::string_view text) { return fmt::format("${}\r\n{}\r\n", text.size(), text); }
std::string integer(std::uint64_t value) { return fmt::format(":{}\r\n", value); }
std::string error(std::string_view text) { return fmt::format("-{}\r\n", text); }
std::string ok() { return "+OK\r\n"; }

std::string nil(const Session& session) { return session.protocol == 3 ? "_\r\n" : "$-1\r\n"; }

// A map in RESP3; the same, flat, in RESP2.
std::string map_header(std::size_t pairs, const Session& session) {
  return session.protocol == 3 ? fmt::format("%{}\r\n", pairs) : fmt::format("*{}\r\n", 2 * pairs);
}

std::string wrong_count(std::string_view command) {
  return error(fmt::format("ERR wrong number of arguments for '{}' command", lower(command)));
}

std::string time_reply() {
  const auto microseconds =
      std::chrono::duration_cast<std::chrono::microseconds>(real_clock().wall().since_epoch)
          .count();
  return "*2\r\n" + bulk(std::to_string(microseconds / 1'000'000)) +
         bulk(std::to_string(microseconds % 1'000'000));
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

}  // namespace

void count_name(CommandCounts& counts, const std::string& command) {
  constexpr std::size_t kMostNames = 1000;
  const auto found = counts.find(command);
  if (found != counts.end()) {
    ++found->second;
  } else {
    ++counts[counts.size() < kMostNames ? command : kOtherCommands];
  }
}

EngineModel::EngineModel(EngineSettings settings)
    : settings_(std::move(settings)), started_(real_clock().now()) {
  settings_.config.emplace("maxmemory", std::to_string(settings_.maxmemory_bytes));
  settings_.config.emplace("maxmemory-policy", settings_.maxmemory_policy);
  settings_.config.emplace("save", "");
  settings_.config.emplace("appendonly", "no");
}

void EngineModel::connection_opened() {
  ++connections_open_;
  ++connections_ever_;
}

std::string EngineModel::answer(const std::vector<std::string>& arguments, Session& session) {
  check(!arguments.empty(), "a request has a command");
  const std::string command = upper(arguments[0]);
  count(command);
  if (command == "AUTH") return authenticate(arguments, session);
  if (command == "HELLO") return hello(arguments, session);
  if (command == "QUIT") return ok();
  if (!settings_.password.empty() && !session.authenticated) {
    return error("NOAUTH Authentication required.");
  }
  if (command == "GET")
    return arguments.size() == 2 ? get(arguments[1], session) : wrong_count(command);
  if (command == "SET") return set(arguments);
  if (command == "DEL" || command == "UNLINK") return remove(arguments);
  if (command == "EXISTS") return exists(arguments);
  if (command == "PING") return arguments.size() > 1 ? bulk(arguments[1]) : "+PONG\r\n";
  if (command == "ECHO") return arguments.size() == 2 ? bulk(arguments[1]) : wrong_count(command);
  if (command == "INFO") return bulk(info());
  if (command == "DBSIZE") return integer(keys());
  if (command == "TIME") return time_reply();
  if (command == "SELECT") return ok();
  if (command == "COMMAND") return "*0\r\n";
  if (command == "CONFIG" && arguments.size() > 2 && upper(arguments[1]) == "GET") {
    return config_get(arguments, session);
  }
  if (command == "CLIENT" && arguments.size() > 1) {
    return upper(arguments[1]) == "ID" ? integer(connections_ever_) : ok();
  }
  return error(fmt::format("ERR unknown command '{}', with args beginning with: ", arguments[0]));
}

std::string EngineModel::authenticate(const std::vector<std::string>& arguments,
                                      Session& session) const {
  if (arguments.size() < 2 || arguments.size() > 3) return wrong_count("auth");
  if (settings_.password.empty() && arguments.size() == 2) {
    return error(
        "ERR AUTH <password> called without any password configured for the default user. Are you "
        "sure your configuration is correct?");
  }
  const std::string user = arguments.size() == 3 ? arguments[1] : "default";
  if (user != settings_.username || arguments.back() != settings_.password) {
    return error("WRONGPASS invalid username-password pair or user is disabled.");
  }
  session.authenticated = true;
  return ok();
}

std::string EngineModel::hello(const std::vector<std::string>& arguments, Session& session) const {
  int protocol = session.protocol;
  if (arguments.size() > 1) {
    if (arguments[1] != "2" && arguments[1] != "3") {
      return error("NOPROTO unsupported protocol version");
    }
    protocol = arguments[1] == "3" ? 3 : 2;
  }
  for (std::size_t i = 2; i < arguments.size(); ++i) {
    if (upper(arguments[i]) == "AUTH" && i + 2 < arguments.size()) {
      const std::string reply = authenticate({"AUTH", arguments[i + 1], arguments[i + 2]}, session);
      if (reply.starts_with('-')) return reply;
      i += 2;
    }
  }
  if (!settings_.password.empty() && !session.authenticated) {
    return error("NOAUTH HELLO must be called with the client already authenticated.");
  }
  session.protocol = protocol;
  return map_header(4, session) + bulk("server") + bulk(settings_.name) + bulk("version") +
         bulk(settings_.version) + bulk("proto") + integer(static_cast<std::uint64_t>(protocol)) +
         bulk("mode") + bulk("standalone");
}

std::string EngineModel::config_get(const std::vector<std::string>& arguments,
                                    const Session& session) const {
  std::string body;
  std::size_t pairs = 0;
  for (const auto& setting : settings_.config) {
    const bool asked = std::any_of(arguments.begin() + 2, arguments.end(), [&](const auto& glob) {
      return fnmatch(lower(glob).c_str(), setting.first.c_str(), 0) == 0;
    });
    if (!asked) continue;
    body += bulk(setting.first) + bulk(setting.second);
    ++pairs;
  }
  return map_header(pairs, session) + body;
}

std::string EngineModel::get(const std::string& key, const Session& session) {
  const auto found = values_.find(key);
  if (found == values_.end()) {
    ++misses_;
    return nil(session);
  }
  ++hits_;
  return bulk(found->second);
}

std::string EngineModel::set(const std::vector<std::string>& arguments) {
  if (arguments.size() < 3) return wrong_count("set");
  if (arguments.size() > 3) return error("ERR syntax error");  // no options: refused, not ignored
  if (used_memory_bytes() + arguments[1].size() + arguments[2].size() > kMostBytes) {
    return error("OOM command not allowed when used memory > 'maxmemory'.");
  }
  std::string& value = values_[arguments[1]];
  value_bytes_ = value_bytes_ - value.size() + arguments[2].size();
  value = arguments[2];
  return ok();
}

std::string EngineModel::remove(const std::vector<std::string>& arguments) {
  if (arguments.size() < 2) return wrong_count(arguments[0]);
  std::uint64_t removed = 0;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const auto found = values_.find(arguments[i]);
    if (found == values_.end()) continue;
    value_bytes_ -= found->second.size();
    values_.erase(found);
    ++removed;
  }
  return integer(removed);
}

std::string EngineModel::exists(const std::vector<std::string>& arguments) const {
  if (arguments.size() < 2) return wrong_count("exists");
  return integer(static_cast<std::uint64_t>(
      std::count_if(arguments.begin() + 1, arguments.end(),
                    [this](const std::string& key) { return values_.contains(key); })));
}

std::uint64_t EngineModel::used_memory_bytes() const {
  return kEmptyEngineBytes + value_bytes_ + kOverheadPerKeyBytes * keys();
}

std::string EngineModel::info() const {
  std::uint64_t processed = 0;
  for (const auto& [command, calls] : calls_) processed += calls;
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  const std::string user = fmt::format("{:.6f}", seconds(usage.ru_utime));
  const std::string system = fmt::format("{:.6f}", seconds(usage.ru_stime));
  const std::string memory = std::to_string(used_memory_bytes());
  const auto uptime =
      std::chrono::duration_cast<std::chrono::seconds>(real_clock().now() - started_).count();

  using Fields = std::vector<std::pair<std::string, std::string>>;
  const std::vector<std::pair<std::string_view, Fields>> sections = {
      {"Server",
       {{"redis_version", settings_.name == "redis" ? settings_.version : "7.2.4"},
        {"server_name", settings_.name},
        {"valkey_version", settings_.name == "valkey" ? settings_.version : ""},
        {"redis_mode", "standalone"},
        {"arch_bits", "64"},
        {"process_id", std::to_string(getpid())},
        {"run_id", fmt::format("{:040x}", started_.count())},
        {"uptime_in_seconds", std::to_string(uptime)}}},
      {"Clients",
       {{"connected_clients", std::to_string(connections_open_)}, {"blocked_clients", "0"}}},
      {"Memory",
       {{"used_memory", memory},
        {"used_memory_rss", memory},
        {"used_memory_dataset", std::to_string(used_memory_bytes() - kEmptyEngineBytes)},
        {"maxmemory", std::to_string(settings_.maxmemory_bytes)},
        {"maxmemory_policy", settings_.maxmemory_policy},
        {"mem_fragmentation_ratio", "1.00"}}},
      {"Persistence",
       {{"loading", "0"}, {"rdb_bgsave_in_progress", "0"}, {"aof_rewrite_in_progress", "0"}}},
      {"Stats",
       {{"total_connections_received", std::to_string(connections_ever_)},
        {"total_commands_processed", std::to_string(processed)},
        {"expired_keys", "0"},
        {"evicted_keys", "0"},
        {"keyspace_hits", std::to_string(hits_)},
        {"keyspace_misses", std::to_string(misses_)}}},
      {"CPU",
       {{"used_cpu_sys", system},
        {"used_cpu_user", user},
        {"used_cpu_sys_main_thread", system},
        {"used_cpu_user_main_thread", user}}},
  };
  std::map<std::string, std::string> overrides = settings_.info;
  std::string text;
  for (const auto& [section, fields] : sections) {
    text += fmt::format("# {}\r\n", section);
    for (const auto& [name, value] : fields) {
      const auto override_ = overrides.extract(name);
      const std::string& shown = override_ ? override_.mapped() : value;
      if (!shown.empty()) text += fmt::format("{}:{}\r\n", name, shown);
    }
    text += "\r\n";
  }
  text += "# Commandstats\r\n";
  for (const auto& [command, calls] : calls_) {
    text += fmt::format(
        "cmdstat_{}:calls={},usec=0,usec_per_call=0.00,rejected_calls=0,failed_calls=0\r\n",
        lower(command), calls);
  }
  text += "\r\n# Keyspace\r\n";
  if (keys() > 0) text += fmt::format("db0:keys={},expires=0,avg_ttl=0\r\n", keys());
  for (const auto& [name, value] : overrides) text += fmt::format("{}:{}\r\n", name, value);
  return text;
}

}  // namespace headroom::scripted
