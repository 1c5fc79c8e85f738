#include "lab/plan.h"

#include <fmt/format.h>

#include <cstdint>

#include "base/text.h"
#include "base/units.h"
#include "scenario/keys.h"
#include "scenario/node.h"
#include "scenario/operations.h"

namespace headroom::lab {
namespace {

std::string target_line(const scenario::Target& target) {
  if (target.kind == scenario::TargetKind::kLocal) {
    const std::string node = scenario::node_text(target);
    const auto envelope = scenario::cpu_envelope(target);
    const std::string held =
        envelope ? fmt::format("\nconfine    hold its CPU to {}, by a cgroup of its own",
                               scenario::envelope_text(*envelope))
                 : "";
    return fmt::format("provision  start {}{} on a free loopback port: maxmemory {}, {}{}",
                       node.empty() ? "" : node + " as ",
                       target.engine_path.empty() ? "valkey-server, else redis-server, from PATH"
                                                  : target.engine_path,
                       print_bytes(target.maxmemory_bytes), target.maxmemory_policy, held);
  }
  const std::string where = target.socket.empty() ? fmt::format("{}:{}", target.host, target.port)
                                                  : fmt::format("unix:{}", target.socket);
  return fmt::format("provision  look at {}{}; {}", where, target.tls ? " under TLS" : "",
                     target.allow_existing_data ? "data that is there may stay and is not flushed"
                                                : "refuse it if it holds any key");
}

std::string keys_text(const scenario::Scenario& scenario) {
  if (scenario.workload.keys) return fmt::format("{} keys", grouped(*scenario.workload.keys));
  if (scenario.target.kind != scenario::TargetKind::kLocal)
    return "as many keys as the target's maxmemory implies";
  const auto space = scenario::resolve_keys(scenario::mean_bytes(scenario.workload.value_size),
                                            scenario::local_node_memory_bytes(scenario.target),
                                            scenario.load.workers);
  if (!space) return space.error().message;
  return fmt::format("{} keys (auto)", grouped(space->total));
}

// "replay monitor.txt as it was: 1,234 requests over 12.3 s (100 /s) by 5 clients"
std::string trace_text(const scenario::Scenario& scenario, const load::TraceSummary& summary) {
  const scenario::Trace& trace = scenario.workload.trace;
  const std::string how = trace.timing == scenario::TraceTiming::kFast ? "as fast as possible"
                          : trace.timing == scenario::TraceTiming::kScaled
                              ? fmt::format("{} times as fast as it was", *trace.speed)
                              : "as it was";
  return fmt::format("replay {} {}{}: {}",
                     printable(std::filesystem::path(trace.file).filename().string()), how,
                     trace.loop ? ", again and again" : "", load::describe_trace(summary, trace));
}

}  // namespace

std::string describe_plan(const scenario::Scenario& scenario,
                          const std::optional<load::TraceSummary>& trace,
                          const std::filesystem::path& output) {
  const scenario::Load& load = scenario.load;
  const scenario::Timing& timing = scenario.timing;
  const auto slots = std::uint64_t{load.workers} * load.connections * load.pipeline;
  std::string plan = target_line(scenario.target) + "\n";
  plan += fmt::format(
      "connect    {} workers x {} connections, {} requests in flight on each: {}{}{}\n",
      load.workers, load.connections, load.pipeline, grouped(slots),
      load.idle_connections > 0 ? fmt::format("; {} idle ones each", load.idle_connections)
                                : std::string(),
      load.reconnect_every > 0
          ? fmt::format("; opened anew after {} requests", grouped(load.reconnect_every))
          : std::string());
  if (scenario.workload.prefill)
    plan += fmt::format("prefill    write {} once, confirmed by DBSIZE\n", keys_text(scenario));
  if (timing.warmup > Nanos{0})
    plan += fmt::format("warmup     {} of load that no number is about\n",
                        print_duration(timing.warmup));
  const std::string until = load.requests
                                ? fmt::format("{} requests, at most {}", grouped(*load.requests),
                                              print_duration(timing.measure))
                                : print_duration(timing.measure);
  plan += trace ? fmt::format("measure    {}: {}\n", until, trace_text(scenario, *trace))
                : fmt::format("measure    {}: {}, {} values, {} over {}\n", until,
                              scenario::describe_mix(scenario.workload),
                              scenario::describe_size(scenario.workload.value_size),
                              scenario::describe_keys(scenario.workload), keys_text(scenario));
  plan += fmt::format("drain      wait at most {} for replies in flight\n",
                      print_duration(timing.drain));
  plan += scenario.target.kind == scenario::TargetKind::kLocal
              ? "teardown   stop the engine, remove its directory\n"
                "verify     prove that process, port and directory are gone\n"
              : "teardown   close all connections and ask whether it still answers; keys that were "
                "written stay\n"
                "verify     nothing was started, nothing to prove\n";
  plan += fmt::format("run file   {}\n", output.empty()
                                             ? fmt::format("runs/{}-<UTC time>.run", scenario.name)
                                             : output.string());
  return plan;
}

}  // namespace headroom::lab
