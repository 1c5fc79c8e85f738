#include "analysis/warnings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "analysis/filling.h"
#include "analysis/limiter.h"
#include "analysis/memory.h"
#include "analysis/metrics.h"
#include "analysis/prose.h"
#include "analysis/window.h"
#include "analysis/workers.h"
#include "base/text.h"
#include "base/units.h"

namespace headroom::analysis {
namespace {

using record::Outcome;
using record::Phase;
using record::WarningKind;

struct Seen {
  std::string text;
  std::string next_step;  // empty: the catalogue's fits
};
using Found = std::optional<Seen>;  // nullopt: no reason for this warning

Seen seen(std::string text, std::string next_step = {}) {
  return {std::move(text), std::move(next_step)};
}

// A worker's lag spoils the tail when it is this large a part of the measured p99.
constexpr double kLagShareOfTail = 0.5;
// Late sends beyond this share reach the p99 of what users wait.
constexpr double kManyLate = 0.01;
// An unsent request this old did not just fall due when the window closed.
constexpr Nanos kOldUnsent = std::chrono::milliseconds{10};
// Full seconds of a window below which its per-second figures are accidents.
constexpr std::size_t kFewestSeconds = 10;

std::uint64_t outcomes_in(const WindowSummary& window, Outcome outcome) {
  std::uint64_t total = 0;
  for (const auto& [operation, outcomes] : window.outcomes) {
    if (const auto found = outcomes.find(outcome); found != outcomes.end()) total += found->second;
  }
  return total;
}

std::uint64_t unanswered_in_drain(const record::Run& run) {
  std::uint64_t total = 0;
  for (const record::MergedInterval& interval : run.intervals) {
    if (interval.interval.phase != Phase::kDrain) continue;
    for (const record::OperationCounts& counts : interval.counts)
      total += counts.of(Outcome::kTimeout) + counts.of(Outcome::kLost);
  }
  return total;
}

Found interrupted(const Summary& summary, const record::Run& run) {
  if (summary.complete) return std::nullopt;
  const Window& window = summary.measure.window;
  const std::string covered = fmt::format(
      "the numbers are about the {} that were recorded of {} planned",
      seconds_text(window.end - window.begin), seconds_text(run.header.scenario.timing.measure));
  if (!run.end)
    return seen("the run was never finished (killed, crashed, or still going); " + covered);
  return seen(fmt::format(
      "{}; {}", run.end_reason.empty() ? std::string("the run ended early") : run.end_reason,
      covered));
}

Found window_too_short(const Summary& summary, const record::Run& run) {
  const std::size_t full = throughput_by_second(intervals_in(run, summary.measure.window)).size();
  if (full >= kFewestSeconds) return std::nullopt;
  return seen(fmt::format("the window has {}; below {} any spread, peak or rate is an accident",
                          counted(full, "full second"), kFewestSeconds));
}

Found generator_busy(const Summary& summary, const record::Run&) {
  std::string busy;
  for (const WorkerSummary& worker : summary.workers) {
    if (worker.cpu_ratio.value_or(0) >= kBusyWorker)
      busy += fmt::format("{}worker {} at {}", busy.empty() ? "" : ", ", worker.worker,
                          percent(*worker.cpu_ratio));
  }
  if (busy.empty()) return std::nullopt;
  return seen(busy + " of one CPU");
}

Found loop_lag(const Summary& summary, const record::Run&) {
  const auto all = std::ranges::find_if(summary.measure.latencies, [](const LatencySummary& row) {
    return row.operation == "all" && row.kind == record::LatencyKind::kService;
  });
  if (all == summary.measure.latencies.end() || !all->p99) return std::nullopt;
  for (const WorkerSummary& worker : summary.workers) {
    if (!worker.loop_lag_p99) continue;
    const double lag = static_cast<double>(worker.loop_lag_p99->count());
    if (lag >= kLagShareOfTail * static_cast<double>(all->p99->count()))
      return seen(fmt::format(
          "worker {} looked away from its sockets for {} at the 99th percentile, "
          "beside a p99 latency of {}",
          worker.worker, human_duration(*worker.loop_lag_p99), human_duration(*all->p99)));
  }
  return std::nullopt;
}

Found unsent(const Summary& summary, const record::Run&) {
  const auto& schedule = summary.schedule;
  // What fell due within the last turn of the loop is no news.
  if (!schedule || schedule->oldest_unsent.value_or(Nanos{0}) < kOldUnsent) return std::nullopt;
  return seen(fmt::format(
      "{} of {} requests that were due were never sent ({}); the oldest had been due for {}",
      grouped(schedule->unsent), grouped(schedule->due),
      percent(static_cast<double>(schedule->unsent) / static_cast<double>(schedule->due)),
      human_duration(*schedule->oldest_unsent)));
}

std::string outage_text(const OutageSummary& outage, Nanos window_begin) {
  std::string text = fmt::format("no good reply about the slots of {} ", outage.node);
  text += outage.end ? fmt::format("for {}", human_duration(*outage.end - outage.begin))
                     : std::string("until the load ended");
  text += fmt::format(", from {:.1f} s into the window; {} failed there",
                      std::chrono::duration<double>(outage.begin - window_begin).count(),
                      counted(outage.failed, "request"));
  if (outage.end && outage.successor != outage.node)
    text += fmt::format("; {} took over", outage.successor);
  if (outage.recovered_after) {
    text += fmt::format("; throughput was back after {}", human_duration(*outage.recovered_after));
  }
  return text;
}

Found outage(const Summary& summary, const record::Run&) {
  if (!summary.cluster || summary.cluster->outages.empty()) return std::nullopt;
  constexpr std::size_t kTold = 3;
  const auto& outages = summary.cluster->outages;
  std::string text;
  for (std::size_t i = 0; i < std::min(outages.size(), kTold); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : ". ",
                        outage_text(outages[i], summary.measure.window.begin));
  }
  if (outages.size() > kTold) text += fmt::format(". {} more", outages.size() - kTold);
  return seen(std::move(text));
}

Found late_sends(const Summary& summary, const record::Run&) {
  const auto& schedule = summary.schedule;
  if (!schedule || schedule->sent == 0) return std::nullopt;
  const double share = static_cast<double>(schedule->late) / static_cast<double>(schedule->sent);
  if (share < kManyLate) return std::nullopt;
  return seen(fmt::format(
      "{} of the requests were sent {} or more after they were due, the latest "
      "by {}",
      percent(share), human_duration(record::kLateSend), human_duration(schedule->lag_max)));
}

Found shared_host(const Summary& summary, const record::Run& run) {
  if (!shares_machine(run) || summary.host_cpu_busy_ratio.value_or(0) < kBusyHost)
    return std::nullopt;
  // Where this is the limiter as well, its evidence has the figures.
  std::string text =
      summary.limiter.limiter == Limiter::kHost
          ? std::string("throughput is what this machine had left, not what the engine can do")
          : fmt::format("engine and generator share a machine whose CPUs were {} busy",
                        percent(*summary.host_cpu_busy_ratio));
  const auto others = cpu_of_others(summary, run);
  if (!others || !others->more_than_ours) return seen(std::move(text));
  return seen(std::move(text),
              fmt::format("Something else on this machine used {} of one CPU: find it with top and "
                          "stop it, then repeat.",
                          percent(others->cpus)));
}

Found samples_missing(const Summary& summary, const record::Run& run) {
  const Window& window = summary.measure.window;
  const record::MetricSeries* series = run.find_metric("BytesUsedForCache");
  if (series == nullptr || window.end <= window.begin) return std::nullopt;
  const Nanos limit = sample_gap_limit(run);
  std::uint64_t holes = 0;
  Nanos longest{0};
  Nanos last_end{0};
  Nanos previous = window.begin;
  const auto look = [&](Nanos time) {
    if (time - previous > limit) {
      ++holes;
      longest = std::max(longest, time - previous);
      last_end = time;
    }
    previous = std::max(previous, time);
  };
  for (const record::Point& point : series->points) {
    if (point.time > window.begin && point.time < window.end) look(point.time);
  }
  look(window.end);
  if (holes == 0) return std::nullopt;
  return seen(
      fmt::format("the engine's samples have {}{} {}{}", counted(holes, "hole"),
                  holes == 1 ? " of" : ", the longest of", seconds_text(longest),
                  last_end == window.end ? ": no answer any more when the window ended" : ""));
}

Found telemetry_absent(const Summary& summary, const record::Run& run) {
  const scenario::Target& target = run.header.scenario.target;
  if (summary.cluster && summary.cluster->nodes.size() > 1 &&
      target.kind == scenario::TargetKind::kEndpoint) {
    return seen(fmt::format("memory, keys, evictions and CPU are those of {}:{} alone, one of {} "
                            "nodes that had requests",
                            target.host, target.port, summary.cluster->nodes.size()),
                "Compare nodes by the table of nodes; for what another one holds and uses, name it "
                "in target.host.");
  }
  if (run.find_metric("BytesUsedForCache") != nullptr) return std::nullopt;
  return seen("the engine never answered INFO: its memory, keys, evictions and CPU are n/a",
              "Allow the command INFO to this user, or see among the events (headroom export "
              "--format json) whether the engine was silent.");
}

Found corrupt(const Summary&, const record::Run& run) {
  std::uint64_t values = 0;
  for (const record::MergedInterval& interval : run.intervals) {
    for (const record::OperationCounts& counts : interval.counts)
      values += counts.of(Outcome::kCorrupt);
  }
  if (values == 0) return std::nullopt;
  return seen(fmt::format("{} read {} not what was written", counted(values, "value"),
                          values == 1 ? "is" : "are"));
}

Found connections_lost(const Summary& summary, const record::Run& run) {
  const Window& window = summary.measure.window;
  std::uint64_t lost = 0;
  std::uint64_t refused = 0;
  for (const record::WorkerCounts& counts : run.workers) {
    if (counts.interval.phase != Phase::kMeasure || counts.interval.begin < window.begin ||
        counts.interval.end > window.end)
      continue;
    lost += counts.health.connections_lost;
    refused += counts.health.connections_refused;
  }
  if (lost + refused == 0) return std::nullopt;
  std::vector<std::string> parts;
  if (lost > 0) parts.push_back(counted(lost, "connection") + " broke");
  if (refused > 0) parts.push_back(counted(refused, "attempt") + " to connect failed");
  return seen(fmt::format("{}", fmt::join(parts, " and ")));
}

Found errors(const Summary& summary, const record::Run&) {
  const std::uint64_t error = outcomes_in(summary.measure, Outcome::kError);
  const std::uint64_t timeout = outcomes_in(summary.measure, Outcome::kTimeout);
  const std::uint64_t lost = outcomes_in(summary.measure, Outcome::kLost);
  std::vector<std::string> parts;
  std::vector<std::string> steps;
  const auto add = [&](std::uint64_t count, std::string what, const char* step) {
    if (count == 0) return;
    parts.push_back(std::move(what));
    steps.emplace_back(step);
  };
  add(error, counted(error, "error reply", "error replies") + " (other than OOM)",
      "Look at the error texts among the events (headroom export --format json) and remove their "
      "cause.");
  add(timeout, counted(timeout, "timeout"),
      "Look for what made the engine stall (its SLOWLOG, saving, CPU), or raise "
      "load.request_timeout.");
  add(lost, counted(lost, "lost request"),
      "Find out what ended the connections: the events tell when (headroom export --format json), "
      "the engine's log why.");
  if (parts.empty()) return std::nullopt;
  return seen(fmt::format("{}", fmt::join(parts, ", ")), fmt::format("{}", fmt::join(steps, " ")));
}

Found conservation(const Summary& summary, const record::Run&) {
  const Conservation& account = summary.conservation;
  if (!account.client_adds_up) {
    std::string text = "requests and outcomes do not add up";
    for (const Conservation::Row& row : account.rows)
      text += fmt::format("; {}: {} sent, {} ended", row.operation, grouped(row.sent),
                          grouped(row.outcomes));
    return seen(text);
  }
  if (account.engine_agrees.value_or(true)) return std::nullopt;
  std::string text = "the engine counted other numbers of commands";
  for (const Conservation::Command& command : account.commands)
    text += fmt::format("; {}: {} sent, {} seen by the engine", upper(command.name),
                        grouped(command.sent),
                        command.engine_calls ? grouped(*command.engine_calls) : "n/a");
  return seen(text);
}

Found in_flight_at_end(const Summary& summary, const record::Run& run) {
  const std::uint64_t unanswered = unanswered_in_drain(run);
  if (unanswered == 0) return std::nullopt;
  return seen(fmt::format("{} of the {} under way when the window closed got no reply in the drain",
                          grouped(unanswered),
                          counted(summary.in_flight_at_end.value_or(0), "request")));
}

Found persistence(const Summary& summary, const record::Run& run) {
  const Window& window = summary.measure.window;
  std::string text;
  const auto add = [&](const std::string& what) { text += (text.empty() ? "" : ", ") + what; };
  if (gauge_max(run, window, "rdb_bgsave_in_progress").value_or(0) > 0) add("a snapshot was saved");
  if (gauge_max(run, window, "aof_rewrite_in_progress").value_or(0) > 0)
    add("the append-only file was rewritten");
  const double forks = counter_growth(run, window, "total_forks").map(&Growth::value).value_or(0);
  if (forks > 0)
    add(fmt::format("the engine forked {}", counted(static_cast<std::uint64_t>(forks), "time")));
  if (text.empty()) return std::nullopt;
  return seen(text + " inside the window");
}

Found evicted_prefill(const Summary& summary, const record::Run& run) {
  const double before = evicted_before(run, summary.measure.window).value_or(0);
  if (before <= 0) return std::nullopt;
  return seen(counted(static_cast<std::uint64_t>(before), "key") +
              " were evicted before measuring began");
}

Found engine_restarted(const Summary& summary, const record::Run& run) {
  const Known<Points> uptime = points_over(run, summary.measure.window, "engine_uptime_seconds");
  if (!uptime) return std::nullopt;
  const auto back = std::ranges::adjacent_find(
      *uptime, [](const record::Point& a, const record::Point& b) { return b.value < a.value; });
  if (back == uptime->end()) return std::nullopt;
  return seen(fmt::format("its uptime went back {} into the window",
                          seconds_text(std::next(back)->time - summary.measure.window.begin)));
}

Found filling(const Summary& summary, const record::Run& run) {
  if (summary.regime.regime != Regime::kHeadroom || !summary.headroom_ratio) return std::nullopt;
  if (!still_filling(run, summary.measure.window)) return std::nullopt;
  return seen(fmt::format(
      "the headroom of {} is what filling had not yet reached, not what the data leaves free",
      percent(*summary.headroom_ratio)));
}

struct Check {
  WarningKind kind;
  Found (*look)(const Summary&, const record::Run&);
  bool needs_a_window = true;  // has no meaning for a run that measured nothing
};
// The gravest first: this is the order in which they are shown.
constexpr std::array kChecks = {
    Check{WarningKind::kInterrupted, interrupted},
    Check{WarningKind::kConservation, conservation, false},
    Check{WarningKind::kCorrupt, corrupt, false},
    Check{WarningKind::kEngineRestarted, engine_restarted},
    Check{WarningKind::kStillFilling, filling},
    Check{WarningKind::kOutage, outage},
    Check{WarningKind::kErrors, errors},
    Check{WarningKind::kConnectionsLost, connections_lost},
    Check{WarningKind::kInFlightAtEnd, in_flight_at_end},
    Check{WarningKind::kUnsent, unsent},
    Check{WarningKind::kLateSends, late_sends},
    Check{WarningKind::kGeneratorBusy, generator_busy},
    Check{WarningKind::kSharedHost, shared_host},
    Check{WarningKind::kLoopLag, loop_lag},
    Check{WarningKind::kTelemetryAbsent, telemetry_absent},
    Check{WarningKind::kSamplesMissing, samples_missing},
    Check{WarningKind::kPersistence, persistence},
    Check{WarningKind::kEvictedPrefill, evicted_prefill},
    Check{WarningKind::kWindowTooShort, window_too_short},
};

}  // namespace

std::vector<Doubt> collect_warnings(const Summary& summary, const record::Run& run) {
  std::vector<Doubt> warnings;
  const auto add = [&](WarningKind kind, Seen seen) {
    if (seen.next_step.empty()) seen.next_step = record::warning_info(kind).next_step;
    warnings.push_back({kind, std::move(seen.text), std::move(seen.next_step)});
  };
  for (const record::Warning& warning : run.warnings) add(warning.kind, {warning.text, {}});
  for (const Check& check : kChecks) {
    if (check.needs_a_window && !summary.measured_anything()) continue;
    if (std::ranges::find(run.warnings, check.kind, &record::Warning::kind) != run.warnings.end())
      continue;
    if (Found found = check.look(summary, run)) add(check.kind, std::move(*found));
  }
  return warnings;
}

}  // namespace headroom::analysis
