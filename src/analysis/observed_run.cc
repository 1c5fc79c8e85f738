#include "analysis/observed_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analysis/prose.h"
#include "analysis/window.h"
#include "base/units.h"
#include "scenario/loads.h"
#include "scenario/options.h"

namespace headroom::analysis {
namespace {

constexpr std::array<std::string_view, 7> kFaultNames = {
    "nothing-measured", "incomplete",        "truncated", "changed-since-sealed",
    "worker-missing",   "generator-limited", "account"};

// Of the measure window; less is a truncated run, whatever it says of its end.
constexpr double kWholeWindow = 0.99;

std::map<std::string, std::string> settings_of(const record::Run& run) {
  std::map<std::string, std::string> settings = run.facts;
  const scenario::Scenario& scenario = run.header.scenario;
  for (const scenario::Option& option : scenario::option_table()) {
    const bool stored = option.expand == nullptr;
    if (!stored) continue;
    const std::size_t rows = scenario::find_section(option.section)->rows(scenario);
    for (std::size_t row = 0; row < rows; ++row) {
      if (!option.applies_to(scenario, row)) continue;
      if (const auto value = option.access.get(scenario, row))
        settings[option.key(row)] = scenario::print_value(option.type, *value);
    }
  }
  settings["tool.version"] = run.header.tool_version;
  // The option's text stands under its key; what "auto" came to is another thing.
  if (const auto keys = run.facts.find("workload.keys"); keys != run.facts.end())
    settings["workload.keys.realised"] = keys->second;
  return settings;
}

template <class Value>
void put(std::map<Figure, double>& figures, Figure figure, const std::optional<Value>& value) {
  if (!value) return;
  if constexpr (std::is_same_v<Value, Nanos>)
    figures[figure] = static_cast<double>(value->count());
  else
    figures[figure] = *value;
}

std::map<Figure, double> figures_of(const Summary& summary) {
  const WindowSummary& measure = summary.measure;
  std::map<Figure, double> figures;
  put(figures, Figure::kThroughput, measure.throughput_per_s);
  put(figures, Figure::kThroughputCv, measure.throughput_cv_per_minute);
  put(figures, Figure::kPeakThroughput, measure.peak_throughput_per_minute);
  for (const LatencySummary& row : measure.latencies) {
    if (row.operation != "all" || row.kind != record::LatencyKind::kService) continue;
    put(figures, Figure::kLatencyMean, row.mean_ns);
    put(figures, Figure::kLatencyP50, row.p50);
    put(figures, Figure::kLatencyP99, row.p99);
    put(figures, Figure::kLatencyP999, row.p999);
  }
  put(figures, Figure::kMemoryUsedMax, measure.memory_used_max_ratio);
  put(figures, Figure::kMemoryUsedMean, measure.memory_used_mean_ratio);
  put(figures, Figure::kHeadroom, summary.headroom_ratio);
  put(figures, Figure::kEngineCpuMean, measure.engine_cpu_main_thread);
  if (measure.throughput_per_s && measure.engine_cpu_main_thread.value_or(0) > 0)
    figures[Figure::kOpsPerCpuSecond] = *measure.throughput_per_s / *measure.engine_cpu_main_thread;
  put(figures, Figure::kPeakKeys, summary.peak_keys);
  put(figures, Figure::kBytesPerKey, summary.bytes_per_key);
  put(figures, Figure::kEvictions, measure.evictions);
  if (summary.first_eviction)
    figures[Figure::kFirstEviction] =
        std::chrono::duration<double>(*summary.first_eviction).count();
  put(figures, Figure::kHitRatio, measure.hit_ratio_client);
  return figures;
}

// Of all seconds of the window, the one with fewest workers.
std::optional<std::uint32_t> fewest_workers(const record::Run& run, const Window& window) {
  std::optional<std::uint32_t> fewest;
  for (const record::MergedInterval& interval : intervals_in(run, window))
    fewest = std::min(fewest.value_or(interval.workers), interval.workers);
  return fewest;
}

std::vector<Fault> faults_of(const record::Run& run, const Summary& summary,
                             std::optional<bool> intact) {
  if (!summary.measured_anything()) return {{FaultKind::kNothingMeasured, "it measured nothing"}};
  std::vector<Fault> faults;
  const Window& window = summary.measure.window;
  const auto add = [&](FaultKind kind, std::string seen) {
    faults.push_back({kind, std::move(seen)});
  };
  if (!summary.complete)
    add(FaultKind::kIncomplete,
        run.end ? "it did not run to its end" : "it was never finished: no end is recorded");
  const double planned = std::chrono::duration<double>(run.header.scenario.timing.measure).count();
  if (window.seconds() < kWholeWindow * planned)
    add(FaultKind::kTruncated,
        fmt::format("it measured {:.1f} s of {:.1f} s", window.seconds(), planned));
  if (intact == false) add(FaultKind::kTampered, "its file was changed since it was sealed");
  const std::uint32_t workers = scenario::worker_count(run.header.scenario);
  if (const auto fewest = fewest_workers(run, window); fewest && *fewest < workers)
    add(FaultKind::kWorkerMissing,
        fmt::format("a second of it has {} of {}", *fewest, counted(workers, "worker")));
  if (summary.limiter.limiter == Limiter::kGenerator)
    add(FaultKind::kGeneratorLimited, "its generator was the limit");
  if (!summary.conservation.client_adds_up)
    add(FaultKind::kAccount, "its requests and their outcomes do not add up");
  else if (summary.conservation.engine_agrees == false)
    add(FaultKind::kAccount, "the engine counted other requests than the client");
  return faults;
}

}  // namespace

std::string_view fault_name(FaultKind kind) {
  return kFaultNames.at(static_cast<std::size_t>(kind));
}

std::optional<std::uint64_t> slots_of(const std::map<std::string, std::string>& settings) {
  std::uint64_t slots = 1;
  for (const char* key : {"load.workers", "load.connections", "load.pipeline"}) {
    const auto found = settings.find(key);
    if (found == settings.end()) return std::nullopt;
    const Result<std::uint64_t> count = parse_count(found->second);
    if (!count) return std::nullopt;
    slots *= *count;
  }
  return slots;
}

ObservedRun observe(const record::Run& run, const Summary& summary, std::string name,
                    std::optional<bool> intact) {
  ObservedRun observed;
  observed.name = std::move(name);
  observed.started = run.header.started;
  observed.settings = settings_of(run);
  observed.figures = figures_of(summary);
  observed.regime = summary.regime.regime;
  observed.limiter = summary.limiter.limiter;
  observed.slots = summary.configured_slots;
  observed.complete = summary.complete;
  observed.adds_up =
      summary.conservation.client_adds_up && summary.conservation.engine_agrees.value_or(true);
  observed.faults = faults_of(run, summary, intact);
  Course course = course_of(run, summary);
  observed.outline = std::move(course.outline);
  // Only what is compact may be kept by the hundred.
  observed.latency = course.latency.drain();
  return observed;
}

}  // namespace headroom::analysis
