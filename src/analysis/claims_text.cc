// What the makers of claims share: words for spreads, and readings of an arm.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/claims.h"
#include "analysis/limiter.h"
#include "analysis/prose.h"

namespace headroom::analysis {

std::string spread_text(Figure figure, const Spread& spread) {
  if (!spread.known()) return "not known";
  std::string text;
  if (spread.median)
    text = "median " + figure_text(figure, *spread.median);
  else if (spread.mean)
    text = "mean " + figure_text(figure, *spread.mean);
  if (spread.min && spread.max) {
    const std::string low = figure_text(figure, *spread.min);
    const std::string high = figure_text(figure, *spread.max);
    const std::string range = low == high ? low : low + " to " + high;
    text = low == high || text.empty() ? range : text + ", " + range;
  }
  return spread.runs > 1 ? fmt::format("{} in {}", text, counted(spread.runs, "run")) : text;
}

std::string arm_spread(const Arm& arm, Figure figure) {
  return fmt::format("{}: {} {}.", arm.name, figure_info(figure).label,
                     spread_text(figure, arm.spread(figure)));
}

std::optional<double> in_flight(const Arm& arm) {
  const Spread throughput = arm.spread(Figure::kThroughput);
  const Spread latency = arm.spread(Figure::kLatencyMean);
  constexpr double kNanosPerSecond = 1e9;
  double sum = 0;
  std::size_t both = 0;
  for (const ObservedRun& run : arm.runs) {
    const auto rate = run.figures.find(Figure::kThroughput);
    const auto mean = run.figures.find(Figure::kLatencyMean);
    if (rate == run.figures.end() || mean == run.figures.end()) continue;
    sum += rate->second * mean->second / kNanosPerSecond;
    ++both;
  }
  if (both > 0 && both == arm.size()) return sum / static_cast<double>(both);
  if (throughput.mean && latency.mean) return *throughput.mean * *latency.mean / kNanosPerSecond;
  if (throughput.median && latency.median)
    return *throughput.median * *latency.median / kNanosPerSecond;
  return std::nullopt;
}

bool concurrency_limited(const Arm& arm) {
  if (const auto limiter = arm.limiter()) return limiter == Limiter::kConcurrency;
  const auto requests = in_flight(arm);
  const auto slots = arm.slots();
  return requests && slots && *requests >= kFullSlots * static_cast<double>(*slots);
}

std::optional<bool> evicted(const Arm& arm) {
  const Spread evictions = arm.spread(Figure::kEvictions);
  if (evictions.max) return *evictions.max > 0;
  if (evictions.mean) return *evictions.mean > 0;
  if (const auto regime = arm.regime())
    return regime == Regime::kBoundary || regime == Regime::kSaturated;
  return std::nullopt;
}

std::string listed(std::span<const std::string> names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  return text;
}

}  // namespace headroom::analysis
