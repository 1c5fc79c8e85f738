#include "analysis/limiter.h"

#include <algorithm>
#include <array>
#include <optional>

#include "analysis/node.h"
#include "analysis/prose.h"
#include "analysis/schedule.h"
#include "analysis/window.h"
#include "analysis/workers.h"
#include "base/units.h"

namespace headroom::analysis {
namespace {

using record::Outcome;
using Verdict = std::optional<LimiterVerdict>;  // nullopt: this check does not hold

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

double generator_cpu(const Summary& summary) {
  double cpus = 0;
  for (const WorkerSummary& worker : summary.workers) cpus += worker.cpu_ratio.value_or(0);
  return cpus;
}

// Of the whole process where it is known: the main thread's is a part of it.
std::optional<double> engine_cpu(const WindowSummary& measure) {
  return measure.engine_cpu_process ? measure.engine_cpu_process : measure.engine_cpu_main_thread;
}

Verdict kept_rate(const Summary& summary, const record::Run&) {
  const auto& schedule = summary.schedule;
  if (!schedule || schedule->due == 0) return std::nullopt;
  const auto due = static_cast<double>(schedule->due);
  const auto completed = static_cast<double>(summary.measure.completed);
  if (completed < kKeptRate * due) return std::nullopt;
  const std::optional<double> engine = summary.measure.engine_cpu_main_thread;
  return LimiterVerdict{
      Limiter::kRate,
      fmt::format("{}/s were asked for and {}/s completed{}: nothing held the load back but its "
                  "rate.",
                  human_count(schedule->asked_per_s),
                  human_count(summary.measure.throughput_per_s.value_or(0)),
                  engine ? fmt::format(", while the engine's main thread used {} of one CPU",
                                       percent(*engine))
                         : std::string())};
}

Verdict busy_generator(const Summary& summary, const record::Run&) {
  const WorkerSummary* busiest = highest(summary.workers, &WorkerSummary::cpu_ratio);
  if (busiest == nullptr || *busiest->cpu_ratio < kBusyWorker) return std::nullopt;
  return LimiterVerdict{Limiter::kGenerator,
                        fmt::format("Worker {} used {} of one CPU: it could hardly have sent more.",
                                    busiest->worker, percent(*busiest->cpu_ratio))};
}

// "0.2 vCPUs, which is what it has without CPU credits"
std::string quota_text(const NodeCpu& node, const record::Run& run) {
  const std::string vcpus =
      fmt::format("{} vCPU{}", node.quota_vcpus, node.quota_vcpus == 1 ? "" : "s");
  const auto full = run.header.scenario.target.vcpus;
  return full && node.quota_vcpus < *full ? vcpus + ", all that it has without CPU credits" : vcpus;
}

Verdict held_node(const Summary& summary, const record::Run& run) {
  if (!summary.node || summary.node->held_ratio.value_or(0) < kMostlyHeld) return std::nullopt;
  return LimiterVerdict{
      Limiter::kNode,
      fmt::format("The node's CPU quota held it for {} of the time: it may use {}.",
                  percent(*summary.node->held_ratio), quota_text(*summary.node, run))};
}

Verdict busy_engine(const Summary& summary, const record::Run&) {
  const std::optional<double> cpu = summary.measure.engine_cpu_main_thread;
  if (!cpu || *cpu < kBusyEngine) return std::nullopt;
  return LimiterVerdict{Limiter::kEngine,
                        fmt::format("The engine's main thread used {} of one CPU.", percent(*cpu))};
}

Verdict busy_host(const Summary& summary, const record::Run& run) {
  const std::optional<double> busy = summary.host_cpu_busy_ratio;
  if (!busy || *busy < kBusyHost || !shares_machine(run)) return std::nullopt;
  const std::string full = fmt::format("Engine and generator share {} that were {} busy",
                                       host_cpus(run), percent(*busy));
  const std::string workers = fmt::format(
      "{} {} of one CPU",
      summary.workers.size() == 1 ? std::string("the worker")
                                  : counted(summary.workers.size(), "worker") + " together",
      percent(generator_cpu(summary)));
  const std::optional<double> engine = engine_cpu(summary.measure);
  if (!engine) return LimiterVerdict{Limiter::kHost, fmt::format("{}, {}.", full, workers)};
  const std::string ours = fmt::format("{}: the engine had {} of one CPU", full, percent(*engine));
  const auto others = cpu_of_others(summary, run);
  if (!others) return LimiterVerdict{Limiter::kHost, fmt::format("{} and {}.", ours, workers)};
  return LimiterVerdict{
      Limiter::kHost,
      fmt::format("{}, {}, and something else on this machine {} of one CPU{}.", ours, workers,
                  percent(others->cpus), others->more_than_ours ? ", more than both of them" : "")};
}

Verdict starved_generator(const Summary& summary, const record::Run&) {
  const WorkerSummary* worst = highest(summary.workers, &WorkerSummary::away_ratio);
  if (worst == nullptr || *worst->away_ratio < kBusyWorker) return std::nullopt;
  return LimiterVerdict{
      Limiter::kGenerator,
      fmt::format("Worker {} was away from its sockets for {} of the time while it used {} of "
                  "one CPU: it was kept from running.",
                  worst->worker, percent(*worst->away_ratio),
                  worst->cpu_ratio ? percent(*worst->cpu_ratio) : "an unknown share")};
}

Verdict out_of_memory(const Summary& summary, const record::Run&) {
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

Verdict full_slots(const Summary& summary, const record::Run&) {
  const std::optional<double> in_flight = summary.measure.concurrency;
  if (!in_flight || summary.configured_slots == 0) return std::nullopt;
  if (*in_flight < kFullSlots * static_cast<double>(summary.configured_slots)) return std::nullopt;
  const std::string full = fmt::format("{:.1f} of {} were in use on average", *in_flight,
                                       counted(summary.configured_slots, "slot"));
  const std::optional<double> engine = summary.measure.engine_cpu_main_thread
                                           ? summary.measure.engine_cpu_main_thread
                                           : summary.measure.engine_cpu_process;
  const WorkerSummary* busiest = highest(summary.workers, &WorkerSummary::cpu_ratio);
  if (!engine || busiest == nullptr) return LimiterVerdict{Limiter::kConcurrency, full + "."};
  return LimiterVerdict{
      Limiter::kConcurrency,
      fmt::format("{}, while the engine used {} of one CPU and the busiest worker {} of one CPU: "
                  "more connections or workers would give more throughput.",
                  full, percent(*engine), percent(*busiest->cpu_ratio))};
}

// Why a check could not be made; nullopt if it could.
using Blind = std::optional<std::string>;

Blind nothing(const Summary&, const record::Run&) { return std::nullopt; }

Blind generator_unknown(const Summary& summary, const record::Run&) {
  if (highest(summary.workers, &WorkerSummary::cpu_ratio) != nullptr) return std::nullopt;
  return "the generator's CPU is not known";
}

Blind engine_unknown(const Summary& summary, const record::Run&) {
  const WindowSummary& measure = summary.measure;
  if (measure.engine_cpu_main_thread) return std::nullopt;
  if (!measure.engine_cpu_process)
    return fmt::format("the engine's CPU is not known ({})",
                       summary.not_available.at("measure.engine_cpu_process"));
  // A process below the limit has a main thread below it.
  if (*measure.engine_cpu_process < kBusyEngine) return std::nullopt;
  return fmt::format(
      "the engine's process used {} of one CPU without telling its main thread's share",
      percent(*measure.engine_cpu_process));
}

// Whether the node is held to a quota at all is in the run's facts.
Blind node_unknown(const Summary& summary, const record::Run& run) {
  const auto cpu = run.facts.find("node.cpu");
  const bool held = cpu != run.facts.end() && cpu->second.starts_with("held");
  if (!held || (summary.node && summary.node->held_ratio)) return std::nullopt;
  return "how much of its CPU quota the node used is not known";
}

Blind host_unknown(const Summary& summary, const record::Run& run) {
  if (!shares_machine(run) || summary.host_cpu_busy_ratio) return std::nullopt;
  return "engine and generator share a machine, and how busy it was is not known";
}

Blind lag_unknown(const Summary& summary, const record::Run&) {
  if (highest(summary.workers, &WorkerSummary::away_ratio) != nullptr) return std::nullopt;
  return "how long the workers were kept from their sockets is not known";
}

struct Check {
  Verdict (*holds)(const Summary&, const record::Run&);
  Blind (*blind)(const Summary&, const record::Run&);
};
constexpr std::array kChecks = {
    Check{kept_rate, nothing},      Check{busy_generator, generator_unknown},
    Check{held_node, node_unknown}, Check{busy_engine, engine_unknown},
    Check{busy_host, host_unknown}, Check{starved_generator, lag_unknown},
    Check{out_of_memory, nothing},  Check{full_slots, nothing},
};

// Nothing is at its limit, as far as was looked.
LimiterVerdict no_limit(const Summary& summary, const Blind& blind) {
  if (!summary.measure.concurrency || summary.configured_slots == 0)
    return {Limiter::kUnclear, "Nothing was answered in the window."};
  const std::string slots = fmt::format("{:.1f} of {}", *summary.measure.concurrency,
                                        counted(summary.configured_slots, "slot"));
  if (blind)
    return {Limiter::kUnclear,
            fmt::format("Only {} were in use on average, and {}.", slots, *blind)};
  return {Limiter::kUnclear,
          fmt::format("No thread and no machine was at its limit, yet only {} were in use on "
                      "average.",
                      slots)};
}

// One verdict for all of the summary's window.
LimiterVerdict judge_whole(const Summary& summary, const record::Run& run) {
  Blind blind;  // the first check that could not be made: it excludes nothing
  for (const Check& check : kChecks) {
    if (Verdict verdict = check.holds(summary, run)) {
      if (!blind) return *verdict;
      std::string& seen = verdict->evidence;
      seen.pop_back();  // its full stop
      return {Limiter::kUnclear, fmt::format("{}, but {}.", seen, *blind)};
    }
    if (!blind) blind = check.blind(summary, run);
  }
  return no_limit(summary, blind);
}

// What the checks need, about a part of the window.
Summary summarize_part(const Summary& summary, const record::Run& run, const Window& window) {
  Summary part;
  part.measure = summarize_window(run, window, part.not_available, "measure");
  part.configured_slots = summary.configured_slots;
  part.node = summarize_node(run, window);
  if (summary.schedule) part.schedule = summarize_schedule(run, part.measure);
  part.workers = summarize_workers(run, window);
  for (WorkerSummary& worker : part.workers) {
    // Lag as a distribution is kept for the whole window only.
    const auto whole = std::ranges::find(summary.workers, worker.worker, &WorkerSummary::worker);
    worker.away_ratio = whole == summary.workers.end() ? std::nullopt : whole->away_ratio;
  }
  part.host_cpu_busy_ratio =
      value_or_reason(host_cpu_busy(run, window), part.not_available, "host_cpu_busy_ratio");
  return part;
}

// "CPU credits were gone from 20.3 s on. Until 20.0 s engine: ... From 21.0 s on node: ..."
std::string parts_text(const std::vector<QuotaPart>& quotas, const LimiterVerdict& verdict,
                       const Window& window) {
  std::string text;
  for (std::size_t i = 1; i < quotas.size(); ++i) {
    const bool gone = quotas[i].quota_vcpus < quotas[i - 1].quota_vcpus;
    text +=
        fmt::format("{}CPU credits were {} from {} on. ", i > 1 ? "Then " : "",
                    gone ? "gone" : "back", seconds_text(quotas[i].window.begin - window.begin));
  }
  for (const LimiterPart& part : verdict.parts) {
    text += fmt::format("{} to {} {}: {} ", seconds_text(part.window.begin - window.begin),
                        seconds_text(part.window.end - window.begin), limiter_name(part.limiter),
                        part.evidence);
  }
  text.pop_back();
  return text;
}

}  // namespace

std::optional<OthersCpu> cpu_of_others(const Summary& summary, const record::Run& run) {
  const record::MetricSeries* cpus = run.find_metric("host_cpus");
  const std::optional<double> engine = engine_cpu(summary.measure);
  if (!shares_machine(run) || !summary.host_cpu_busy_ratio || !engine || summary.workers.empty() ||
      cpus == nullptr || cpus->points.empty())
    return std::nullopt;
  const double ours = *engine + generator_cpu(summary);
  const double others = *summary.host_cpu_busy_ratio * cpus->points.back().value - ours;
  if (others < kOthersWorthNaming) return std::nullopt;
  return OthersCpu{others, others > ours};
}

LimiterVerdict judge_limiter(const Summary& summary, const record::Run& run) {
  if (!summary.measured_anything()) return {Limiter::kUnclear, "Nothing was measured."};
  const std::vector<QuotaPart> quotas = quota_parts(run, summary.measure.window);
  if (quotas.size() < 2) return judge_whole(summary, run);
  LimiterVerdict verdict;
  double longest = 0;
  for (const QuotaPart& quota : quotas) {
    const LimiterVerdict part = judge_whole(summarize_part(summary, run, quota.window), run);
    verdict.parts.push_back({quota.window, part.limiter, part.evidence});
    if (quota.window.seconds() <= longest) continue;
    longest = quota.window.seconds();
    verdict.limiter = part.limiter;
  }
  verdict.evidence = parts_text(quotas, verdict, summary.measure.window);
  return verdict;
}

}  // namespace headroom::analysis
