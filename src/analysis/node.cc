#include "analysis/node.h"

#include <span>

#include "analysis/metrics.h"
#include "analysis/window.h"

namespace headroom::analysis {
namespace {

constexpr std::string_view kQuota = "node_cpu_quota_ratio";

double seconds_between(const record::Point& from, const record::Point& to) {
  return std::chrono::duration<double>(to.time - from.time).count();
}

// The growth of another metric of the same batches between two samples.
std::optional<double> growth(const record::Run& run, std::string_view node, std::string_view metric,
                             Nanos from, Nanos to) {
  const record::MetricSeries* series = run.find_metric(metric, "", node);
  if (series == nullptr) return std::nullopt;
  const auto before = value_at(*series, from);
  const auto after = value_at(*series, to);
  return before && after ? std::optional(*after - *before) : std::nullopt;
}

bool is_held(const record::Run& run, std::string_view node, const record::Point& from,
             const record::Point& to) {
  const auto cpu = growth(run, node, "node_cpu_seconds", from.time, to.time);
  if (!cpu || *cpu < kFullQuota * to.value * seconds_between(from, to)) return false;
  const auto periods = growth(run, node, "node_cpu_periods", from.time, to.time);
  const auto throttled = growth(run, node, "node_throttled_periods", from.time, to.time);
  return !periods || !throttled || *throttled >= kThrottledPeriods * *periods;
}

std::optional<double> first_of(const Known<Points>& points) {
  return points ? std::optional(points->front().value) : std::nullopt;
}

}  // namespace

std::optional<NodeCpu> summarize_node(const record::Run& run, const Window& window,
                                      std::string_view node) {
  const auto quota = points_over(run, window, kQuota, "", node);
  if (!quota) return std::nullopt;
  NodeCpu cpu;
  cpu.name = node;
  cpu.quota_vcpus = quota->back().value;
  double held = 0;
  double whole = 0;
  for (std::size_t i = 1; i < quota->size(); ++i) {
    const double length = seconds_between((*quota)[i - 1], (*quota)[i]);
    whole += length;
    if (is_held(run, node, (*quota)[i - 1], (*quota)[i])) held += length;
  }
  if (whole > 0) cpu.held_ratio = held / whole;
  if (const auto used = counter_growth(run, window, "node_cpu_seconds", "", node))
    cpu.cpu_ratio = used->per_second();
  if (const auto throttled = counter_growth(run, window, "node_throttled_seconds", "", node))
    cpu.throttled_ratio = throttled->per_second();
  const auto credits = points_over(run, window, "CPUCreditBalance", "", node);
  cpu.credits_first = first_of(credits);
  if (credits) cpu.credits_last = credits->back().value;
  if (const auto spent = counter_growth(run, window, "CPUCreditUsage", "", node))
    cpu.credits_spent = spent->value;
  return cpu;
}

std::optional<NodeCpu> summarize_node(const record::Run& run, const Window& window) {
  std::optional<NodeCpu> most_held;
  for (const std::string& node : nodes_of(run)) {
    auto cpu = summarize_node(run, window, node);
    if (!most_held || (cpu && cpu->held_ratio > most_held->held_ratio)) most_held = std::move(cpu);
  }
  return most_held;
}

std::vector<QuotaPart> quota_parts(const record::Run& run, const Window& window,
                                   std::string_view node) {
  const auto quota = points_over(run, window, kQuota, "", node);
  if (!quota) return {};
  std::vector<QuotaPart> parts;
  const auto add = [&](Nanos begin, Nanos end, double vcpus) {
    const Intervals inside = intervals_in(run, {window.name, begin, end});
    if (inside.empty()) return;
    parts.push_back(
        {{window.name, inside.front().interval.begin, inside.back().interval.end}, vcpus});
  };
  Nanos begin = window.begin;
  for (std::size_t i = 1; i < quota->size(); ++i) {
    const record::Point& before = (*quota)[i - 1];
    const record::Point& after = (*quota)[i];
    if (before.value == after.value) continue;
    add(begin, before.time, before.value);
    begin = after.time;
  }
  add(begin, window.end, quota->back().value);
  return parts;
}

}  // namespace headroom::analysis
