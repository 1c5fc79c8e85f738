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
std::optional<double> growth(const record::Run& run, std::string_view metric, Nanos from,
                             Nanos to) {
  const record::MetricSeries* series = run.find_metric(metric);
  if (series == nullptr) return std::nullopt;
  const auto before = value_at(*series, from);
  const auto after = value_at(*series, to);
  return before && after ? std::optional(*after - *before) : std::nullopt;
}

bool is_held(const record::Run& run, const record::Point& from, const record::Point& to) {
  const auto cpu = growth(run, "node_cpu_seconds", from.time, to.time);
  if (!cpu || *cpu < kFullQuota * to.value * seconds_between(from, to)) return false;
  const auto periods = growth(run, "node_cpu_periods", from.time, to.time);
  const auto throttled = growth(run, "node_throttled_periods", from.time, to.time);
  return !periods || !throttled || *throttled >= kThrottledPeriods * *periods;
}

std::optional<double> first_of(const Known<Points>& points) {
  return points ? std::optional(points->front().value) : std::nullopt;
}

}  // namespace

std::optional<NodeCpu> summarize_node(const record::Run& run, const Window& window) {
  const auto quota = points_over(run, window, kQuota);
  if (!quota) return std::nullopt;
  NodeCpu node;
  node.quota_vcpus = quota->back().value;
  double held = 0;
  double whole = 0;
  for (std::size_t i = 1; i < quota->size(); ++i) {
    const double length = seconds_between((*quota)[i - 1], (*quota)[i]);
    whole += length;
    if (is_held(run, (*quota)[i - 1], (*quota)[i])) held += length;
  }
  if (whole > 0) node.held_ratio = held / whole;
  if (const auto cpu = counter_growth(run, window, "node_cpu_seconds"))
    node.cpu_ratio = cpu->per_second();
  if (const auto throttled = counter_growth(run, window, "node_throttled_seconds"))
    node.throttled_ratio = throttled->per_second();
  const auto credits = points_over(run, window, "CPUCreditBalance");
  node.credits_first = first_of(credits);
  if (credits) node.credits_last = credits->back().value;
  if (const auto spent = counter_growth(run, window, "CPUCreditUsage"))
    node.credits_spent = spent->value;
  return node;
}

std::vector<QuotaPart> quota_parts(const record::Run& run, const Window& window) {
  const auto quota = points_over(run, window, kQuota);
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
