#include "analysis/summary.h"

#include <array>

#include "analysis/cluster.h"
#include "analysis/connections.h"
#include "analysis/conservation.h"
#include "analysis/engine_commands.h"
#include "analysis/limiter.h"
#include "analysis/loads.h"
#include "analysis/members.h"
#include "analysis/memory.h"
#include "analysis/node.h"
#include "analysis/regime.h"
#include "analysis/schedule.h"
#include "analysis/splits.h"
#include "analysis/steady.h"
#include "analysis/warnings.h"
#include "analysis/window.h"
#include "analysis/workers.h"
#include "base/check.h"
#include "scenario/loads.h"

namespace headroom::analysis {
namespace {

constexpr std::array<std::string_view, 4> kRegimeNames = {"headroom", "boundary", "saturated",
                                                          "rejecting"};
constexpr std::array<std::string_view, 8> kLimiterNames = {
    "generator", "engine", "node", "host", "concurrency", "rate", "memory", "unclear"};

void add_generator(Summary& summary, const record::Run& run) {
  const Window& window = summary.measure.window;
  const scenario::Scenario& scenario = run.header.scenario;
  for (const scenario::NamedLoad& load : scenario::loads_of(scenario))
    summary.configured_slots += mean_slots(scenario, load);
  summary.workers = summarize_workers(run, window);
  if (scenario::is_open_loop(scenario)) summary.schedule = summarize_schedule(run, summary.measure);
  if (summary.workers.empty())
    summary.not_available["generator"] = "no worker recorded anything in the window";
  summary.worker_skew_ratio = worker_skew(summary.workers);
  if (!summary.worker_skew_ratio)
    summary.not_available["worker_skew_ratio"] = "needs two workers with throughput";
  summary.in_flight_at_end = in_flight_at_end(run, window);
  if (!summary.in_flight_at_end)
    summary.not_available["in_flight_at_end"] = "no worker recorded the window's last second";
  summary.host_cpu_busy_ratio =
      value_or_reason(host_cpu_busy(run, window), summary.not_available, "host_cpu_busy_ratio");
}

}  // namespace

std::string_view regime_name(Regime regime) {
  return kRegimeNames.at(static_cast<std::size_t>(regime));
}

std::string_view limiter_name(Limiter limiter) {
  return kLimiterNames.at(static_cast<std::size_t>(limiter));
}

Summary summarize(const record::Run& run) {
  Summary summary;
  Reasons& reasons = summary.not_available;
  summary.complete = run.end == record::RunEnd::kComplete;
  const Known<Window> window = measure_window(run);
  if (!window) reasons["measure"] = window.error();
  summary.measure =
      summarize_window(run, window.value_or(Window{"measure", {}, {}}), reasons, "measure");
  add_generator(summary, run);
  summary.loads = summarize_loads(run, summary.measure.window, reasons);
  summary.stages = summarize_stages(run, summary.measure.window, reasons);
  summary.connections = summarize_connections(run, reasons);
  summary.splits = summarize_splits(run, reasons);
  summary.cache_aside = summarize_cache_aside(run, summary.measure.window);
  summary.cluster = summarize_cluster(run, summary.measure.window);
  summary.node = summarize_node(run, summary.measure.window);
  summary.members = summarize_members(run, summary.measure.window);
  add_memory(summary, run);
  summary.conservation = check_conservation(run, reasons);
  summary.engine_commands = summarize_engine_commands(run, summary);
  summary.regime = judge_regime(summary, run);
  if (summary.regime.regime == Regime::kBoundary) {
    const auto onset = eviction_onset(run, summary.measure.window);
    check(onset && *onset, "a boundary run has an onset");
    add_boundary_windows(summary, run, **onset);
  }
  summary.stable = value_or_reason(stable_segment(run, summary.measure.window, reasons), reasons,
                                   "stable_segment");
  summary.limiter = judge_limiter(summary, run);
  summary.warnings = collect_warnings(summary, run);
  summary.expectations = check_expectations(run.header.scenario.expect, summary);
  return summary;
}

}  // namespace headroom::analysis
