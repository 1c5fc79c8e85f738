// A whole run in memory, as read back from a run file: what analysis works on.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/event.h"
#include "record/load.h"
#include "record/member.h"
#include "record/metric.h"
#include "record/phase.h"
#include "scenario/scenario.h"

namespace headroom::record {

// How a run came to its end. Values are stored and never change.
enum class RunEnd : int {
  kComplete = 0,     // all phases ran to their end
  kInterrupted = 1,  // the user stopped it; drained, sealed, torn down
  kFailed = 2,       // target or disk failed; `reason` says how
};

// "complete", "interrupted", "failed"; absent: "unfinished".
[[nodiscard]] std::string_view run_end_name(const std::optional<RunEnd>& end);

struct PhaseSpan {
  Phase phase = Phase::kProvision;
  Nanos begin{0};            // run time
  std::optional<Nanos> end;  // absent: the run died in this phase
};

// One metric of one label over the run, ascending in time.
struct Point {
  Nanos time{0};
  double value = 0;
};
struct MetricSeries {
  std::string metric;  // by name: a file may know metrics that this build does not
  std::string label;
  std::vector<Point> points;
  std::string node = {};  // a member's name; empty: of the target as a whole, or of this machine
};

// One worker's counters over one interval, without histograms.
struct WorkerCounts {
  std::uint32_t worker = 0;
  Interval interval;
  std::vector<OperationCounts> counts;
  WorkerHealth health;
};

// A worker's histograms over a whole phase. Written when the phase ends.
struct WorkerWindow {
  std::uint32_t worker = 0;
  Phase phase = Phase::kMeasure;
  std::vector<LatencySeries> latencies;
  stats::Histogram loop_lag;
  stats::Histogram schedule_lag = {};  // empty in closed loop
};

// What is known before the first phase.
struct RunHeader {
  std::string run_id;  // random, hex
  WallTime started;    // wall time of the run's origin
  scenario::Scenario scenario;
  std::string scenario_toml;            // canonical text of the same, fully resolved
  std::vector<std::string> operations;  // index = LatencyKey::operation
  std::string command_line;             // without secrets
  std::string tool_version;
};

struct Run {
  RunHeader header;
  std::map<std::string, std::string> facts;
  std::vector<PhaseSpan> phases;
  std::vector<MergedInterval> intervals;  // by time
  std::vector<WorkerCounts> workers;      // by time, then worker
  std::vector<WorkerWindow> worker_windows;
  std::vector<Member> members;         // of a target of several nodes; else empty
  std::vector<SplitSeries> splits;     // all workers, all of measure; by key
  std::vector<RequestRecord> slowest;  // the slowest first
  std::vector<MetricSeries> metrics;
  std::vector<Event> events;
  std::vector<Warning> warnings;
  std::vector<Receipt> receipts;
  std::optional<RunEnd> end;  // absent: the file was never sealed (incomplete)
  std::string end_reason;

  [[nodiscard]] const PhaseSpan* phase(Phase phase) const;
  [[nodiscard]] const MetricSeries* find_metric(std::string_view metric,
                                                std::string_view label = "",
                                                std::string_view node = "") const;
};

}  // namespace headroom::record
