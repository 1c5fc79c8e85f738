#include "analysis/engine_commands.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <string_view>

#include "analysis/metrics.h"

namespace headroom::analysis {
namespace {

constexpr std::string_view kBuckets = "command_latency_count";

// Of "get<=66us": the bucket's end in microseconds, if the label is of this command.
std::optional<std::int64_t> bucket_end(std::string_view label, std::string_view command) {
  if (!label.starts_with(command) || !label.ends_with("us")) return std::nullopt;
  label.remove_prefix(command.size());
  label.remove_suffix(2);
  if (!label.starts_with("<=")) return std::nullopt;
  label.remove_prefix(2);
  std::int64_t end = 0;
  const auto [stop, error] = std::from_chars(label.data(), label.data() + label.size(), end);
  if (error != std::errc{} || stop != label.data() + label.size()) return std::nullopt;
  return end;
}

// The sample that speaks for an edge of the window: the nearest, if it is near, and nearer to this
// edge than to the other.
std::optional<double> value_near(const record::MetricSeries& series, Nanos edge, Nanos other,
                                 Nanos limit) {
  std::optional<record::Point> best;
  for (const record::Point& point : series.points) {
    const Nanos distance = std::chrono::abs(point.time - edge);
    if (distance > limit || distance >= std::chrono::abs(point.time - other)) continue;
    if (!best || distance < std::chrono::abs(best->time - edge)) best = point;
  }
  return best ? std::optional(best->value) : std::nullopt;
}

// Calls of each bucket in the window. The histogram is asked for at its edges; a bucket that was
// empty at the first of them has no sample there.
std::map<std::int64_t, double> calls_by_bucket(const record::Run& run, const Window& window,
                                               std::string_view command) {
  std::map<std::int64_t, double> calls;
  const Nanos limit = sample_gap_limit(run);
  for (const record::MetricSeries& series : run.metrics) {
    if (series.metric != kBuckets || !series.node.empty()) continue;
    const auto end = bucket_end(series.label, command);
    if (!end) continue;
    const auto last = value_near(series, window.end, window.begin, limit);
    if (!last) continue;
    const double grown = *last - value_near(series, window.begin, window.end, limit).value_or(0);
    if (grown < 0) return {};  // its statistics were reset
    calls[*end] += grown;
  }
  return calls;
}

std::optional<Nanos> quantile(const std::map<std::int64_t, double>& calls, double q) {
  double total = 0;
  for (const auto& [end, count] : calls) total += count;
  if (total < 1 / (1 - q)) return std::nullopt;  // as for every quantile (latency.h)
  double below = 0;
  for (const auto& [end, count] : calls) {
    below += count;
    if (below >= q * total) return std::chrono::microseconds{end};
  }
  return std::nullopt;
}

// What the clients saw of the only operation that asks for it.
const LatencySummary* seen_by_clients(const Summary& summary, const std::string& command) {
  const Conservation::Row* only = nullptr;
  for (const Conservation::Row& row : summary.conservation.rows) {
    if (row.command != command) continue;
    if (only != nullptr) return nullptr;
    only = &row;
  }
  if (only == nullptr) return nullptr;
  const LatencySummary* longest = nullptr;
  for (const LatencySummary& latency : summary.measure.latencies) {
    if (latency.operation != only->operation || latency.kind != record::LatencyKind::kService ||
        latency.all_completed || !record::is_completed(latency.outcome))
      continue;
    // The most frequent of hit, miss and ok stands for it.
    if (longest == nullptr || latency.count > longest->count) longest = &latency;
  }
  return longest;
}

}  // namespace

std::vector<EngineCommand> summarize_engine_commands(const record::Run& run,
                                                     const Summary& summary) {
  const Window& window = summary.measure.window;
  std::vector<EngineCommand> commands;
  for (const Conservation::Command& asked : summary.conservation.commands) {
    const auto calls = counter_growth(run, window, "command_calls", asked.name);
    if (!calls || calls->value <= 0) continue;
    EngineCommand command;
    command.name = asked.name;
    command.calls = static_cast<std::uint64_t>(calls->value);
    if (const auto time = counter_growth(run, window, "command_usec", asked.name))
      command.mean_ns = 1'000 * time->value / calls->value;
    const auto buckets = calls_by_bucket(run, window, asked.name);
    command.p50_at_most = quantile(buckets, 0.5);
    command.p99_at_most = quantile(buckets, 0.99);
    if (const LatencySummary* client = seen_by_clients(summary, asked.name)) {
      command.client_mean_ns = client->mean_ns;
      command.client_p50 = client->p50;
      command.client_p99 = client->p99;
    }
    commands.push_back(std::move(command));
  }
  return commands;
}

}  // namespace headroom::analysis
