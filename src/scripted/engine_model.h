// What a healthy cache would answer: a small truthful model of a Valkey or Redis server, enough for
// a client that connects, authenticates, asks for INFO and CONFIG, and reads and writes strings.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"

namespace headroom::scripted {

// What the model claims to be. All of it shows in INFO and CONFIG GET.
struct EngineSettings {
  std::string name = "valkey";  // "valkey" or "redis"
  std::string version = "9.1.0";
  std::uint64_t maxmemory_bytes =
      0;  // 0: unlimited, as the engines say it; a claim, never enforced
  std::string maxmemory_policy = "noeviction";
  std::uint64_t existing_keys = 0;  // counted by DBSIZE besides what was SET
  std::string username = "default";
  std::string password = {};                       // empty: AUTH is not asked for
  std::map<std::string, std::string> config = {};  // more of CONFIG GET
  std::map<std::string, std::string> info = {};  // replaces or adds fields of INFO ("evicted_keys")
};

// One of a connection's own facts.
struct Session {
  bool authenticated = false;
  int protocol = 2;  // HELLO changes it
};

// Calls by upper-case name of the command. Of names that clients make up a thousand are told apart;
// all others count as kOtherCommands.
using CommandCounts = std::map<std::string, std::uint64_t>;
inline constexpr const char* kOtherCommands = "(OTHERS)";
void count_name(CommandCounts& counts, const std::string& command);

// Bounded, whatever its clients send: of values it keeps kMostBytes, and refuses more as an engine
// does that is out of memory. Not thread-safe: the server's thread owns it.
class EngineModel {
 public:
  static constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30U;

  explicit EngineModel(EngineSettings settings);

  // The reply to one request, RESP bytes. `arguments` has the command at 0; it may not be empty.
  // Every call counts in the command statistics, as the engines count them.
  [[nodiscard]] std::string answer(const std::vector<std::string>& arguments, Session& session);
  // A request that the script answered in the model's stead: it counts, and does nothing.
  void count(const std::string& command) { count_name(calls_, command); }

  void connection_opened();
  void connection_closed() { --connections_open_; }
  [[nodiscard]] std::uint64_t keys() const { return settings_.existing_keys + values_.size(); }
  [[nodiscard]] const CommandCounts& calls() const { return calls_; }

 private:
  [[nodiscard]] std::string authenticate(const std::vector<std::string>& arguments,
                                         Session& session) const;
  [[nodiscard]] std::string hello(const std::vector<std::string>& arguments,
                                  Session& session) const;
  [[nodiscard]] std::string config_get(const std::vector<std::string>& arguments,
                                       const Session& session) const;
  [[nodiscard]] std::string get(const std::string& key, const Session& session);
  [[nodiscard]] std::string set(const std::vector<std::string>& arguments);
  [[nodiscard]] std::string remove(const std::vector<std::string>& arguments);
  [[nodiscard]] std::string exists(const std::vector<std::string>& arguments) const;
  [[nodiscard]] std::string info() const;
  [[nodiscard]] std::uint64_t used_memory_bytes() const;

  EngineSettings settings_;
  std::unordered_map<std::string, std::string> values_;
  std::uint64_t value_bytes_ = 0;
  CommandCounts calls_;
  std::uint64_t hits_ = 0;
  std::uint64_t misses_ = 0;
  std::uint64_t connections_open_ = 0;
  std::uint64_t connections_ever_ = 0;
  Nanos started_;
};

}  // namespace headroom::scripted
