#include "lab/interval_merger.h"

#include <algorithm>
#include <utility>

namespace headroom::lab {
namespace {

// Of LatencySeries and of ConnectSeries alike.
template <class Series>
void merge_series(std::vector<Series>& into, const std::vector<Series>& from) {
  for (const Series& series : from) {
    const auto found = std::find_if(into.begin(), into.end(),
                                    [&](const Series& s) { return s.key == series.key; });
    if (found == into.end()) {
      into.push_back(series);
    } else {
      found->histogram.merge(series.histogram);
    }
  }
}

void merge_nodes(std::vector<record::NodeSeries>& into,
                 const std::vector<record::NodeSeries>& from) {
  for (const record::NodeSeries& series : from) {
    const auto found = std::ranges::find(into, series.node, &record::NodeSeries::node);
    if (found == into.end()) {
      into.push_back(series);
      continue;
    }
    found->counts.add(series.counts);
    found->service.merge(series.service);
    found->response.merge(series.response);
  }
}

}  // namespace

std::vector<record::MergedInterval> IntervalMerger::add(const record::WorkerInterval& report) {
  record::WorkerWindow& window = windows_[{report.interval.phase, report.worker}];
  window.worker = report.worker;
  window.phase = report.interval.phase;
  merge_series(window.latencies, report.latencies);
  window.loop_lag.merge(report.loop_lag);
  window.schedule_lag.merge(report.schedule_lag);
  for (const record::SplitSeries& series : report.splits)
    splits_[series.key].merge(series.histogram);
  record::merge_slowest(slowest_, report.slowest);

  const IntervalId id{report.interval.phase, report.interval.index};
  record::MergedInterval& merged = open_[id];
  if (merged.workers == 0) {
    merged.interval = report.interval;
    merged.counts.resize(report.counts.size());
  }
  merged.interval.begin = std::min(merged.interval.begin, report.interval.begin);
  merged.interval.end = std::max(merged.interval.end, report.interval.end);
  for (std::size_t i = 0; i < report.counts.size(); ++i) merged.counts[i].add(report.counts[i]);
  merge_series(merged.latencies, report.latencies);
  merge_series(merged.connects, report.connects);
  if (report.cache_aside) {
    if (!merged.cache_aside) merged.cache_aside.emplace();
    merged.cache_aside->add(*report.cache_aside);
  }
  merge_nodes(merged.nodes, report.nodes);
  merged.outages.insert(merged.outages.end(), report.outages.begin(), report.outages.end());
  ++merged.workers;

  // Whole intervals leave in order of time: an early worker's next one waits for its elders.
  std::vector<record::MergedInterval> complete;
  while (!open_.empty() && open_.begin()->second.workers == workers_) {
    complete.push_back(std::move(open_.begin()->second));
    open_.erase(open_.begin());
  }
  return complete;
}

std::vector<record::MergedInterval> IntervalMerger::flush_intervals() {
  std::vector<record::MergedInterval> rest;
  rest.reserve(open_.size());
  for (auto& [id, merged] : open_) rest.push_back(std::move(merged));
  open_.clear();
  return rest;
}

std::vector<record::SplitSeries> IntervalMerger::take_splits() {
  std::vector<record::SplitSeries> taken;
  taken.reserve(splits_.size());
  for (auto& [key, histogram] : splits_) taken.push_back({key, std::move(histogram)});
  splits_.clear();
  return taken;
}

std::vector<record::RequestRecord> IntervalMerger::take_slowest() {
  return std::exchange(slowest_, {});
}

std::vector<record::WorkerWindow> IntervalMerger::take_windows() {
  std::vector<record::WorkerWindow> taken;
  taken.reserve(windows_.size());
  for (auto& [id, window] : windows_) taken.push_back(std::move(window));
  windows_.clear();
  return taken;
}

}  // namespace headroom::lab
