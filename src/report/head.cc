#include "report/head.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analysis/prose.h"
#include "base/text.h"
#include "base/units.h"
#include "report/format.h"
#include "scenario/engine_settings.h"
#include "scenario/load_forms.h"
#include "scenario/loads.h"
#include "scenario/node.h"
#include "scenario/operations.h"

namespace headroom::report {
namespace {

using analysis::Regime;
using analysis::Summary;

bool still_filling(const Summary& summary) {
  return std::ranges::find(summary.warnings, record::WarningKind::kStillFilling,
                           &analysis::Doubt::kind) != summary.warnings.end();
}

// Of an engine that the run started; empty where it was not recorded.
std::string engine_pid(const record::Run& run) {
  if (const std::string pid = fact(run, "engine.pid"); !pid.empty()) return pid;
  // Without that fact the event of its start has it: "started valkey 9.1.2 as pid 4711 on ..."
  static constexpr std::string_view kBefore = " as pid ";
  for (const record::Event& event : run.events) {
    const std::size_t at = event.text.find(kBefore);
    if (event.kind != record::EventKind::kNote || at == std::string::npos) continue;
    const std::string_view rest = std::string_view(event.text).substr(at + kBefore.size());
    return std::string(rest.substr(0, rest.find_first_not_of("0123456789")));
  }
  return {};
}

// "TLSv1.3"
std::string tls_text(const record::Run& run) {
  const std::string agreed = fact(run, "target.tls");
  return agreed.empty() ? std::string("TLS") : agreed.substr(0, agreed.find(','));
}

// "20.5 s", "20.0 min": for a headline, where a long time in seconds would have to be worked out.
std::string span_text(Nanos span) {
  return span < std::chrono::minutes{2} ? analysis::seconds_text(span) : human_duration(span);
}

// "; open loop, 10000/s, Poisson arrivals"; empty for a plain closed loop.
std::string pacing_text(const scenario::Load& load) {
  std::string text;
  if (load.rate) {
    const std::string rate =
        scenario::print_value(scenario::rate_type(), scenario::call_of(*load.rate));
    text += fmt::format("; open loop, {}/s, {} arrivals", printable(rate, 200),
                        load.arrivals == scenario::Arrivals::kEven ? "even" : "Poisson");
  }
  if (load.think_time) {
    text += "; think time " +
            scenario::print_value(scenario::think_time_type(), scenario::call_of(*load.think_time));
  }
  if (load.emulated_rtt)
    text += fmt::format("; an emulated round trip of {}", print_duration(*load.emulated_rtt));
  return text;
}

std::string replay_text(const scenario::Load& load, const scenario::Workload& workload) {
  const scenario::Trace& trace = workload.trace;
  const std::string timing = trace.timing == scenario::TraceTiming::kFast ? "as fast as possible"
                             : trace.speed ? fmt::format("{} times as fast", *trace.speed)
                                           : std::string("as it was");
  return fmt::format("{} x {}, pipeline {}, {}, {}{}", analysis::counted(load.workers, "worker"),
                     analysis::counted(load.connections, "connection"), load.pipeline,
                     printable(scenario::describe_mix(workload), 100), timing,
                     trace.loop ? ", again and again" : "");
}

std::string one_load_text(const scenario::Load& load, const scenario::Workload& workload) {
  if (workload.replays()) return replay_text(load, workload);
  const auto* fixed = std::get_if<std::uint64_t>(&workload.value_size);
  const std::string values =
      fixed != nullptr ? fmt::format("{}-byte values", *fixed)
                       : fmt::format("values of {}", scenario::describe_size(workload.value_size));
  const bool uniform = std::holds_alternative<scenario::UniformKeys>(workload.key_distribution);
  return fmt::format("{} x {}, pipeline {}, {}, {}{}{}", analysis::counted(load.workers, "worker"),
                     analysis::counted(load.connections, "connection"), load.pipeline, values,
                     scenario::describe_mix(workload),
                     uniform ? "" : ", keys " + scenario::describe_keys(workload),
                     pacing_text(load));
}

}  // namespace

std::string fact(const record::Run& run, const std::string& key) {
  const auto found = run.facts.find(key);
  return found == run.facts.end() ? std::string() : printable(found->second, 60);
}

// "local valkey 9.1.2, maxmemory 64 MiB, allkeys-lru"
std::string target_text(const record::Run& run) {
  const scenario::Target& target = run.header.scenario.target;
  const bool local = target.kind == scenario::TargetKind::kLocal;
  const std::string engine = fact(run, "engine.name");
  const std::string version = fact(run, "engine.version");
  const std::string node = scenario::node_text(target);
  std::string text = local ? "local " : "";
  text += engine.empty() ? std::string("engine of unknown name") : engine;
  if (!version.empty()) text += " " + version;
  if (!local)
    text += " at " + (target.socket.empty()
                          ? fmt::format("{}:{}", printable(target.host, 100), target.port)
                          : printable(target.socket, 100));
  if (const std::string topology = scenario::topology_text(target); local && !topology.empty())
    text += ", " + topology;
  if (local && !node.empty())
    text += (scenario::engine_count(target) > 1 ? ", each as " : " as ") + node;
  if (target.tls) text += fmt::format(" under {}", tls_text(run));
  if (target.protocol == scenario::Protocol::kResp3) text += ", RESP3";
  if (local)
    text += fmt::format(", {}maxmemory {}, {}", scenario::engine_count(target) > 1 ? "each " : "",
                        human_bytes(static_cast<double>(target.maxmemory_bytes)),
                        printable(target.maxmemory_policy, 40));
  return text;
}

// "web: 1 worker x ...; batch: ...; stages: fill at 30 s". Of a single load without stages only
// what it is.
std::string load_text(const scenario::Scenario& scenario) {
  std::string text;
  if (scenario.tenants.empty()) text = one_load_text(scenario.load, scenario.workload);
  for (const scenario::Tenant& tenant : scenario.tenants) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", printable(tenant.name, 32),
                        one_load_text(tenant.load, tenant.workload));
  }
  bool first = true;
  for (const scenario::StageTurn& turn : scenario::stage_turns(scenario)) {
    text += fmt::format("{}{} at {}", std::exchange(first, false) ? "; stages: " : ", ",
                        printable(turn.name, 40), print_duration(turn.begin));
  }
  return text;
}

std::pair<std::string, Tone> state_text(const record::Run& run, const Source& source) {
  if (source.seal == Seal::kRunning) return {"running", Tone::kPlain};
  const auto ended = [&]() -> std::pair<std::string, Tone> {
    if (!run.end) return {"INCOMPLETE: never finished", Tone::kBad};
    switch (*run.end) {
      case record::RunEnd::kComplete:
        return {"complete", Tone::kGood};
      case record::RunEnd::kInterrupted:
        return {"INCOMPLETE: interrupted", Tone::kCaution};
      case record::RunEnd::kFailed:
        return {"INCOMPLETE: " + printable(run.end_reason), Tone::kBad};
    }
    return {"unknown", Tone::kBad};
  };
  auto [text, tone] = ended();
  switch (source.seal) {
    case Seal::kSealed:
      return {
          fmt::format("{}; sealed, sha256 {}...", text, printable(source.digest, 64).substr(0, 16)),
          tone};
    case Seal::kTampered:
      return {text + "; CHANGED SINCE IT WAS SEALED: do not trust any number below", Tone::kBad};
    case Seal::kIncomplete:
      return {text + "; not sealed", tone};
    case Seal::kNotChecked:
    case Seal::kRunning:
      return {text, tone};
  }
  return {text, tone};
}

Tone regime_tone(const Summary& summary) {
  const auto& regime = summary.regime.regime;
  if (!regime || still_filling(summary)) return Tone::kCaution;
  switch (*regime) {
    case Regime::kHeadroom:
      return Tone::kGood;
    case Regime::kBoundary:
    case Regime::kSaturated:
      return Tone::kCaution;
    case Regime::kRejecting:
      return Tone::kBad;
  }
  return Tone::kPlain;
}

std::string measured_text(const Summary& summary) {
  const analysis::Window& window = summary.measure.window;
  if (summary.measured_anything())
    return "measured " + analysis::seconds_text(window.end - window.begin);
  const auto why = summary.not_available.find("measure");
  return "nothing measured" +
         (why == summary.not_available.end() ? std::string() : ": " + why->second);
}

std::string headline(const Summary& summary) {
  if (!summary.measured_anything()) return "Nothing was measured";
  if (!summary.regime.regime) return "Cannot tell whether the node had room";
  switch (*summary.regime.regime) {
    case Regime::kHeadroom:
      if (still_filling(summary)) return "Not full yet: memory was still growing";
      return percent_text(summary.headroom_ratio) + " of memory was never used";
    case Regime::kBoundary:
      if (!summary.first_eviction) return "The node ran full: evictions began";
      return fmt::format("Full after {}: evictions began", span_text(*summary.first_eviction));
    case Regime::kSaturated:
      return "Full from the start: evicting throughout";
    case Regime::kRejecting:
      return "Out of memory: writes were refused";
  }
  return {};
}

std::string left_behind(const record::Run& run) {
  if (run.header.scenario.target.kind != scenario::TargetKind::kLocal)
    return "It never happened: keys that the run wrote may still be on the target.";
  const std::string directory = fact(run, "node.directory");
  std::string text = "It never happened, so nothing proves that the engine is gone: ";
  if (const std::string pid = engine_pid(run); !pid.empty())
    text += fmt::format("look for its process with ps -p {}", pid);
  else
    text += "its pid was not recorded";
  if (!directory.empty())
    text +=
        fmt::format("; its directory {} may remain until the next run of a local node", directory);
  return text + ".";
}

}  // namespace headroom::report
