// What load workers leave: counts and latency histograms per interval.
//
// Times are run time: nanoseconds (monotonic) since the run's origin. The intervals of a phase are
// [begin + i * 1 s, begin + (i + 1) * 1 s), the last one cut at the phase's end; where a stage of
// measure begins or ends they are cut too, and counted on from there. So an interval belongs to
// exactly one phase and stage, and windows need no splitting. An outcome is counted in the interval
// in which it became known (the reply was parsed, the timeout struck); a send in the interval of
// its write.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "record/cache_aside.h"
#include "record/connect_step.h"
#include "record/latency_key.h"
#include "record/outcome.h"
#include "record/phase.h"
#include "record/request.h"
#include "stats/histogram.h"

namespace headroom::record {

inline constexpr Nanos kIntervalLength = std::chrono::seconds{1};

struct Interval {
  Phase phase = Phase::kMeasure;
  std::int64_t index = 0;  // within the phase, from 0
  Nanos begin{0};
  Nanos end{0};
  friend bool operator==(const Interval&, const Interval&) = default;
};

// Of one operation ("SET", "GET") in one interval.
struct OperationCounts {
  std::uint64_t sent = 0;
  std::array<std::uint64_t, kOutcomeCount> outcomes{};

  [[nodiscard]] std::uint64_t of(Outcome outcome) const {
    return outcomes[static_cast<std::size_t>(outcome)];
  }
  [[nodiscard]] std::uint64_t total() const {
    return std::accumulate(outcomes.begin(), outcomes.end(), std::uint64_t{0});
  }
  [[nodiscard]] std::uint64_t completed() const {
    return of(Outcome::kHit) + of(Outcome::kMiss) + of(Outcome::kOk);
  }
  void add(const OperationCounts& other);
  friend bool operator==(const OperationCounts&, const OperationCounts&) = default;
};

// How one worker kept to its schedule in one interval: open loop only.
struct ScheduleHealth {
  std::uint64_t due = 0;      // requests whose intended time fell into it
  std::uint64_t late = 0;     // sent in it, by kLateSend or more after their intended time
  std::uint64_t backlog = 0;  // due and not sent at its end
  Nanos lag_max{0};           // from intended time to send, the longest of those sent in it
  friend bool operator==(const ScheduleHealth&, const ScheduleHealth&) = default;
};
// What timers do not explain: a send by so much behind its intended time had to wait for a free
// slot, or for a generator that did not run.
inline constexpr Nanos kLateSend = std::chrono::milliseconds{1};

// The state of the generator itself over one interval of one worker.
struct WorkerHealth {
  Nanos cpu{0};             // CPU time of the worker's thread spent in the interval
  Nanos loop_lag_max{0};    // longest stretch in which the worker should have looked at its sockets
                            // and did not: how late it may have read a reply
  std::uint64_t loops = 0;  // turns of the event loop
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t connections_opened = 0;
  std::uint64_t connections_lost = 0;     // broke, or were closed on a timeout or a protocol fault
  std::uint64_t connections_refused = 0;  // attempts that failed
  std::uint64_t connections_renewed = 0;  // closed by plan, after their share of requests
  std::uint64_t connections_idle = 0;     // open and without use at the interval's end
  std::uint64_t in_flight = 0;            // requests waiting for a reply at the interval's end
  std::optional<ScheduleHealth> schedule = std::nullopt;  // absent: no schedule
};

// What came of one node of a cluster. A request that was sent on to another node counts as sent
// where it went first, and its outcome where it ended.
struct NodeCounts {
  OperationCounts requests;   // of all operations
  std::uint64_t moved = 0;    // answers that named another node for good (MOVED)
  std::uint64_t asked = 0;    // answers that named another node for this request (ASK)
  std::uint64_t retried = 0;  // answers after which the request was repeated a moment later

  void add(const NodeCounts& other);
  friend bool operator==(const NodeCounts&, const NodeCounts&) = default;
};
struct NodeSeries {
  std::string node;  // "host:port", as the cluster names it
  NodeCounts counts;
  stats::Histogram service;   // of what completed there, all operations, from the first send
  stats::Histogram response;  // the same from the intended time: open loop
};

// A time in which a worker got no good reply about the slots of one node, from the failure that
// began it to the first good reply about one of them, from whichever node.
struct Outage {
  std::string node;  // that failed
  std::uint32_t worker = 0;
  Nanos begin{0};            // run time of the first failure
  std::optional<Nanos> end;  // absent: it had not ended when the load did
  std::string successor;     // who gave the first good reply; empty: none
  friend bool operator==(const Outage&, const Outage&) = default;
};

// One worker, one interval. `counts` has one entry per operation; `latencies` holds only histograms
// that are not empty.
struct WorkerInterval {
  std::uint32_t worker = 0;
  Interval interval;
  std::vector<OperationCounts> counts;
  std::vector<LatencySeries> latencies;
  std::vector<ConnectSeries> connects;  // as sparse
  stats::Histogram loop_lag;            // of every turn of the loop in the interval
  stats::Histogram schedule_lag;        // from intended time to send, of what was sent: open loop
  WorkerHealth health;
  std::optional<CacheAside> cache_aside = std::nullopt;  // absent: the workload has none
  // Of measure, as far as they were asked for:
  std::vector<SplitSeries> splits = {};     // as sparse as `latencies`
  std::vector<RequestRecord> slowest = {};  // of the interval, kSlowestKept at most
  std::vector<RequestRecord> logged = {};   // the sample that ended in the interval
  std::vector<NodeSeries> nodes = {};       // of a cluster; as sparse
  std::vector<Outage> outages = {};         // that ended in it
};

// All workers, one interval: histograms merged.
struct MergedInterval {
  Interval interval;
  std::vector<OperationCounts> counts;
  std::vector<LatencySeries> latencies;
  std::uint32_t workers = 0;  // how many workers are in it
  std::vector<ConnectSeries> connects = {};
  std::optional<CacheAside> cache_aside = std::nullopt;
  std::vector<NodeSeries> nodes = {};
  std::vector<Outage> outages = {};
};

}  // namespace headroom::record
