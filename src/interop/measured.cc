#include "interop/measured.h"

#include <algorithm>
#include <chrono>

#include "scenario/loads.h"

namespace headroom::interop {

void Tally::add(const Tally& other) {
  counts.add(other.counts);
  completed.merge(other.completed);
}

Measured measured(const record::Run& run) {
  Measured result;
  result.names = run.header.operations;
  result.interrupted = run.end != record::RunEnd::kComplete;
  result.whole.operations.resize(result.names.size());
  const std::uint32_t workers = scenario::worker_count(run.header.scenario);
  Nanos begin{0};
  Nanos end{0};
  for (const record::MergedInterval& interval : run.intervals) {
    if (interval.interval.phase != record::Phase::kMeasure || interval.workers < workers) continue;
    if (result.seconds.empty()) begin = interval.interval.begin;
    end = interval.interval.end;
    Second second;
    second.operations.resize(result.names.size());
    for (std::size_t i = 0; i < interval.counts.size(); ++i)
      second.operations[i].counts = interval.counts[i];
    for (const record::LatencySeries& series : interval.latencies) {
      if (series.key.kind != record::LatencyKind::kService) continue;
      if (!record::is_completed(series.key.outcome)) continue;
      second.operations[series.key.operation].completed.merge(series.histogram);
    }
    for (const Tally& tally : second.operations) second.all.add(tally);
    result.seconds.push_back(std::move(second));
  }
  for (const record::WorkerCounts& counts : run.workers) {
    const auto index = static_cast<std::size_t>(counts.interval.index);
    if (counts.interval.phase != record::Phase::kMeasure || index >= result.seconds.size())
      continue;
    result.seconds[index].bytes_sent += counts.health.bytes_sent;
    result.seconds[index].bytes_received += counts.health.bytes_received;
    result.connections_lost += counts.health.connections_lost;
  }
  for (const Second& second : result.seconds) {
    for (std::size_t i = 0; i < result.names.size(); ++i)
      result.whole.operations[i].add(second.operations[i]);
    result.whole.all.add(second.all);
    result.whole.bytes_sent += second.bytes_sent;
    result.whole.bytes_received += second.bytes_received;
  }
  result.length_s = std::chrono::duration<double>(end - begin).count();
  result.begin = {run.header.started.since_epoch + begin};
  result.end = {run.header.started.since_epoch + end};
  return result;
}

}  // namespace headroom::interop
