// The parts of the terminal page about several loads and about stages.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/prose.h"
#include "base/text.h"
#include "report/format.h"
#include "report/sections.h"

namespace headroom::report {
namespace {

using analysis::LatencySummary;
using analysis::WindowSummary;

// Of all completed requests: what users waited where every request has an intended time, else what
// the engine took.
const LatencySummary* latency_of(const WindowSummary& window, bool open) {
  const auto kind = open ? record::LatencyKind::kResponse : record::LatencyKind::kService;
  const auto found = std::ranges::find_if(window.latencies, [&](const LatencySummary& row) {
    return row.operation == "all" && row.kind == kind;
  });
  return found == window.latencies.end() ? nullptr : &*found;
}

std::string quantile_text(const LatencySummary* latency,
                          std::optional<Nanos> LatencySummary::* which) {
  return latency_text(latency == nullptr ? std::nullopt : latency->*which);
}

std::string bad_text(const WindowSummary& window) {
  std::uint64_t bad = 0;
  for (const auto& [operation, outcomes] : window.outcomes) {
    for (const auto& [outcome, count] : outcomes) bad += is_completed(outcome) ? 0 : count;
  }
  return count_text(static_cast<double>(bad));
}

}  // namespace

void add_loads(Page& page, const analysis::Summary& summary) {
  if (summary.loads.empty()) return;
  page.section("LOADS", "each by itself, over measure");
  std::vector<std::vector<std::string>> cells = {
      {"", "throughput", "p50", "p99", "hits", "not ok", "slots used", "busiest"}};
  bool open = false;
  bool adds_up = true;
  for (const analysis::LoadSummary& load : summary.loads) {
    const LatencySummary* latency = latency_of(load.measure, load.schedule.has_value());
    open |= load.schedule.has_value();
    adds_up &= load.adds_up;
    cells.push_back({printable(load.name, 16) + (load.fills ? " (fill)" : ""),
                     rate_text(load.measure.throughput_per_s),
                     quantile_text(latency, &LatencySummary::p50),
                     quantile_text(latency, &LatencySummary::p99),
                     percent_text(load.measure.hit_ratio_client), bad_text(load.measure),
                     percent_text(load.slots_used_ratio), percent_text(load.worker_cpu_max_ratio)});
  }
  page.table(cells);
  if (open) page.line("  Latency of open loops is response, from a request's intended time.");
  for (const analysis::LoadSummary& load : summary.loads) {
    if (!load.schedule) continue;
    page.row(printable(load.name, 16) + " asked", rate_text(load.schedule->asked_per_s),
             fmt::format("{} due, {} unsent, {} late; schedule lag p99 {}",
                         count_text(static_cast<double>(load.schedule->due)),
                         count_text(static_cast<double>(load.schedule->unsent)),
                         count_text(static_cast<double>(load.schedule->late)),
                         latency_text(load.schedule->lag_p99)));
  }
  page.line(adds_up ? "  Every load's requests and outcomes add up, over the whole run."
                    : "  THE REQUESTS AND OUTCOMES OF A LOAD DO NOT ADD UP.",
            adds_up ? Tone::kPlain : Tone::kBad);
}

void add_stages(Page& page, const analysis::Summary& summary) {
  if (summary.stages.empty()) return;
  const bool open = summary.schedule.has_value();
  page.section("STAGES",
               open ? "parts of measure; response latency" : "parts of measure; service latency");
  std::vector<std::vector<std::string>> cells = {
      {"", "from", "throughput", "p50", "p99", "hits", "memory", "evicted"}};
  const Nanos origin = summary.measure.window.begin;
  for (const analysis::StageSummary& stage : summary.stages) {
    const WindowSummary& window = stage.summary;
    const LatencySummary* latency = latency_of(window, open);
    cells.push_back(
        {(stage.is_stage ? "" : "  ") + printable(window.window.name, 24),
         analysis::seconds_text(window.window.begin - origin), rate_text(window.throughput_per_s),
         quantile_text(latency, &LatencySummary::p50), quantile_text(latency, &LatencySummary::p99),
         percent_text(window.hit_ratio_client), percent_text(window.memory_used_max_ratio),
         count_text(window.evictions)});
  }
  page.table(cells);
}

}  // namespace headroom::report
