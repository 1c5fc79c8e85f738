#include "analysis/limiter.h"

#include <algorithm>
#include <optional>

#include "analysis/prose.h"
#include "analysis/workers.h"
#include "base/units.h"

namespace headroom::analysis {
namespace {

using record::Outcome;
using Verdict = std::optional<LimiterVerdict>;  // nullopt: this check does not hold

// CPUs that neither engine nor generator used: below this it is the system's own housekeeping.
constexpr double kOthersWorthNaming = 0.25;

std::string host_cpus(const record::Run& run) {
  const record::MetricSeries* series = run.find_metric("host_cpus");
  if (series == nullptr || series->points.empty()) return "CPUs";
  return counted(static_cast<std::uint64_t>(series->points.back().value), "CPU");
}

template <class Member>
const WorkerSummary* highest(const std::vector<WorkerSummary>& workers, Member member) {
  const auto found = std::ranges::max_element(workers, {}, member);
  return found != workers.end() && (*found).*member ? &*found : nullptr;
}

Verdict busy_generator(const Summary& summary) {
  const WorkerSummary* busiest = highest(summary.workers, &WorkerSummary::cpu_ratio);
  if (busiest == nullptr || *busiest->cpu_ratio < kBusyWorker) return std::nullopt;
  return LimiterVerdict{Limiter::kGenerator,
                        fmt::format("Worker {} used {} of a CPU: it could hardly have sent more.",
                                    busiest->worker, percent(*busiest->cpu_ratio))};
}

Verdict busy_engine(const Summary& summary) {
  const std::optional<double> cpu = summary.measure.engine_cpu_main_thread;
  if (!cpu || *cpu < kBusyEngine) return std::nullopt;
  return LimiterVerdict{Limiter::kEngine,
                        fmt::format("The engine's main thread used {} of a CPU.", percent(*cpu))};
}

Verdict busy_host(const Summary& summary, const record::Run& run) {
  const std::optional<double> busy = summary.host_cpu_busy_ratio;
  if (!busy || *busy < kBusyHost || !shares_machine(run)) return std::nullopt;
  const std::optional<double> engine = summary.measure.engine_cpu_process
                                           ? summary.measure.engine_cpu_process
                                           : summary.measure.engine_cpu_main_thread;
  double generator = 0;
  for (const WorkerSummary& worker : summary.workers) generator += worker.cpu_ratio.value_or(0);
  std::string evidence = fmt::format(
      "Engine and generator share {} that were {} busy: the engine had {} of one CPU, {} together "
      "{}",
      host_cpus(run), percent(*busy), engine ? percent(*engine) : "an unknown share",
      counted(summary.workers.size(), "worker"), percent(generator));
  const record::MetricSeries* cpus = run.find_metric("host_cpus");
  if (engine && cpus != nullptr && !cpus->points.empty()) {
    const double others = *busy * cpus->points.back().value - *engine - generator;
    if (others >= kOthersWorthNaming)
      evidence += fmt::format(", and something else on this machine {}", percent(others));
  }
  return LimiterVerdict{Limiter::kHost, evidence + "."};
}

Verdict starved_generator(const Summary& summary) {
  const WorkerSummary* worst = highest(summary.workers, &WorkerSummary::away_ratio);
  if (worst == nullptr || *worst->away_ratio < kBusyWorker) return std::nullopt;
  return LimiterVerdict{
      Limiter::kGenerator,
      fmt::format("Worker {} was away from its sockets for {} of the time while it used {} of a "
                  "CPU: it was kept from running.",
                  worst->worker, percent(*worst->away_ratio),
                  worst->cpu_ratio ? percent(*worst->cpu_ratio) : "an unknown share")};
}

Verdict out_of_memory(const Summary& summary) {
  std::uint64_t rejected = 0;
  std::uint64_t answered = 0;
  for (const auto& [operation, outcomes] : summary.measure.outcomes) {
    for (const auto& [outcome, count] : outcomes) {
      if (outcome == Outcome::kRejected) rejected += count;
      if (has_reply(outcome)) answered += count;
    }
  }
  if (rejected == 0) return std::nullopt;
  const double share = static_cast<double>(rejected) / static_cast<double>(answered);
  if (share < kManyRejected) return std::nullopt;
  return LimiterVerdict{
      Limiter::kMemory,
      fmt::format("{} of the replies were refusals for want of memory.", percent(share))};
}

// What keeps us from excluding a limit that comes before `concurrency`; nullopt if nothing does.
std::optional<std::string> not_excluded(const Summary& summary, const record::Run& run) {
  const WindowSummary& measure = summary.measure;
  if (!measure.engine_cpu_main_thread) {
    if (!measure.engine_cpu_process)
      return fmt::format("the engine's CPU is not known ({})",
                         summary.not_available.at("measure.engine_cpu_process"));
    if (*measure.engine_cpu_process >= kBusyEngine)
      return fmt::format(
          "the engine's process used {} of a CPU, but it does not tell its main "
          "thread's share",
          percent(*measure.engine_cpu_process));
  }
  if (summary.workers.empty()) return "the generator's CPU is not known";
  if (shares_machine(run) && !summary.host_cpu_busy_ratio)
    return "engine and generator share a machine, and how busy it was is not known";
  return std::nullopt;
}

LimiterVerdict judge_slots(const Summary& summary, const record::Run& run) {
  const std::optional<double> in_flight = summary.measure.concurrency;
  if (!in_flight || summary.configured_slots == 0)
    return {Limiter::kUnclear, "Nothing was answered in the window."};
  const std::string slots = fmt::format("{:.1f} of {} were in use on average", *in_flight,
                                        counted(summary.configured_slots, "slot"));
  if (*in_flight < kFullSlots * static_cast<double>(summary.configured_slots))
    return {Limiter::kUnclear,
            fmt::format("No thread and no machine was at its limit, yet only {}.", slots)};
  if (const auto open = not_excluded(summary, run))
    return {Limiter::kUnclear, fmt::format("The slots were full ({}), but {}.", slots, *open)};
  const WorkerSummary* busiest = highest(summary.workers, &WorkerSummary::cpu_ratio);
  const double engine = summary.measure.engine_cpu_main_thread.value_or(
      summary.measure.engine_cpu_process.value_or(0));
  return {Limiter::kConcurrency,
          fmt::format("{}, while the engine used {} of a CPU and the busiest worker {}: more "
                      "connections or workers would give more throughput.",
                      slots, percent(engine),
                      busiest != nullptr ? percent(*busiest->cpu_ratio) : "an unknown share")};
}

}  // namespace

LimiterVerdict judge_limiter(const Summary& summary, const record::Run& run) {
  if (!summary.measure.throughput_per_s) return {Limiter::kUnclear, "Nothing was measured."};
  if (auto verdict = busy_generator(summary)) return *verdict;
  if (auto verdict = busy_engine(summary)) return *verdict;
  if (auto verdict = busy_host(summary, run)) return *verdict;
  if (auto verdict = starved_generator(summary)) return *verdict;
  if (auto verdict = out_of_memory(summary)) return *verdict;
  return judge_slots(summary, run);
}

}  // namespace headroom::analysis
