#include "analysis/regime.h"

#include <algorithm>
#include <cmath>

#include "analysis/filling.h"
#include "analysis/memory.h"
#include "analysis/metrics.h"
#include "analysis/prose.h"
#include "base/units.h"

namespace headroom::analysis {
namespace {

using record::Outcome;

RegimeVerdict cannot_tell(const std::string& why) {
  return {std::nullopt, "Cannot tell: " + why + "."};
}

std::uint64_t rounded(double count) { return static_cast<std::uint64_t>(std::llround(count)); }

std::uint64_t rejected_in(const WindowSummary& window) {
  std::uint64_t rejected = 0;
  for (const auto& [operation, outcomes] : window.outcomes) {
    if (const auto found = outcomes.find(Outcome::kRejected); found != outcomes.end())
      rejected += found->second;
  }
  return rejected;
}

std::uint64_t answered_in(const WindowSummary& window) {
  std::uint64_t answered = 0;
  for (const auto& [operation, outcomes] : window.outcomes) {
    for (const auto& [outcome, count] : outcomes) {
      if (has_reply(outcome)) answered += count;
    }
  }
  return answered;
}

RegimeVerdict judge_evicting(const Summary& summary, const record::Run& run, const Onset& onset) {
  const Window& window = summary.measure.window;
  const std::string evicted =
      counted(static_cast<std::uint64_t>(summary.measure.evictions.value_or(0)), "key");
  const double before = evicted_before(run, window).value_or(0);
  const auto ratios = memory_used_ratio(run, window);
  const bool full_at_begin = ratios && ratios->front().value >= kFullMemoryRatio;

  if (onset.at_start)
    return {Regime::kSaturated,
            fmt::format("The node evicted from the first sample of the window on, {} in {}.",
                        evicted, seconds_text(window.end - window.begin))};
  if (before > 0 && full_at_begin)
    return {Regime::kSaturated,
            fmt::format("The node was full at the window's begin ({} of maxmemory) and had already "
                        "evicted {}; it evicted {} more inside.",
                        percent(ratios->front().value),
                        counted(static_cast<std::uint64_t>(before), "key"), evicted)};
  return {Regime::kBoundary,
          fmt::format("Evictions began {} into the window of {}: {} until its end.",
                      seconds_text(onset.first_with - window.begin),
                      seconds_text(window.end - window.begin), evicted)};
}

// Whole seconds, at least one, for what is an estimate.
std::string about(double seconds) {
  constexpr double kLongest = 1e9;  // beyond it nobody plans
  return human_duration(std::chrono::seconds{std::llround(std::clamp(seconds, 1.0, kLongest))});
}

std::string filling_evidence(const Filling& filling, double used) {
  std::string text = fmt::format(
      "Nothing was evicted or refused, but memory was still growing when the window ended ({} of "
      "maxmemory, +{}/s",
      percent(used), human_bytes(filling.bytes_per_s));
  if (filling.keys && filling.key_space)
    text += fmt::format("; {} of {} keys written", grouped(rounded(*filling.keys)),
                        grouped(rounded(*filling.key_space)));
  text += ")";
  if (filling.seconds_to_full)
    text += fmt::format(": at this pace it would be full after about {} more",
                        about(*filling.seconds_to_full));
  else
    text += ": what is left is not what all keys would leave";
  return text + ".";
}

}  // namespace

RegimeVerdict judge_regime(const Summary& summary, const record::Run& run) {
  const WindowSummary& measure = summary.measure;
  if (measure.window.end <= measure.window.begin) return cannot_tell("nothing was measured");
  if (const std::uint64_t rejected = rejected_in(measure); rejected > 0) {
    const std::uint64_t answered = answered_in(measure);
    return {Regime::kRejecting,
            fmt::format("The engine refused {} for want of memory, {} of all that it answered.",
                        counted(rejected, "request"),
                        percent(static_cast<double>(rejected) / static_cast<double>(answered)))};
  }
  const auto onset = eviction_onset(run, measure.window);
  if (!onset) return cannot_tell(onset.error());
  if (*onset) return judge_evicting(summary, run, **onset);
  if (!measure.memory_used_max_ratio) {
    const auto why = memory_used_ratio(run, measure.window);
    return cannot_tell(why ? std::string("memory is not known") : why.error());
  }
  const double used = *measure.memory_used_max_ratio;
  if (used >= 1)
    return cannot_tell(fmt::format(
        "memory reached {} of maxmemory, but nothing was evicted or refused", percent(used)));
  if (const auto filling = still_filling(run, measure.window))
    return {Regime::kHeadroom, filling_evidence(*filling, used)};
  return {Regime::kHeadroom,
          fmt::format("Nothing was evicted or refused, and memory reached {} of maxmemory: {} are "
                      "left.",
                      percent(used), percent(1 - used))};
}

}  // namespace headroom::analysis
