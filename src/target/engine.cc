#include "target/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "target/secret.h"

namespace headroom::target {
namespace {

std::string text_or_empty(const resp::Info& info, std::string_view field) {
  return std::string(info.text(field).value_or(""));
}

std::optional<std::uint64_t> configured_count(const std::map<std::string, std::string>& values,
                                              const std::string& name) {
  const auto found = values.find(name);
  if (found == values.end()) return std::nullopt;
  const std::string& text = found->second;
  std::uint64_t result = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), result);
  if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return result;
}

}  // namespace

Engine identify(const resp::Info& info, const std::map<std::string, std::string>& configuration) {
  // Forks keep redis_version for compatibility and tell their own beside it.
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kVersions = {{
      {"valkey_version", "valkey"},
      {"dragonfly_version", "dragonfly"},
      {"garnet_version", "garnet"},
      {"kvrocks_version", "kvrocks"},
      {"redis_version", "redis"},
  }};
  Engine engine;
  engine.name = "unknown";
  for (const auto& [field, name] : kVersions) {
    const auto version = info.text(field);
    if (!version) continue;
    engine.name = name;
    engine.version = *version;
    break;
  }
  if (const auto name = info.text("server_name"); name && !name->empty()) engine.name = *name;
  engine.run_id = text_or_empty(info, "run_id");
  engine.role = text_or_empty(info, "role");
  if (const auto pid = info.count("process_id")) {
    engine.process_id = static_cast<std::int64_t>(*pid);
  }
  engine.maxmemory_bytes = configured_count(configuration, "maxmemory");
  if (!engine.maxmemory_bytes) engine.maxmemory_bytes = info.count("maxmemory");
  if (engine.maxmemory_bytes == 0U) engine.maxmemory_bytes.reset();
  const auto policy = configuration.find("maxmemory-policy");
  engine.maxmemory_policy =
      policy != configuration.end() ? policy->second : text_or_empty(info, "maxmemory_policy");
  engine.keys = info.keyspace_sum("keys");
  engine.cluster_enabled = info.text("cluster_enabled") == "1";
  return engine;
}

std::map<std::string, std::string> engine_facts(
    const Engine& engine, const resp::Info& info,
    const std::map<std::string, std::string>& configuration) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kTold = {{
      {"engine.os", "os"},
      {"engine.mode", "redis_mode"},
      {"engine.mode", "server_mode"},
      {"engine.compiler", "gcc_version"},
      {"engine.allocator", "mem_allocator"},
      {"engine.multiplexing", "multiplexing_api"},
      {"engine.role", "role"},
      {"engine.redis_compatibility", "redis_version"},
      {"engine.total_system_memory_bytes", "total_system_memory"},
  }};
  std::map<std::string, std::string> facts;
  facts["engine.name"] = engine.name;
  if (!engine.version.empty()) facts["engine.version"] = engine.version;
  if (!engine.run_id.empty()) facts["engine.run_id"] = engine.run_id;
  for (const auto& [fact, field] : kTold) {
    const auto value = info.text(field);
    if (value && !value->empty()) facts[std::string(fact)] = *value;
  }
  // "Linux 6.1.0 x86_64": the machine stands last.
  if (const auto os = info.text("os")) {
    const std::string_view machine = os->substr(os->rfind(' ') + 1);
    if (!machine.empty() && machine != *os) facts["engine.arch"] = machine;
  }
  facts["engine.config.maxmemory-policy"] = engine.maxmemory_policy;
  if (const auto limit = info.text("maxmemory")) facts["engine.config.maxmemory"] = *limit;
  for (const auto& [name, value] : configuration) {
    if (!is_secret_directive(name)) facts["engine.config." + name] = value;
  }
  if (engine.maxmemory_policy.empty()) facts.erase("engine.config.maxmemory-policy");
  return facts;
}

Result<Engine> describe_engine(resp::Client& client, Nanos deadline, record::Sink& sink) {
  const auto info = client.info({}, deadline);
  if (!info) return fail(info.error());
  std::map<std::string, std::string> configuration;
  if (auto answer = client.config_get("*", deadline)) {
    configuration = std::move(*answer);
  } else if (client.broken() || client.timed_out()) {
    return fail(std::move(answer.error()));
  } else {
    sink.warning(
        {record::WarningKind::kTelemetryAbsent,
         fmt::format("the engine's configuration is not recorded: {}", answer.error().message)});
  }
  Engine engine = identify(*info, configuration);
  for (auto& [name, value] : engine_facts(engine, *info, configuration)) sink.fact(name, value);
  return engine;
}

Status measure_clock(resp::Client& client, const Clock& clock, Nanos deadline, record::Sink& sink) {
  constexpr int kExchanges = 8;
  std::optional<Nanos> best;
  Nanos offset{0};
  for (int i = 0; i < kExchanges; ++i) {
    const Nanos asked = clock.now();
    const Nanos wall = clock.wall().since_epoch;
    const auto theirs = client.time(deadline);
    const Nanos round_trip = clock.now() - asked;
    if (!theirs) {
      if (client.broken() || client.timed_out()) return fail(theirs.error());
      return {};
    }
    if (best && round_trip >= *best) continue;
    best = round_trip;
    offset = theirs->since_epoch - (wall + round_trip / 2);
  }
  sink.fact("clock.target_offset_ns", std::to_string(offset.count()));
  sink.fact("clock.target_rtt_ns", std::to_string(best->count()));
  return {};
}

}  // namespace headroom::target
