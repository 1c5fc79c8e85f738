// What an engine tells of itself: asked once, when a target is provisioned.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "record/sink.h"
#include "resp/client.h"
#include "resp/info.h"

namespace headroom::target {

struct Engine {
  std::string name;  // "valkey", "redis", or what it calls itself; "unknown" if it does not
  std::string
      version;  // its own version, not the Redis version that it claims to be compatible with
  std::string run_id;
  std::string role;  // "master", "slave"; empty if not told
  std::optional<std::int64_t> process_id;
  std::optional<std::uint64_t> maxmemory_bytes;  // nullopt: no limit, or not told
  std::string maxmemory_policy;
  std::optional<std::uint64_t> keys;  // in all databases
  bool cluster_enabled = false;
};

// Pure. `configuration` is CONFIG GET *, empty where that is not allowed.
[[nodiscard]] Engine identify(const resp::Info& info,
                              const std::map<std::string, std::string>& configuration);
// The facts about it, by name ("engine.version", "engine.config.maxmemory"). Secrets are left out.
// Pure.
[[nodiscard]] std::map<std::string, std::string> engine_facts(
    const Engine& engine, const resp::Info& info,
    const std::map<std::string, std::string>& configuration);

// Asks the engine by INFO and CONFIG GET * and leaves the facts in the sink. Where CONFIG is not
// allowed a warning says so and INFO has to do.
[[nodiscard]] Result<Engine> describe_engine(resp::Client& client, Nanos deadline,
                                             record::Sink& sink);

// Compares the engine's TIME with our wall clock, several times, and leaves
// "clock.target_offset_ns" (engine minus us, taken from the exchange with the shortest round trip,
// so wrong by at most half of that) and "clock.target_rtt_ns" in the sink. An engine that refuses
// TIME leaves neither.
[[nodiscard]] Status measure_clock(resp::Client& client, const Clock& clock, Nanos deadline,
                                   record::Sink& sink);

}  // namespace headroom::target
