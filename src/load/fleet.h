// The workers of one run: N threads, driven through the load phases by their owner.
//
//   connect -> [prefill] -> run(warm-up, measure, drain) -> destruction
//
// The load is a closed loop, perhaps with think time, or, with scenario::Load::rate, an open loop
// by a schedule (schedule.h) that begins with the warm-up. In open loop every request that was due
// is also in the latencies of kind kResponse, from its intended time: answered ones until their
// reply, others until they were given up; and due = sent + unsent, over the whole load.
//
// In stages of measure (scenario/loads.h) the rate, the connections in use, the think time and the
// mix of operations change: rates to the nanosecond, the rest with the first turn of a worker's
// loop after the moment.
//
// Each worker has a thread with its own epoll loop, connections, key and random streams, and
// recorder; workers share nothing that changes. All that they measure goes to the Sink, one
// WorkerInterval per worker and second, in every load phase.
//
// Latency starts at the clock's reading just before the write call that carried a request's first
// byte and ends at the reading just after the read call that completed its reply. A request counts
// as sent when its first byte was handed to the kernel; from then on it ends as exactly one
// outcome, whatever happens: over a whole run, sent equals the sum of outcomes of every operation.
//
// A connection that breaks, times out or answers what is no RESP is closed, what was in flight on
// it is lost (the oldest request is the one that timed out), and it is opened again with growing,
// jittered pauses while warm-up and measure last. Events tell the first few of each kind and
// worker. One that has had its reconnect_every requests, all of them answered, is closed and opened
// again at once: nothing is lost with it.
//
// How long each step of opening took goes to the Sink with the interval in which it ended.
//
// Threads: one owner thread calls these members; stop() alone may come from any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "load/trace.h"
#include "record/sink.h"
#include "resp/server.h"
#include "scenario/loads.h"
#include "scenario/scenario.h"

namespace headroom::load {

class Rendezvous;

struct FleetConfig {
  resp::Server server;
  bool cluster = false;  // the server is any node of one
  scenario::Workload workload;
  // Of a workload that replays: what scan_trace() found in its trace.
  std::optional<TraceSummary> trace = std::nullopt;
  std::uint64_t keys = 0;  // resolved, all workers together; of a replay 0
  scenario::Load load;
  // Of each worker's connections, outside of stages that say otherwise; absent: all.
  std::optional<std::uint32_t> connections_in_use = std::nullopt;
  std::vector<scenario::StageChange> stages = {};  // by time
  std::uint64_t seed = 0;
  // What keys and their popularity are derived from; absent: the seed.
  std::optional<std::uint64_t> key_seed = std::nullopt;
  // Of several fleets that run side by side, whose phases end together; outlives the fleet.
  Rendezvous* others = nullptr;
  const Clock* clock = nullptr;  // outlives the fleet
  Nanos origin{0};               // clock time of run time 0
  record::Sink* sink = nullptr;  // outlives the fleet
};

// All in run time. measure_end >= measure_begin >= warmup_begin.
struct LoadWindows {
  Nanos warmup_begin{0};
  Nanos measure_begin{0};
  Nanos measure_end{0};
  Nanos drain_deadline{0};  // after this, what has no reply is counted as lost
  // Inside measure, ascending: moments at which an interval ends, besides every second.
  std::vector<Nanos> cuts = {};
};

// How the load phases went. Times are run time; an early stop() moves them forward, measure_end
// even before LoadWindows::measure_begin if it struck in the warm-up: there is then no measure
// window. Where load.requests ended the load, measure ends with the last reply.
struct LoadSpans {
  Nanos measure_end{0};
  Nanos drain_end{0};
  bool stopped_early = false;
};

// Whether the files that a load needs can be read and say what they should: what connect() would
// find out later.
[[nodiscard]] Status check_files(const scenario::NamedLoad& load);

// Of a scenario that replays: what its trace holds; else nullopt. Reads the whole file; errors
// (kUsage) name the line.
[[nodiscard]] Result<std::optional<TraceSummary>> look_through_trace(
    const scenario::Scenario& scenario);

// The names of all operations of a run, in the order of LatencyKey::operation; `trace`: what
// look_through_trace() gave.
[[nodiscard]] std::vector<std::string> operation_names(const scenario::Scenario& scenario,
                                                       const std::optional<TraceSummary>& trace);

class Fleet {
 public:
  explicit Fleet(FleetConfig config);
  ~Fleet();  // stops and joins
  Fleet(const Fleet&) = delete;
  Fleet& operator=(const Fleet&) = delete;

  // Opens every connection, idle ones included, greets (resp/greeting.h) and has it answer PING,
  // within connect_spread and connect_timeout. The first failure, named, if any failed. A host name
  // is resolved once; of several addresses, all connections use the first that accepts. Raises the
  // process's soft limit of file descriptors if it must. Once.
  [[nodiscard]] Status connect();
  // Writes every key of every worker once, in order; nothing if the workload is not prefilled, for
  // a fleet that waits for others which do. `progress` (may be empty) is called about every 100 ms
  // with keys written and keys in all. Refuses with the first error reply. After that, or stop(),
  // what is still in flight is waited for during the shorter of request_timeout and 2 s.
  [[nodiscard]] Status prefill(const std::function<void(std::uint64_t, std::uint64_t)>& progress);
  // Of a cluster, after connect(): the keys that all its primaries hold together.
  [[nodiscard]] Result<std::uint64_t> count_keys() const;
  // Runs warm-up, measure and drain and returns when all workers are done: at the latest a moment
  // after drain_deadline, whatever the engine does. Needs a successful connect(). Leaves a warning
  // (kInFlightAtEnd) if, when the window closed, a request had waited for 100 ms or more and for
  // ten times the p99 of its worker's last interval: its latency is missing from the window.
  [[nodiscard]] LoadSpans run(const LoadWindows& windows);
  // Ends connect, prefill, or warm-up and measure now, and all that would follow; drain still
  // happens. Any thread.
  void stop();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace headroom::load
