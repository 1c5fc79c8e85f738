#include "record/event.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"

namespace headroom::record {
namespace {

constexpr std::array kEventNames = {
    std::pair{EventKind::kPhaseBegan, std::string_view{"phase-began"}},
    std::pair{EventKind::kPhaseEnded, std::string_view{"phase-ended"}},
    std::pair{EventKind::kConnectionLost, std::string_view{"connection-lost"}},
    std::pair{EventKind::kReconnected, std::string_view{"reconnected"}},
    std::pair{EventKind::kEngineSilent, std::string_view{"engine-silent"}},
    std::pair{EventKind::kEngineAnswers, std::string_view{"engine-answers"}},
    std::pair{EventKind::kEngineGone, std::string_view{"engine-gone"}},
    std::pair{EventKind::kInterrupted, std::string_view{"interrupted"}},
    std::pair{EventKind::kReceipt, std::string_view{"receipt"}},
    std::pair{EventKind::kNote, std::string_view{"note"}},
};

// In the order of the values, so that a value is also an index.
constexpr std::array kWarnings = {
    WarningInfo{WarningKind::kWindowTooShort, "window-too-short",
                "Measure for longer (--set timing.measure=60s)."},
    WarningInfo{WarningKind::kGeneratorBusy, "generator-busy",
                "Give the load more CPU: spread it over more workers (load.workers), or run "
                "Headroom on a bigger machine; these numbers describe the generator."},
    WarningInfo{WarningKind::kLoopLag, "loop-lag",
                "Free CPU for the workers (stop other programs, fewer workers than CPUs) before "
                "trusting tail latencies."},
    WarningInfo{WarningKind::kSharedHost, "shared-host",
                "Run the load from another machine, or give engine and workers CPUs of their own, "
                "before comparing throughput."},
    WarningInfo{WarningKind::kSamplesMissing, "samples-missing",
                "Look at the events (headroom export --format json) for what kept the engine from "
                "answering; peaks inside the holes were not seen."},
    WarningInfo{WarningKind::kTelemetryAbsent, "telemetry-absent",
                "Grant the permission or the command that is named; until then the figures that "
                "need it are n/a."},
    WarningInfo{WarningKind::kConnectionsLost, "connections-lost",
                "Look at the engine's log, its maxclients and timeout settings, and at what is "
                "between it and the load."},
    WarningInfo{WarningKind::kErrors, "errors",
                "Look at the error texts among the events (headroom export --format json), "
                "remove their cause and measure again."},
    WarningInfo{WarningKind::kConservation, "conservation",
                "Make sure that no other client uses the engine, then repeat; if it comes back, "
                "please report it with the run file."},
    WarningInfo{WarningKind::kInterrupted, "interrupted",
                "Repeat the run to its end before comparing it with others."},
    WarningInfo{WarningKind::kInFlightAtEnd, "in-flight-at-end",
                "Raise timing.drain, or look for a stall in the last seconds: the slowest requests "
                "may be missing from the latencies."},
    WarningInfo{WarningKind::kExistingData, "existing-data",
                "Use an empty engine, or judge memory, evictions and hit ratio knowing that keys "
                "of others were there."},
    WarningInfo{
        WarningKind::kPersistence, "persistence",
        "Switch saving off for the run (CONFIG SET save \"\" and appendonly no), or measure "
        "it on purpose and say so."},
    WarningInfo{WarningKind::kEvictedPrefill, "evicted-prefill",
                "Lower workload.keys or raise maxmemory if the key set was meant to fit."},
    WarningInfo{WarningKind::kEngineRestarted, "engine-restarted",
                "Find out why the engine restarted; its counters began anew, so repeat the run."},
    WarningInfo{WarningKind::kStillFilling, "still-filling",
                "Measure longer, or write all keys first (--set workload.prefill=true), before "
                "reading headroom off this run."},
    WarningInfo{WarningKind::kCorrupt, "corrupt",
                "Look at the events for the keys (headroom export --format json); make sure that "
                "nobody else writes them, and that no other seed or setting wrote them before."},
    WarningInfo{WarningKind::kShapeNotHeld, "shape-not-held",
                "Run as root, or where cgroups are delegated (systemd-run --user --scope -p "
                "Delegate=yes), on a machine with as many CPUs as the shape; until then throughput "
                "and latency are not those of such a node."},
    WarningInfo{WarningKind::kUnsent, "unsent",
                "Read response latency, which has their ages; service latency and throughput are "
                "of the others. Ask for less (load.rate), or find what held the load back: the "
                "limiter names it."},
    WarningInfo{WarningKind::kLateSends, "late-sends",
                "Read response latency, which includes the wait. If the engine was quick "
                "meanwhile, give more slots (load.connections, load.pipeline) or workers."},
    WarningInfo{WarningKind::kOutage, "outage",
                "Compare it with cluster-node-timeout and the logs of the node and its replicas; "
                "throughput and latency of the window hold it, so look at the seconds before it "
                "for normal ones (headroom export)."},
};

constexpr bool warnings_are_in_order() {
  for (std::size_t i = 0; i < kWarnings.size(); ++i) {
    if (static_cast<std::size_t>(kWarnings[i].kind) != i) return false;
  }
  return true;
}
static_assert(warnings_are_in_order());

}  // namespace

std::string_view event_name(EventKind kind) {
  const auto found = std::find_if(kEventNames.begin(), kEventNames.end(),
                                  [kind](const auto& entry) { return entry.first == kind; });
  return found == kEventNames.end() ? "unknown" : found->second;
}

std::optional<EventKind> event_from_value(int stored) {
  for (const auto& [kind, name] : kEventNames) {
    if (static_cast<int>(kind) == stored) return kind;
  }
  return std::nullopt;
}

std::span<const WarningInfo> warning_catalogue() { return kWarnings; }

const WarningInfo& warning_info(WarningKind kind) {
  const auto index = static_cast<std::size_t>(kind);
  check(index < kWarnings.size(), "a warning that is not in the catalogue");
  return kWarnings[index];
}

std::optional<WarningKind> warning_from_value(int stored) {
  if (stored < 0 || static_cast<std::size_t>(stored) >= kWarnings.size()) return std::nullopt;
  return kWarnings[static_cast<std::size_t>(stored)].kind;
}

}  // namespace headroom::record
