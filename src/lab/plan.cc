#include "lab/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/text.h"
#include "base/units.h"
#include "scenario/engine_settings.h"
#include "scenario/keys.h"
#include "scenario/loads.h"
#include "scenario/node.h"
#include "scenario/operations.h"
#include "scenario/options.h"

namespace headroom::lab {
namespace {

// "a cluster of 3 shards with 1 replica each: 6 nodes"
std::string joined_text(const scenario::Target& target) {
  return fmt::format("{}: {} nodes; wait until all serve and every replica follows",
                     scenario::topology_text(target), scenario::engine_count(target));
}

std::string target_line(const scenario::Target& target) {
  if (target.kind == scenario::TargetKind::kLocal) {
    const std::string node = scenario::node_text(target);
    const auto envelope = scenario::cpu_envelope(target);
    const std::string held =
        envelope ? fmt::format("\nconfine    hold its CPU to {}, by a cgroup of its own",
                               scenario::envelope_text(*envelope))
                 : "";
    const std::uint32_t engines = scenario::engine_count(target);
    const std::string topology = scenario::topology_text(target);
    return fmt::format("provision  start {}{} on {}: maxmemory {}, {}{}{}",
                       node.empty() ? "" : node + " as ",
                       target.engine_path.empty() ? "valkey-server, else redis-server, from PATH"
                                                  : target.engine_path,
                       engines == 1 ? std::string("a free loopback port")
                                    : fmt::format("{} free loopback ports", engines),
                       print_bytes(target.maxmemory_bytes), target.maxmemory_policy,
                       topology.empty() ? "" : "\njoin       " + joined_text(target), held);
  }
  const std::string where = target.socket.empty() ? fmt::format("{}:{}", target.host, target.port)
                                                  : fmt::format("unix:{}", target.socket);
  return fmt::format("provision  look at {}{}; {}", where, target.tls ? " under TLS" : "",
                     target.allow_existing_data ? "data that is there may stay and is not flushed"
                                                : "refuse it if it holds any key");
}

std::string keys_text(const scenario::Scenario& scenario, const scenario::NamedLoad& load) {
  if (load.fills) return "new keys, in sequence";
  if (load.keys_of) return fmt::format("the keys of {}", scenario.tenants[*load.keys_of].name);
  if (load.workload.keys) return fmt::format("{} keys", grouped(*load.workload.keys));
  if (scenario.target.kind != scenario::TargetKind::kLocal)
    return "as many keys as the target's maxmemory implies";
  const auto space = scenario::resolve_keys(
      scenario::mean_bytes(load.workload.value_size),
      scenario::local_memory_bytes(scenario.target) / scenario::auto_key_spaces(scenario),
      load.load.workers);
  if (!space) return space.error().message;
  return fmt::format("{} keys (auto)", grouped(space->total));
}

// "measure    1m: replay monitor.txt as it was: 1,234 requests over 12.3 s (100 /s) by 5 clients"
std::string trace_line(const scenario::Scenario& scenario, const load::TraceSummary& summary) {
  const scenario::Trace& trace = scenario.workload.trace;
  const std::string how = trace.timing == scenario::TraceTiming::kFast ? "as fast as possible"
                          : trace.timing == scenario::TraceTiming::kScaled
                              ? fmt::format("{} times as fast as it was", *trace.speed)
                              : "as it was";
  return fmt::format("measure    {}: replay {} {}{}: {}\n", print_duration(scenario.timing.measure),
                     printable(std::filesystem::path(trace.file).filename().string()), how,
                     trace.loop ? ", again and again" : "", load::describe_trace(summary, trace));
}

// "web: "; nothing for the only load.
std::string name_text(const scenario::NamedLoad& load) {
  return load.name.empty() ? "" : load.name + ": ";
}

std::string connect_line(const scenario::NamedLoad& named) {
  const scenario::Load& load = named.load;
  const auto slots = std::uint64_t{load.workers} * load.connections * load.pipeline;
  return fmt::format(
      "connect    {}{} workers x {} connections, {} requests in flight on each: {}{}{}\n",
      name_text(named), load.workers, load.connections, load.pipeline, grouped(slots),
      load.idle_connections > 0 ? fmt::format("; {} idle ones each", load.idle_connections)
                                : std::string(),
      load.reconnect_every > 0
          ? fmt::format("; opened anew after {} requests", grouped(load.reconnect_every))
          : std::string());
}

std::string measure_line(const scenario::Scenario& scenario, const scenario::NamedLoad& named) {
  const scenario::Load& load = named.load;
  const std::string length = print_duration(scenario.timing.measure);
  const std::string until =
      load.requests ? fmt::format("{} requests, at most {}", grouped(*load.requests), length)
                    : length;
  return fmt::format("measure    {}{}: {}, {} values, {} over {}\n", name_text(named), until,
                     scenario::describe_mix(named.workload),
                     scenario::describe_size(named.workload.value_size),
                     scenario::describe_keys(named.workload), keys_text(scenario, named));
}

// "rate = factor(3), mix = ..."
std::string changes_text(const scenario::Scenario& scenario, const scenario::Stage& stage) {
  const auto row = static_cast<std::size_t>(&stage - scenario.stages.data());
  std::string text;
  for (const scenario::Option& option : scenario::option_table()) {
    if (option.section != "stage" || option.name == "name" || option.name == "at" ||
        option.name == "for" || option.name == "repeat_every")
      continue;
    const auto value = option.access.get(scenario, row);
    if (!value) continue;
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", option.name,
                        scenario::print_value(option.type, *value));
  }
  return text.empty() ? "nothing changes" : text;
}

std::string stage_lines(const scenario::Scenario& scenario) {
  constexpr std::size_t kShown = 20;
  std::string text;
  const std::vector<scenario::StageTurn> turns = scenario::stage_turns(scenario);
  for (std::size_t i = 0; i < std::min(turns.size(), kShown); ++i) {
    text +=
        fmt::format("stage      {}, {} to {}: {}\n", turns[i].name, print_duration(turns[i].begin),
                    print_duration(turns[i].end), changes_text(scenario, *turns[i].stage));
  }
  if (turns.size() > kShown) text += fmt::format("stage      {} more\n", turns.size() - kShown);
  return text;
}

}  // namespace

std::string describe_plan(const scenario::Scenario& scenario,
                          const std::optional<load::TraceSummary>& trace,
                          const std::filesystem::path& output) {
  const scenario::Timing& timing = scenario.timing;
  const std::vector<scenario::NamedLoad> loads = scenario::loads_of(scenario);
  std::string plan = target_line(scenario.target) + "\n";
  for (const scenario::NamedLoad& load : loads) plan += connect_line(load);
  for (const scenario::NamedLoad& load : loads) {
    if (load.workload.prefill)
      plan += fmt::format("prefill    {}write {} once, confirmed by DBSIZE\n", name_text(load),
                          keys_text(scenario, load));
  }
  if (timing.warmup > Nanos{0})
    plan += fmt::format("warmup     {} of load that no number is about\n",
                        print_duration(timing.warmup));
  for (const scenario::NamedLoad& load : loads) {
    plan += trace ? trace_line(scenario, *trace) : measure_line(scenario, load);
  }
  plan += stage_lines(scenario);
  plan += fmt::format("drain      wait at most {} for replies in flight\n",
                      print_duration(timing.drain));
  plan += scenario.target.kind == scenario::TargetKind::kLocal
              ? scenario::engine_count(scenario.target) == 1
                    ? "teardown   stop the engine, remove its directory\n"
                      "verify     prove that process, port and directory are gone\n"
                    : "teardown   stop the engines, remove their directories\n"
                      "verify     prove of each that process, port and directory are gone\n"
              : "teardown   close all connections and ask whether it still answers; keys that were "
                "written stay\n"
                "verify     nothing was started, nothing to prove\n";
  plan += fmt::format("run file   {}\n", output.empty()
                                             ? fmt::format("runs/{}-<UTC time>.run", scenario.name)
                                             : output.string());
  return plan;
}

}  // namespace headroom::lab
