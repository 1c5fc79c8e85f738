#include "analysis/loads.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/conservation.h"
#include "analysis/schedule.h"
#include "analysis/window.h"
#include "analysis/workers.h"

namespace headroom::analysis {
namespace {

using scenario::NamedLoad;

void keep_operations(std::vector<record::OperationCounts>& counts, const NamedLoad& load) {
  const auto size = counts.size();
  const std::size_t first = std::min(load.first_operation, size);
  const std::size_t last = std::min(first + load.operations, size);
  counts = {counts.begin() + static_cast<std::ptrdiff_t>(first),
            counts.begin() + static_cast<std::ptrdiff_t>(last)};
}

std::vector<record::LatencySeries> latencies_of(const std::vector<record::LatencySeries>& all,
                                                const NamedLoad& load) {
  std::vector<record::LatencySeries> own;
  for (const record::LatencySeries& series : all) {
    const std::size_t operation = series.key.operation;
    if (operation < load.first_operation || operation >= load.first_operation + load.operations)
      continue;
    own.push_back(series);
    own.back().key.operation = static_cast<std::uint16_t>(operation - load.first_operation);
  }
  return own;
}

bool is_worker_of(std::uint32_t worker, const NamedLoad& load) {
  return worker >= load.first_worker && worker < load.first_worker + load.load.workers;
}

record::RunHeader header_of_load(const record::Run& run, const NamedLoad& load) {
  record::RunHeader header = run.header;
  header.scenario.workload = load.workload;
  header.scenario.load = load.load;
  header.scenario.tenants.clear();
  header.scenario.stages.clear();
  header.operations.clear();
  for (const scenario::Operation& operation : scenario::operations_of(load.workload))
    header.operations.push_back(operation.name);
  return header;
}

LoadSummary summarize_load(const record::Run& run, const NamedLoad& load, const Window& window,
                           Reasons& reasons) {
  const record::Run own = run_of_load(run, load);
  LoadSummary summary;
  summary.name = scenario::display_name(load);
  summary.fills = load.fills;
  summary.first_worker = load.first_worker;
  summary.workers = load.load.workers;
  summary.slots = mean_slots(run.header.scenario, load);
  summary.measure = summarize_traffic(own, window, reasons, fmt::format("loads[{}]", summary.name));
  summary.schedule = summarize_schedule(own, summary.measure);
  for (const WorkerSummary& worker : summarize_workers(own, window))
    summary.worker_cpu_max_ratio = std::max(summary.worker_cpu_max_ratio, worker.cpu_ratio);
  if (summary.measure.concurrency && summary.slots > 0 && !load.fills)
    summary.slots_used_ratio = *summary.measure.concurrency / static_cast<double>(summary.slots);
  Reasons of_the_run;  // the engine is asked about all loads together
  const Conservation account = check_conservation(own, of_the_run);
  summary.adds_up = account.client_adds_up;
  for (const Conservation::Row& row : account.rows) {
    summary.sent += row.sent;
    summary.ended += row.outcomes;
  }
  return summary;
}

}  // namespace

record::Run run_of_load(const record::Run& run, const NamedLoad& load) {
  record::Run own;
  own.header = header_of_load(run, load);
  own.phases = run.phases;
  own.end = run.end;
  for (const record::MergedInterval& interval : run.intervals) {
    record::MergedInterval& kept = own.intervals.emplace_back();
    kept.interval = interval.interval;
    kept.counts = interval.counts;
    keep_operations(kept.counts, load);
    kept.latencies = latencies_of(interval.latencies, load);
    kept.workers = load.load.workers;
  }
  for (const record::WorkerCounts& counts : run.workers) {
    if (!is_worker_of(counts.worker, load)) continue;
    record::WorkerCounts& kept = own.workers.emplace_back(counts);
    kept.worker -= load.first_worker;
    keep_operations(kept.counts, load);
  }
  for (const record::WorkerWindow& window : run.worker_windows) {
    if (!is_worker_of(window.worker, load)) continue;
    record::WorkerWindow& kept = own.worker_windows.emplace_back(window);
    kept.worker -= load.first_worker;
    kept.latencies = latencies_of(window.latencies, load);
  }
  return own;
}

std::vector<LoadSummary> summarize_loads(const record::Run& run, const Window& window,
                                         Reasons& reasons) {
  const std::vector<NamedLoad> loads = scenario::loads_of(run.header.scenario);
  std::vector<LoadSummary> summaries;
  if (loads.size() < 2) return summaries;
  for (const NamedLoad& load : loads)
    summaries.push_back(summarize_load(run, load, window, reasons));
  return summaries;
}

std::vector<StageSummary> summarize_stages(const record::Run& run, const Window& measure,
                                           Reasons& reasons) {
  std::vector<StageSummary> summaries;
  for (const scenario::StageWindow& part : scenario::stage_windows(run.header.scenario)) {
    const Window window{part.name, measure.begin + part.begin,
                        std::min(measure.begin + part.end, measure.end)};
    if (window.end <= window.begin) break;
    summaries.push_back({part.is_stage, summarize_window(run, window, reasons,
                                                         fmt::format("stages[{}]", part.name))});
  }
  return summaries;
}

std::vector<Window> stages_of(const record::Run& run) {
  std::vector<Window> stages;
  const record::PhaseSpan* measure = run.phase(record::Phase::kMeasure);
  if (measure == nullptr) return stages;
  for (const scenario::StageTurn& turn : scenario::stage_turns(run.header.scenario))
    stages.push_back({turn.name, measure->begin + turn.begin, measure->begin + turn.end});
  return stages;
}

std::uint64_t mean_slots(const scenario::Scenario& scenario, const NamedLoad& load) {
  if (load.fills && load.load.rate) return 0;
  const double outside = load.connections_in_use;
  const auto measure = static_cast<double>(scenario.timing.measure.count());
  double connections = outside;
  for (const scenario::StageChange& stage : load.stages) {
    if (!stage.connections || measure <= 0) continue;
    const double inside = (double{0} + stage.connections->from + stage.connections->to) / 2;
    connections +=
        (inside - outside) * static_cast<double>((stage.end - stage.begin).count()) / measure;
  }
  return static_cast<std::uint64_t>(
      std::llround(connections * load.load.workers * load.load.pipeline));
}

}  // namespace headroom::analysis
