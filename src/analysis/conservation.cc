#include "analysis/conservation.h"

#include <algorithm>
#include <cctype>
#include <map>

#include "analysis/metrics.h"

namespace headroom::analysis {
namespace {

using record::MetricSeries;
using record::OperationCounts;
using record::Outcome;

// Without `unsent`, which was never sent.
std::uint64_t ended(const OperationCounts& counts) {
  return counts.total() - counts.of(Outcome::kUnsent);
}

// Sent and not yet ended at each worker's last interval.
std::uint64_t last_in_flight(const record::Run& run) {
  std::map<std::uint32_t, std::uint64_t> last;
  for (const record::WorkerCounts& counts : run.workers)
    last[counts.worker] = counts.health.in_flight;
  std::uint64_t total = 0;
  for (const auto& [worker, in_flight] : last) total += in_flight;
  return total;
}

bool every_worker_adds_up(const record::Run& run) {
  std::map<std::pair<std::uint32_t, std::size_t>, std::pair<std::uint64_t, std::uint64_t>> sums;
  for (const record::WorkerCounts& counts : run.workers) {
    for (std::size_t i = 0; i < counts.counts.size(); ++i) {
      auto& [sent, outcomes] = sums[{counts.worker, i}];
      sent += counts.counts[i].sent;
      outcomes += ended(counts.counts[i]);
    }
  }
  return std::ranges::all_of(
      sums, [](const auto& entry) { return entry.second.first == entry.second.second; });
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

// The time from before the first request to after the last reply.
struct LoadTime {
  Nanos begin{0};
  Nanos end{0};
};

// Growth of a labelled counter from the last sample before the load to the last of the run. A label
// that is absent was never called: commandstats lists only what was.
Known<std::uint64_t> growth_over(const record::Run& run, const LoadTime& load,
                                 std::string_view metric, const std::string& command) {
  const MetricSeries* series = run.find_metric(metric, command);
  if (series == nullptr || series->points.empty()) return 0;
  double before = 0;
  double previous = 0;
  for (const record::Point& point : series->points) {
    if (point.value < previous) return unknown("the engine's commandstats went back");
    previous = point.value;
    if (point.time <= load.begin) before = point.value;
  }
  return static_cast<std::uint64_t>(previous - before);
}

Known<LoadTime> sampled_load_time(const record::Run& run) {
  if (run.header.scenario.target.kind != scenario::TargetKind::kLocal)
    return unknown("only a local node is known to serve nobody else");
  if (run.intervals.empty()) return unknown("no load was recorded");
  LoadTime load{run.intervals.front().interval.begin, run.intervals.back().interval.end};
  bool any = false;
  Nanos first = Nanos::max();
  Nanos last = Nanos::min();
  for (const MetricSeries& series : run.metrics) {
    if (series.metric != "command_calls" || series.points.empty()) continue;
    any = true;
    first = std::min(first, series.points.front().time);
    last = std::max(last, series.points.back().time);
  }
  if (!any) return unknown("the engine's commandstats were not sampled");
  if (first > load.begin) return unknown("commandstats were first sampled after the load began");
  if (last < load.end) return unknown("commandstats were last sampled before the load had ended");
  return load;
}

// Asks the engine about every row; agrees if all rows do.
Known<bool> ask_engine(const record::Run& run, Conservation& conservation) {
  const Known<LoadTime> load = sampled_load_time(run);
  if (!load) return tl::unexpected(load.error());
  bool agrees = true;
  for (Conservation::Row& row : conservation.rows) {
    const std::string command = lower(row.operation);
    const auto calls = growth_over(run, *load, "command_calls", command);
    if (!calls) return tl::unexpected(calls.error());
    const auto rejected = growth_over(run, *load, "command_rejected", command);
    if (!rejected) return tl::unexpected(rejected.error());
    row.engine_calls = *calls + *rejected;
    agrees &= *row.engine_calls <= row.sent && *row.engine_calls + row.unanswered >= row.sent;
  }
  return agrees;
}

}  // namespace

Conservation check_conservation(const record::Run& run, Reasons& reasons) {
  Conservation conservation;
  for (const std::string& operation : run.header.operations)
    conservation.rows.push_back({operation, 0, 0, 0, std::nullopt});
  for (const record::MergedInterval& interval : run.intervals) {
    for (std::size_t i = 0; i < std::min(conservation.rows.size(), interval.counts.size()); ++i) {
      const OperationCounts& counts = interval.counts[i];
      conservation.rows[i].sent += counts.sent;
      conservation.rows[i].outcomes += ended(counts);
      conservation.rows[i].unanswered += counts.of(Outcome::kTimeout) + counts.of(Outcome::kLost);
    }
  }
  conservation.in_flight = last_in_flight(run);

  if (run.end) {
    conservation.client_adds_up = std::ranges::all_of(conservation.rows,
                                                      [](const Conservation::Row& row) {
                                                        return row.sent == row.outcomes;
                                                      }) &&
                                  every_worker_adds_up(run);
    conservation.engine_agrees =
        value_or_reason(ask_engine(run, conservation), reasons, "conservation.engine_agrees");
  } else {
    // Whoever was killed could not wait for replies: what was under way must make up the
    // difference.
    std::uint64_t sent = 0;
    std::uint64_t outcomes = 0;
    for (const record::WorkerCounts& counts : run.workers) {
      for (const OperationCounts& operation : counts.counts) {
        sent += operation.sent;
        outcomes += ended(operation);
      }
    }
    conservation.client_adds_up = sent == outcomes + conservation.in_flight;
    reasons["conservation.engine_agrees"] = "the run died before the engine's last account";
  }
  return conservation;
}

}  // namespace headroom::analysis
