// Claims about memory, the state that runs were in, burst credits and money.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/claims.h"
#include "analysis/prose.h"
#include "analysis/regime.h"

namespace headroom::analysis {
namespace {

// From the lowest to the highest key count of any run, as a ratio; nullopt where one is unknown.
std::optional<double> key_count_difference(std::span<const Arm> arms) {
  std::optional<double> fewest;
  std::optional<double> most;
  for (const Arm& arm : arms) {
    const Spread keys = arm.spread(Figure::kPeakKeys);
    if (!keys.min || !keys.max) return std::nullopt;
    fewest = std::min(fewest.value_or(*keys.min), *keys.min);
    most = std::max(most.value_or(*keys.max), *keys.max);
  }
  if (!fewest || *fewest <= 0) return std::nullopt;
  return *most / *fewest - 1;
}

void claim_memory_by_total(const ClaimContext& context) {
  const bool total_known = std::ranges::all_of(
      context.arms, [](const Arm& arm) { return arm.spread(Figure::kMemoryUsedMax).known(); });
  const bool by_key = std::ranges::any_of(context.contrasts, [](const Contrast& contrast) {
    return contrast.figure == Figure::kBytesPerKey;
  });
  if (!total_known || by_key || context.arms.size() < 2) return;
  const auto least = std::ranges::min_element(context.arms, {}, [](const Arm& arm) {
    return arm.spread(Figure::kMemoryUsedMax).max.value_or(1);
  });
  Claim claim;
  claim.kind = ClaimKind::kMemoryEfficiency;
  claim.statement = fmt::format("{} needs the least memory for the same data.", least->name);
  for (const Arm& arm : context.arms) {
    claim.evidence.push_back(arm_spread(arm, Figure::kMemoryUsedMax));
    claim.evidence.push_back(arm_spread(arm, Figure::kPeakKeys));
  }
  const auto difference = key_count_difference(context.arms);
  if (!difference)
    claim.guards.push_back({GuardKind::kNotStated, "The realised key counts are not known."});
  else if (*difference > kSameKeys)
    claim.guards.push_back(
        {GuardKind::kKeyCounts,
         fmt::format("Memory efficiency may not be ranked: realised key counts differ by {}, more "
                     "than {}.",
                     percent(*difference), percent(kSameKeys))});
  else
    claim.guards.push_back({GuardKind::kNotStated, "Bytes per key are not known."});
  claim.settle = "Compare bytes per key, or runs that hold the same number of keys.";
  context.claims.push_back(std::move(claim));
}

// "100 %" of maxmemory for every run, or not.
std::optional<bool> full(const Arm& arm) {
  const Spread memory = arm.spread(Figure::kMemoryUsedMax);
  if (!memory.min || !memory.max) return std::nullopt;
  if (*memory.min >= kFullMemoryRatio) return true;
  if (*memory.max < kFullMemoryRatio) return false;
  return std::nullopt;
}

// What all runs of the arm share, in words; empty if nothing is known to be shared.
std::vector<std::string> shared_state(const Arm& arm) {
  std::vector<std::string> shared;
  if (const auto regime = arm.regime())
    shared.push_back(fmt::format("regime {}", regime_name(*regime)));
  if (full(arm) == true) shared.emplace_back("memory full");
  if (full(arm) == false) shared.emplace_back("memory below its limit");
  const Spread evictions = arm.spread(Figure::kEvictions);
  if (evictions.min && *evictions.min > 0) shared.emplace_back("evictions");
  if (evictions.max && *evictions.max == 0) shared.emplace_back("no eviction");
  const Spread keys = arm.spread(Figure::kPeakKeys);
  if (keys.min && keys.max && *keys.max <= *keys.min * (1 + kSameKeys))
    shared.push_back(fmt::format("peak keys {}", spread_text(Figure::kPeakKeys, keys)));
  const Spread credits = arm.spread(Figure::kCpuCreditMin);
  if (credits.max && *credits.max < kCreditGone) shared.emplace_back("no CPU credit left");
  return shared;
}

// A figure in which the runs are known to be in different states.
std::vector<std::string> differing_state(const Arm& arm) {
  std::vector<std::string> differing;
  std::optional<Regime> seen;
  bool regimes = false;
  for (const ObservedRun& run : arm.runs) {
    regimes = regimes || (seen && run.regime && *seen != *run.regime);
    if (run.regime) seen = run.regime;
  }
  if (regimes) differing.emplace_back("regime");
  const Spread evictions = arm.spread(Figure::kEvictions);
  if (evictions.min && evictions.max && *evictions.min == 0 && *evictions.max > 0)
    differing.emplace_back("whether keys were evicted");
  return differing;
}

void claim_operating_state(const ClaimContext& context, const Arm& arm) {
  if (arm.size() < 2) return;
  const std::vector<std::string> shared = shared_state(arm);
  const std::vector<std::string> differing = differing_state(arm);
  Claim claim;
  claim.kind = ClaimKind::kOperatingState;
  claim.statement = fmt::format("The runs of {} agree on the operating state.", arm.name);
  if (!shared.empty())
    claim.evidence.push_back(
        fmt::format("All {} share: {}.", counted(arm.size(), "run"), listed(shared)));
  if (!differing.empty()) {
    claim.verdict = Verdict::kNotSupported;
    claim.guards.push_back({GuardKind::kRegimes, fmt::format("The runs of {} differ in {}.",
                                                             arm.name, listed(differing))});
    claim.settle = "Look at what differed before the runs; repeat them from the same start.";
  } else if (shared.empty()) {
    claim.guards.push_back({GuardKind::kNotStated,
                            fmt::format("The state of the runs of {} is not known.", arm.name)});
    claim.settle = "State memory, evictions and keys of every run.";
  } else {
    claim.verdict = Verdict::kSupported;
  }
  context.claims.push_back(std::move(claim));
}

void claim_headline(const ClaimContext& context, const Arm& arm) {
  const Spread throughput = arm.spread(Figure::kThroughput);
  if (arm.size() < 2 || !throughput.min || !throughput.max || *throughput.min <= 0) return;
  const double spread = *throughput.max / *throughput.min - 1;
  Claim claim;
  claim.kind = ClaimKind::kHeadline;
  claim.statement = fmt::format("The runs of {} agree on one throughput.", arm.name);
  claim.evidence.push_back(arm_spread(arm, Figure::kThroughput));
  claim.evidence.push_back(fmt::format("The highest is {} above the lowest.", percent(spread)));
  if (spread <= kSameHeadline) {
    claim.verdict = Verdict::kSupported;
  } else {
    claim.verdict = Verdict::kNotSupported;
    claim.guards.push_back(
        {GuardKind::kWideSpread,
         fmt::format("The throughput of {} is an observed range ({} to {}), not one figure and "
                     "not a capacity.",
                     arm.name, figure_text(Figure::kThroughput, *throughput.min),
                     figure_text(Figure::kThroughput, *throughput.max))});
    claim.settle = "Find what differed between the runs (node, time of day, credits), then repeat.";
  }
  context.claims.push_back(std::move(claim));
}

void claim_working_set(const ClaimContext& context, const Arm& arm) {
  const Spread latency = arm.spread(Figure::kLatencyMean);
  const auto evictions = evicted(arm);
  if (!latency.known() || evictions != true) return;
  Claim claim;
  claim.kind = ClaimKind::kWorkingSet;
  claim.statement =
      fmt::format("The latency of {} shows that the working set fits into memory.", arm.name);
  claim.verdict = Verdict::kNotSupported;
  claim.evidence = {arm_spread(arm, Figure::kLatencyMean), arm_spread(arm, Figure::kEvictions),
                    arm_spread(arm, Figure::kHitRatio)};
  claim.guards.push_back(
      {GuardKind::kEvictions,
       fmt::format("Low latency does not mean that the working set of {} fits: keys were evicted, "
                   "and a miss is answered as fast as a hit.",
                   arm.name)});
  claim.settle = "Runs without eviction, or the cost of a miss where it is paid.";
  context.claims.push_back(std::move(claim));
}

void claim_credits(const ClaimContext& context, const Arm& arm) {
  const Spread credits = arm.spread(Figure::kCpuCreditMin);
  if (!credits.known()) return;
  Claim claim;
  claim.kind = ClaimKind::kBurstCredits;
  claim.statement =
      fmt::format("The throughput of {} was held back by used-up CPU credits.", arm.name);
  claim.evidence.push_back(arm_spread(arm, Figure::kCpuCreditMin));
  if (arm.limiter() == Limiter::kNode) {
    claim.verdict = Verdict::kSupported;
  } else if (credits.min && *credits.min >= kCreditGone) {
    claim.verdict = Verdict::kNotSupported;
  } else {
    claim.guards.push_back({GuardKind::kNoThrottling,
                            fmt::format("The credit balance of {} was used up, but no throttling "
                                        "was recorded.",
                                        arm.name)});
    claim.settle = "Record the CPU that was taken away (steal, throttled time) beside the balance.";
  }
  context.claims.push_back(std::move(claim));
}

}  // namespace

void claim_memory(const ClaimContext& context) {
  claim_memory_by_total(context);
  // Bytes per key depend on how long the keys are and how full the tables: other key counts weaken.
  const auto difference = key_count_difference(context.arms);
  if (!difference || *difference <= kSameKeys) return;
  for (Claim& claim : context.claims) {
    if (claim.kind != ClaimKind::kMemoryEfficiency || claim.verdict != Verdict::kSupported)
      continue;
    claim.guards.push_back(
        {GuardKind::kKeyCounts,
         fmt::format("Realised key counts differ by {}: bytes per key may be ranked, totals of "
                     "memory may not.",
                     percent(*difference))});
  }
}

void claim_states(const ClaimContext& context) {
  for (const Arm& arm : context.arms) {
    claim_operating_state(context, arm);
    claim_headline(context, arm);
    claim_working_set(context, arm);
    claim_credits(context, arm);
  }
}

void claim_cost(const ClaimContext& context) {
  if (context.arms.size() < 2) return;
  Claim claim;
  claim.kind = ClaimKind::kCost;
  claim.statement = "One arm serves more operations for the money.";
  const bool priced =
      std::ranges::all_of(context.arms, [](const Arm& arm) { return arm.price.has_value(); });
  if (!priced) {
    claim.guards.push_back({GuardKind::kNoPrice,
                            "Nothing is said about cost: no price with its region, date and source "
                            "was given for every arm."});
    claim.settle =
        "Give every arm's price by its number: --price 1:USD_PER_HOUR,REGION,DATE,SOURCE.";
    context.claims.push_back(std::move(claim));
    return;
  }
  constexpr double kSecondsPerHour = 3600;
  struct Value {
    const Arm* arm;
    std::optional<double> low, high;  // operations per dollar
  };
  std::vector<Value> values;
  for (const Arm& arm : context.arms) {
    const Spread throughput = arm.spread(Figure::kThroughput);
    const auto per_dollar = [&](std::optional<double> rate) {
      return rate ? std::optional(*rate * kSecondsPerHour / arm.price->usd_per_hour) : std::nullopt;
    };
    values.push_back({&arm, per_dollar(throughput.min), per_dollar(throughput.max)});
    claim.evidence.push_back(fmt::format(
        "{}: {} to {} million operations per dollar at {} USD an hour ({}, {}, {}).", arm.name,
        values.back().low ? fmt::format("{:.1f}", *values.back().low / 1e6) : "n/a",
        values.back().high ? fmt::format("{:.1f}", *values.back().high / 1e6) : "n/a",
        arm.price->usd_per_hour, arm.price->region, arm.price->date, arm.price->source));
  }
  const Value& best = *std::ranges::max_element(
      values, {}, [](const Value& value) { return value.low.value_or(0); });
  claim.statement = fmt::format("{} serves the most operations for the money.", best.arm->name);
  const bool ahead = std::ranges::all_of(values, [&](const Value& value) {
    return value.arm == best.arm || (best.low && value.high && *best.low > *value.high);
  });
  const bool same_regime = !context.contract.has(ReasonKind::kRegimesDiffer);
  if (ahead && same_regime && best.arm->size() > 2) {
    claim.verdict = Verdict::kSupported;
    claim.guards.push_back({GuardKind::kTheseRunsOnly,
                            "Cost is that of the load that was sent, not of a node at its limit."});
  } else {
    claim.guards.push_back({GuardKind::kOverlap,
                            "Operations per dollar of the arms overlap, or rest on too few runs."});
    claim.settle = "More runs of every arm.";
  }
  context.claims.push_back(std::move(claim));
}

}  // namespace headroom::analysis
