// What one worker measured, cut into intervals (record/load.h) and handed to the sink.
//
// The worker asks the recorder at every clock reading before it counts what happened then, so that
// an interval holds exactly what falls into it, however late the worker looks: while due(now),
// cut() comes first. Each cut gives the finished interval to the sink, which does not wait; what a
// recorder holds is one interval, and does not grow with the run. It keeps the histograms' memory:
// fresh pages would cost the worker most of the time that a cut takes.
//
// Not thread-safe: owned by the worker's thread, and by the fleet's while the worker is idle.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "load/request_watch.h"
#include "record/load.h"
#include "record/sink.h"

namespace headroom::load {

// A phase of load in run time, or a part of one: where the next part begins an interval ends.
struct PhasePlan {
  static constexpr Nanos kOpen = Nanos::max();
  record::Phase phase = record::Phase::kMeasure;
  Nanos begin{0};
  Nanos end = kOpen;  // kOpen: known only when finish() is called
};

// What the recorder cannot know itself about the moment at which an interval ends.
struct Gauges {
  struct Schedule {
    std::uint64_t due = 0;      // since the load began
    std::uint64_t backlog = 0;  // of those, neither sent nor given up
  };
  Nanos thread_cpu{0};  // CPU time of the worker's thread since its start
  std::uint64_t in_flight = 0;
  std::uint64_t connections_idle = 0;
  std::optional<Schedule> schedule = std::nullopt;  // absent: no schedule
};

// One turn of the worker's loop, in clock times.
struct Turn {
  Nanos wake_by{0};  // when the wait was to end at the latest
  Nanos woke{0};     // when it did
  Nanos ended{0};    // when all that it brought was dealt with

  // Loop lag: for how long the worker did not look at its sockets. That begins when it woke or, if
  // that is earlier, when it had asked to be woken: a wait that ends late is the mark of a process
  // that was stopped or got no CPU (and, by some 50 us, of the kernel's timers).
  [[nodiscard]] Nanos lag() const { return ended - std::min(woke, wake_by); }
};

class Recorder {
 public:
  // `origin`: clock time of run time 0. `sink` outlives the recorder. `fills`: reads that miss are
  // filled (cache-aside), and fills() is counted.
  Recorder(std::uint32_t worker, std::size_t operations, Nanos origin, record::Sink& sink,
           RequestWatch watch = {}, bool fills = false);

  // The phases that come next, each beginning where the one before ends; those of no length leave
  // no interval. Before the first begins, what is counted goes to its first interval. The previous
  // plan is finished.
  void plan(std::vector<PhasePlan> phases, Nanos thread_cpu);

  // `now` is a clock time: has the present interval ended?
  [[nodiscard]] bool due(Nanos now) const { return now >= cut_at_; }
  // Clock time of the next cut; Nanos::max() if there is no plan.
  [[nodiscard]] Nanos cut_at() const { return cut_at_; }
  // Hands over the present interval, which ends at cut_at(), even if it is empty.
  void cut(const Gauges& gauges);
  // Ends the plan at `end` (run time, at or after the last cut): hands over what is left.
  void finish(Nanos end, const Gauges& gauges);

  // Run time up to which intervals were handed over.
  [[nodiscard]] Nanos handed_over() const { return begin_; }
  // The p99 of replies to what completed in the present interval; nullopt if nothing did.
  [[nodiscard]] std::optional<Nanos> completed_p99() const;

  void sent(std::uint8_t operation) { ++series_[operation].counts.sent; }
  // A request ended with a reply, `latency` after its own send. Replies that one read brings to
  // requests that one write sent took equally long: their runs are recorded as one.
  void replied(std::uint8_t operation, record::Outcome outcome, Nanos latency) {
    if (latency == run_.latency && operation == run_.operation && outcome == run_.outcome) {
      ++run_.times;
      return;
    }
    end_run();
    run_ = {latency, 1, operation, outcome};
  }
  // The same request, or one that ended otherwise, in open loop: `response` is from its intended
  // time to its end.
  void responded(std::uint8_t operation, record::Outcome outcome, Nanos response) {
    series_[operation].response[static_cast<std::size_t>(outcome)].record(response);
  }
  // A request was sent `lag` after its intended time.
  void kept_schedule(Nanos lag) {
    schedule_lag_.record(lag);
    if (lag > schedule_.lag_max) schedule_.lag_max = lag;
    if (lag >= record::kLateSend) ++schedule_.late;
  }
  // A request that had been due for `age` was given up before it was sent.
  void unsent(std::uint8_t operation, Nanos age) {
    ended(operation, record::Outcome::kUnsent);
    responded(operation, record::Outcome::kUnsent, age);
  }
  // A request ended without a reply.
  void ended(std::uint8_t operation, record::Outcome outcome) {
    ++series_[operation].counts.outcomes[static_cast<std::size_t>(outcome)];
  }
  // Of a cluster. Nodes are counted from 0 in the order in which they are added.
  void add_node(std::string name) { nodes_.push_back({std::move(name), {}, {}, {}}); }
  [[nodiscard]] record::NodeCounts& node(std::size_t node) { return nodes_[node].counts; }
  // A request that ended at this node, besides replied() and responded(); `response`: open loop.
  void completed_at(std::size_t node, Nanos service, std::optional<Nanos> response) {
    nodes_[node].service.record(service);
    if (response) nodes_[node].response.record(*response);
  }
  void ended_at(std::size_t node, record::Outcome outcome) {
    ++nodes_[node].counts.requests.outcomes[static_cast<std::size_t>(outcome)];
  }
  void outage(record::Outage outage) { outages_.push_back(std::move(outage)); }

  // A step of opening a connection was done.
  void opened(record::ConnectKey key, Nanos took) {
    connects_[2 * static_cast<std::size_t>(key.step) + (key.again ? 1 : 0)].record(took);
  }
  void turned(const Turn& turn) {
    const Nanos lag = turn.lag();
    ++health_.loops;
    loop_lag_.record(lag);
    if (lag > health_.loop_lag_max) health_.loop_lag_max = lag;
  }
  // Single requests of the present interval.
  [[nodiscard]] RequestWatch& watch() { return watch_; }
  // What became of the reads of the present interval that missed.
  [[nodiscard]] record::CacheAside& fills() { return fills_; }
  // The counters of the present interval that the worker keeps itself (bytes, connections).
  [[nodiscard]] record::WorkerHealth& health() { return health_; }

 private:
  struct Series {
    record::OperationCounts counts;
    std::array<stats::Histogram, record::kOutcomeCount> service;
    std::array<stats::Histogram, record::kOutcomeCount> response;  // empty in closed loop
  };

  // Equal replies, one after the other, that no series has yet.
  struct Run {
    Nanos latency{0};
    std::uint64_t times = 0;
    std::uint8_t operation = 0;
    record::Outcome outcome = record::Outcome::kOk;
  };

  void end_run() {
    if (run_.times == 0) return;
    Series& series = series_[run_.operation];
    const auto index = static_cast<std::size_t>(run_.outcome);
    series.counts.outcomes[index] += run_.times;
    series.service[index].record(run_.latency, run_.times);
    run_.times = 0;
  }
  void begin_interval();
  void hand_over(Nanos end, const Gauges& gauges);
  void take_latencies(record::WorkerInterval& out);
  [[nodiscard]] record::CacheAside take_fills();
  void take_nodes(record::WorkerInterval& out);
  void next_phase();

  const std::uint32_t worker_;
  const Nanos origin_;
  record::Sink& sink_;

  std::vector<PhasePlan> phases_;  // the front one is present; empty: no plan
  std::int64_t index_ = 0;         // of the present interval in its phase
  Nanos begin_{0};                 // of the present interval, run time
  Nanos end_{0};
  Nanos cut_at_ = Nanos::max();  // end_ as clock time
  Nanos cpu_at_begin_{0};
  std::uint64_t due_at_begin_ = 0;  // by Gauges::Schedule::due, over all plans

  Run run_;
  std::vector<Series> series_;                                       // per operation
  std::array<stats::Histogram, record::kConnectKeyCount> connects_;  // by step, first and again
  std::vector<record::NodeSeries> nodes_;                            // none: no cluster
  std::vector<record::Outage> outages_;
  stats::Histogram loop_lag_;
  stats::Histogram schedule_lag_;
  record::ScheduleHealth schedule_;  // late and lag_max of the present interval
  record::WorkerHealth health_;
  RequestWatch watch_;
  const bool has_fills_;
  record::CacheAside fills_;
};

}  // namespace headroom::load
