#include "analysis/cluster.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "analysis/latency.h"
#include "analysis/window.h"

namespace headroom::analysis {
namespace {

using record::Outcome;

// What was before an outage is the mean of so many full seconds at the most, and at the least.
constexpr std::size_t kMostSecondsBefore = 10;
constexpr std::size_t kFewestSecondsBefore = 3;
// Throughput is back when a full second has so much of that.
constexpr double kRecoveredShare = 0.9;

struct Merged {
  record::NodeCounts counts;
  stats::Histogram service;
  stats::Histogram response;
};

NodeLatency latency_of(const stats::Histogram& histogram) {
  return {supported_quantile(histogram, Quantile::kP50),
          supported_quantile(histogram, Quantile::kP99),
          supported_quantile(histogram, Quantile::kP999), histogram.max()};
}

NodeSummary summarize(const std::string& name, const Merged& merged, const Window& window) {
  NodeSummary node;
  node.node = name;
  node.counts = merged.counts;
  const double seconds = window.seconds();
  if (seconds > 0)
    node.throughput_per_s = static_cast<double>(merged.counts.requests.completed()) / seconds;
  node.service = latency_of(merged.service);
  if (!merged.response.empty()) node.response = latency_of(merged.response);
  return node;
}

std::vector<record::Outage> all_outages(const record::Run& run) {
  std::vector<record::Outage> outages;
  for (const record::MergedInterval& interval : run.intervals)
    outages.insert(outages.end(), interval.outages.begin(), interval.outages.end());
  std::ranges::sort(outages, [](const record::Outage& a, const record::Outage& b) {
    return std::pair(a.node, a.begin) < std::pair(b.node, b.begin);
  });
  return outages;
}

// Those of one node that overlap, made one; `outages` are sorted by node and begin.
std::vector<OutageSummary> merge_workers(const std::vector<record::Outage>& outages) {
  std::vector<OutageSummary> merged;
  for (const record::Outage& outage : outages) {
    OutageSummary* const last = merged.empty() ? nullptr : &merged.back();
    const bool same =
        last != nullptr && last->node == outage.node && (!last->end || outage.begin <= *last->end);
    if (!same) {
      merged.push_back({outage.node, outage.begin, outage.end, outage.successor, 1, 0, {}});
      continue;
    }
    ++last->workers;
    if (!last->successor.empty() && !outage.successor.empty()) last->successor = outage.successor;
    last->end =
        last->end && outage.end ? std::optional(std::max(*last->end, *outage.end)) : std::nullopt;
    if (!last->end) last->successor.clear();
  }
  return merged;
}

// Requests that ended badly at the node in the seconds that the outage touches.
std::uint64_t failed_in(const record::Run& run, const OutageSummary& outage) {
  std::uint64_t failed = 0;
  for (const record::MergedInterval& interval : run.intervals) {
    const bool touches = interval.interval.end > outage.begin &&
                         (!outage.end || interval.interval.begin <= *outage.end);
    if (!touches) continue;
    for (const record::NodeSeries& series : interval.nodes) {
      if (series.node != outage.node) continue;
      const record::OperationCounts& requests = series.counts.requests;
      failed += requests.of(Outcome::kError) + requests.of(Outcome::kTimeout) +
                requests.of(Outcome::kLost);
    }
  }
  return failed;
}

// From the outage's begin to that of the first full second with kRecoveredShare of the throughput
// before it, but not before its end.
std::optional<Nanos> recovered_after(Intervals intervals, const OutageSummary& outage) {
  if (!outage.end) return std::nullopt;
  const auto is_full = [](const record::MergedInterval& interval) {
    return interval.interval.end - interval.interval.begin == record::kIntervalLength;
  };
  std::vector<double> before;
  for (const record::MergedInterval& interval : intervals) {
    if (is_full(interval) && interval.interval.end <= outage.begin)
      before.push_back(static_cast<double>(completed_in(interval)));
  }
  if (before.size() < kFewestSecondsBefore) return std::nullopt;
  const std::size_t count = std::min(before.size(), kMostSecondsBefore);
  double sum = 0;
  for (std::size_t i = before.size() - count; i < before.size(); ++i) sum += before[i];
  const double wanted = kRecoveredShare * sum / static_cast<double>(count);
  for (const record::MergedInterval& interval : intervals) {
    const bool follows = interval.interval.begin >= outage.begin;
    if (!follows || !is_full(interval) || interval.interval.end < *outage.end) continue;
    if (static_cast<double>(completed_in(interval)) >= wanted)
      return std::max(interval.interval.begin, *outage.end) - outage.begin;
  }
  return std::nullopt;
}

}  // namespace

std::optional<ClusterSummary> summarize_cluster(const record::Run& run, const Window& window) {
  std::map<std::string, Merged> nodes;
  const Intervals intervals = intervals_in(run, window);
  for (const record::MergedInterval& interval : intervals) {
    for (const record::NodeSeries& series : interval.nodes) {
      Merged& merged = nodes[series.node];
      merged.counts.add(series.counts);
      merged.service.merge(series.service);
      merged.response.merge(series.response);
    }
  }
  if (nodes.empty()) return std::nullopt;
  ClusterSummary summary;
  for (const auto& [name, merged] : nodes) {
    summary.nodes.push_back(summarize(name, merged, window));
    summary.total.add(merged.counts);
  }
  for (OutageSummary& outage : merge_workers(all_outages(run))) {
    if (outage.begin >= window.end || (outage.end && *outage.end < window.begin)) continue;
    outage.failed = failed_in(run, outage);
    outage.recovered_after = recovered_after(intervals, outage);
    summary.outages.push_back(std::move(outage));
  }
  std::ranges::sort(summary.outages, {}, &OutageSummary::begin);
  return summary;
}

}  // namespace headroom::analysis
