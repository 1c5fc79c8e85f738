// Claims about what the node can do: capacity, headroom, concurrency, scaling, CPU.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/claims.h"
#include "analysis/limiter.h"
#include "analysis/prose.h"
#include "base/units.h"

namespace headroom::analysis {
namespace {

// Throughput, mean latency and slots of an arm, put together by Little's law.
std::optional<std::string> little_evidence(const Arm& arm) {
  const auto requests = in_flight(arm);
  const auto slots = arm.slots();
  if (!requests) return std::nullopt;
  if (!slots)
    return fmt::format("{}: throughput x mean latency = {:.1f} requests in flight (Little's law).",
                       arm.name, *requests);
  std::string text =
      fmt::format("{}: throughput x mean latency = {:.1f} requests in flight of {} (Little's law)",
                  arm.name, *requests, counted(*slots, "slot"));
  if (const auto workers = arm.setting("load.workers")) {
    if (const auto count = parse_count(*workers); count && *count > 0)
      text += fmt::format(", {:.1f} for each of {}", *requests / static_cast<double>(*count),
                          counted(*count, "worker"));
  }
  return text + ".";
}

Guard concurrency_guard(const Arm& arm) {
  return {GuardKind::kConcurrencyLimited,
          fmt::format("{} kept every slot busy: its throughput is slots / latency, what this many "
                      "requests in flight get, and no capacity of the node.",
                      arm.name)};
}

// Everything that stands between a throughput and a capacity.
std::vector<Guard> capacity_guards(const Arm& arm) {
  std::vector<Guard> guards;
  if (concurrency_limited(arm)) guards.push_back(concurrency_guard(arm));
  if (evicted(arm).value_or(false))
    guards.push_back({GuardKind::kSaturated,
                      fmt::format("{} reached maxmemory and evicted: its throughput is that of a "
                                  "node past its memory cliff.",
                                  arm.name)});
  const auto limiter = arm.limiter();
  if (limiter == Limiter::kHost)
    guards.push_back({GuardKind::kSharedHost,
                      fmt::format("In {} engine and generator shared busy CPUs: neither got what "
                                  "it could have used.",
                                  arm.name)});
  else if (limiter && limiter != Limiter::kEngine && limiter != Limiter::kNode &&
           limiter != Limiter::kConcurrency)
    guards.push_back(
        {GuardKind::kNoEngineLimit, fmt::format("What limited {} was {}, not engine or node.",
                                                arm.name, limiter_name(*limiter))});
  else if (!limiter && guards.empty())
    guards.push_back({GuardKind::kNotStated,
                      fmt::format("What limited the runs of {} is not known, or not the same in "
                                  "all of them.",
                                  arm.name)});
  return guards;
}

void claim_capacity_of(const ClaimContext& context, const Arm& arm) {
  Claim claim;
  claim.kind = ClaimKind::kCapacity;
  claim.statement = fmt::format("The throughput of {} is the capacity of its node.", arm.name);
  claim.evidence.push_back(arm_spread(arm, Figure::kThroughput));
  if (const auto little = little_evidence(arm)) claim.evidence.push_back(*little);
  const Figure cpu =
      arm.spread(Figure::kEngineCpuMax).known() ? Figure::kEngineCpuMax : Figure::kEngineCpuMean;
  if (arm.spread(cpu).known()) claim.evidence.push_back(arm_spread(arm, cpu));
  claim.guards = capacity_guards(arm);
  const bool unknown_only =
      !claim.guards.empty() && std::ranges::all_of(claim.guards, [](const Guard& guard) {
        return guard.kind == GuardKind::kNotStated;
      });
  claim.verdict = claim.guards.empty() ? Verdict::kSupported
                  : unknown_only       ? Verdict::kCannotTell
                                       : Verdict::kNotSupported;
  if (!claim.guards.empty())
    claim.settle =
        "Raise the load until engine or node is the limit, with memory left and the generator on a "
        "machine of its own.";
  context.claims.push_back(std::move(claim));
}

void claim_concurrency_of(const ClaimContext& context, const Arm& arm) {
  const auto little = little_evidence(arm);
  const auto slots = arm.slots();
  if (!little || !slots) return;
  Claim claim;
  claim.kind = ClaimKind::kConcurrency;
  claim.statement = fmt::format(
      "{} was limited by its concurrency: throughput is the requests in flight / latency.",
      arm.name);
  claim.evidence.push_back(*little);
  const Spread cpu = arm.spread(Figure::kEngineCpuMax);
  const double busiest = cpu.max.value_or(arm.spread(Figure::kEngineCpuMean).max.value_or(0));
  if (concurrency_limited(arm) && busiest < kBusyEngine) {
    claim.verdict = Verdict::kSupported;
    if (cpu.known())
      claim.evidence.push_back(arm_spread(arm, Figure::kEngineCpuMax));
    else if (!arm.limiter())
      claim.guards.push_back(
          {GuardKind::kNotStated,
           fmt::format("The engine's CPU in {} is not stated, so what made its latency is open.",
                       arm.name)});
  } else if (const auto limiter = arm.limiter()) {
    claim.verdict = Verdict::kNotSupported;
    claim.evidence.push_back(
        fmt::format("The limiter of every run of {} was {}.", arm.name, limiter_name(*limiter)));
  } else {
    claim.guards.push_back({GuardKind::kNotStated,
                            fmt::format("What limited {} besides its concurrency is not the same "
                                        "in all runs.",
                                        arm.name)});
    claim.settle = "Make runs with more workers or connections.";
  }
  context.claims.push_back(std::move(claim));
}

// All arms together: served the load with memory left.
void claim_headroom_of_all(const ClaimContext& context) {
  Claim claim;
  claim.kind = ClaimKind::kHeadroom;
  std::size_t runs = 0;
  bool unknown = false;
  bool none = false;
  for (const Arm& arm : context.arms) {
    runs += arm.size();
    const Spread headroom = arm.spread(Figure::kHeadroom);
    const auto evictions = evicted(arm);
    claim.evidence.push_back(fmt::format(
        "{}: headroom {}; evictions {}.", arm.name, spread_text(Figure::kHeadroom, headroom),
        spread_text(Figure::kEvictions, arm.spread(Figure::kEvictions))));
    if (evictions == true || headroom.min.value_or(1) <= 0) {
      none = true;
      claim.guards.push_back(
          {GuardKind::kSaturated,
           fmt::format("{} reached maxmemory or evicted: it had no headroom.", arm.name)});
    } else if (!evictions || !headroom.min) {
      unknown = true;
      claim.guards.push_back({GuardKind::kNotStated,
                              fmt::format("Headroom or evictions of {} are not known.", arm.name)});
    }
  }
  claim.statement =
      fmt::format("All {} served the load with memory left and no eviction.", counted(runs, "run"));
  claim.verdict = none      ? Verdict::kNotSupported
                  : unknown ? Verdict::kCannotTell
                            : Verdict::kSupported;
  if (claim.verdict != Verdict::kSupported)
    claim.settle = "Runs with less data, or more memory, that end before maxmemory is reached.";
  context.claims.push_back(std::move(claim));
}

std::optional<double> worker_count(const Arm& arm) {
  const auto workers = arm.setting("load.workers");
  if (!workers) return std::nullopt;
  const auto count = parse_count(*workers);
  return count ? std::optional(static_cast<double>(*count)) : std::nullopt;
}

std::optional<double> ratio_of(const Arm& from, const Arm& to, Figure figure) {
  const Spread a = from.spread(figure);
  const Spread b = to.spread(figure);
  if (a.mean && b.mean && *a.mean != 0) return *b.mean / *a.mean;
  if (a.median && b.median && *a.median != 0) return *b.median / *a.median;
  return std::nullopt;
}

void claim_scaling_of(const ClaimContext& context, const Arm& few, const Arm& many,
                      double workers) {
  const auto throughput = ratio_of(few, many, Figure::kThroughput);
  if (!throughput) return;
  Claim claim;
  claim.kind = ClaimKind::kScaling;
  claim.statement =
      fmt::format("Throughput scales with the workers from {} to {}.", few.name, many.name);
  std::string ratios = fmt::format("{:.4g} times the workers gave {:.3f} times the throughput",
                                   workers, *throughput);
  if (const auto latency = ratio_of(few, many, Figure::kLatencyMean))
    ratios += fmt::format(", {:.3f} times the mean latency", *latency);
  if (const auto evictions = ratio_of(few, many, Figure::kEvictions))
    ratios += fmt::format(", {:.3f} times the evictions", *evictions);
  claim.evidence.push_back(ratios + ".");
  for (const Arm* arm : {&few, &many}) {
    if (const auto little = little_evidence(*arm)) claim.evidence.push_back(*little);
    if (evicted(*arm).value_or(false))
      claim.guards.push_back({GuardKind::kSaturated,
                              fmt::format("{} reached maxmemory and evicted: no capacity upgrade "
                                          "can be read from it.",
                                          arm->name)});
    if (concurrency_limited(*arm)) claim.guards.push_back(concurrency_guard(*arm));
  }
  if (few.size() != many.size())
    claim.guards.push_back(
        {GuardKind::kUnequalRepeats,
         fmt::format("{} has {} and {} has {}: the repeat counts are unequal.", few.name,
                     counted(few.size(), "run"), many.name, counted(many.size(), "run"))});
  if (*throughput < kScales * workers) {
    claim.verdict = Verdict::kNotSupported;
    claim.settle = "Equal repeats at three or more numbers of workers, with memory left.";
  } else if (claim.guards.empty()) {
    claim.verdict = Verdict::kSupported;
  } else {
    claim.settle = "Equal repeats at three or more numbers of workers, with memory left.";
  }
  context.claims.push_back(std::move(claim));
}

// Whichever figure of the engine's CPU all arms know.
std::optional<Figure> known_cpu(std::span<const Arm> arms) {
  for (const Figure figure : {Figure::kEngineCpuMax, Figure::kEngineCpuMean}) {
    if (std::ranges::all_of(arms,
                            [&](const Arm& arm) { return arm.spread(figure).max.has_value(); }))
      return figure;
  }
  return std::nullopt;
}

void claim_cpu_lead(const ClaimContext& context, Figure cpu) {
  const auto centre = [&](const Arm& arm) { return arm.spread(cpu).max.value_or(0); };
  const Arm& lowest = *std::ranges::min_element(context.arms, {}, centre);
  Claim claim;
  claim.kind = ClaimKind::kCpuLead;
  claim.statement =
      fmt::format("The lower engine CPU of {} is a lead in throughput or capacity.", lowest.name);
  claim.verdict = Verdict::kNotSupported;
  for (const Arm& arm : context.arms) {
    claim.evidence.push_back(arm_spread(arm, cpu));
    claim.evidence.push_back(arm_spread(arm, Figure::kThroughput));
  }
  claim.guards.push_back(
      {GuardKind::kCpuAlone,
       fmt::format("The lower engine CPU of {} is not a throughput lead and not a capacity: CPU "
                   "that was not used did not limit.",
                   lowest.name)});
  claim.settle = "Raise the load on every arm until its engine or node is the limit.";
  context.claims.push_back(std::move(claim));
}

void claim_cpu_bottleneck(const ClaimContext& context, const Arm& arm) {
  const Figure figure =
      arm.spread(Figure::kEngineCpuMax).max ? Figure::kEngineCpuMax : Figure::kEngineCpuMean;
  const Spread cpu = arm.spread(figure);
  if (!cpu.max) return;
  Claim claim;
  claim.kind = ClaimKind::kCpuBottleneck;
  claim.statement = fmt::format("The engine's CPU limited {}.", arm.name);
  claim.evidence.push_back(arm_spread(arm, figure));
  if (*cpu.max < kBusyEngine) {
    claim.verdict = Verdict::kNotSupported;
    claim.guards.push_back({GuardKind::kCpuAlone,
                            fmt::format("The engine's CPU is not shown to have limited {}: at its "
                                        "most it was {} of one CPU.",
                                        arm.name, percent(*cpu.max))});
    claim.settle = "A profile of where requests wait: network, node credits, generator.";
  } else if (arm.limiter() == Limiter::kEngine) {
    claim.verdict = Verdict::kSupported;
  } else {
    claim.guards.push_back(
        {GuardKind::kNoEngineLimit,
         fmt::format("The engine was not the limit of every run of {}.", arm.name)});
    claim.settle = "Runs of the arm in which nothing but the engine is busy.";
  }
  context.claims.push_back(std::move(claim));
}

}  // namespace

void claim_capacity(const ClaimContext& context) {
  for (const Arm& arm : context.arms) {
    if (arm.spread(Figure::kThroughput).known()) claim_capacity_of(context, arm);
  }
  for (const Arm& arm : context.arms) claim_concurrency_of(context, arm);
  claim_headroom_of_all(context);
}

void claim_scaling(const ClaimContext& context) {
  for (std::size_t i = 0; i < context.arms.size(); ++i) {
    for (std::size_t j = i + 1; j < context.arms.size(); ++j) {
      const auto first = worker_count(context.arms[i]);
      const auto second = worker_count(context.arms[j]);
      if (!first || !second || *first == *second) continue;
      const bool up = *first < *second;
      claim_scaling_of(context, context.arms[up ? i : j], context.arms[up ? j : i],
                       up ? *second / *first : *first / *second);
    }
  }
}

void claim_cpu(const ClaimContext& context) {
  if (const auto cpu = known_cpu(context.arms); cpu && context.arms.size() > 1)
    claim_cpu_lead(context, *cpu);
  for (const Arm& arm : context.arms) claim_cpu_bottleneck(context, arm);
}

}  // namespace headroom::analysis
