// One run, summed up: every number of docs/MEASUREMENT.md, each with its window, the regime and the
// limiter with their evidence. Pure: a record::Run in, a Summary out.
//
// nullopt is "n/a"; reasons for what is missing stand in Summary::not_available. Ratios are 0 to 1.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/expectations.h"
#include "analysis/known.h"
#include "base/clock.h"
#include "record/run.h"

namespace headroom::analysis {

struct Window {
  std::string name;  // "measure", "before first eviction", "stable segment"
  Nanos begin{0};    // run time
  Nanos end{0};
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(end - begin).count();
  }
};

struct LatencySummary {
  std::string operation;                           // "SET"; "all" for the merge of all operations
  record::Outcome outcome = record::Outcome::kOk;  // has no meaning when all_completed
  bool all_completed = false;                      // merge of hit, miss and ok
  record::LatencyKind kind = record::LatencyKind::kService;
  std::uint64_t count = 0;
  std::uint64_t out_of_range = 0;  // below 1 ns or above 1 h: counted, shown as the extreme seen
  std::optional<double> mean_ns;
  std::optional<Nanos> min, p50, p90, p99, p999, p9999, max;
};

struct Conservation {
  struct Row {
    std::string operation;
    std::uint64_t sent = 0;
    std::uint64_t outcomes = 0;  // sum over all outcomes but `unsent`, whole run
    // Of those, without a reply (timeout, lost): the engine may or may not have seen them.
    std::uint64_t unanswered = 0;
    std::uint64_t failed = 0;  // ended with an error reply
    // The engine's name of what it asks for ("hset"); empty: a transaction, of several commands.
    std::string command{};
  };
  std::vector<Row> rows;  // as Run::operations
  // One of the engine's commands, asked for by one operation or several.
  struct Command {
    std::string name;  // "hset"
    std::uint64_t sent = 0;
    std::uint64_t uncertain = 0;  // of those, which the engine may or may not have counted
    // commandstats over the same time: calls executed and calls rejected before execution.
    // nullopt: it cannot be asked.
    std::optional<std::uint64_t> engine_calls;
  };
  std::vector<Command> commands;  // by name

  // What the engine saw of an operation: nullopt if it cannot tell it from another's.
  [[nodiscard]] std::optional<std::uint64_t> engine_calls(const Row& row) const;
  // Waiting for a reply at each worker's last interval; 0 once a run has drained.
  std::uint64_t in_flight = 0;
  bool client_adds_up = false;        // sent == outcomes in every row and for every worker; of a
                                      // run that died: sent == outcomes + in flight, in all
  std::optional<bool> engine_agrees;  // nullopt: cannot be asked (shared target, no samples)
};

enum class Regime { kHeadroom, kBoundary, kSaturated, kRejecting };
enum class Limiter { kGenerator, kEngine, kNode, kHost, kConcurrency, kRate, kMemory, kUnclear };
[[nodiscard]] std::string_view regime_name(Regime regime);
[[nodiscard]] std::string_view limiter_name(Limiter limiter);

struct RegimeVerdict {
  std::optional<Regime> regime;  // nullopt: cannot tell
  std::string evidence;          // one sentence with the numbers
};
// The verdict about a part of the window, where the node's limits changed inside it.
struct LimiterPart {
  Window window;
  Limiter limiter = Limiter::kUnclear;
  std::string evidence;
};
struct LimiterVerdict {
  Limiter limiter = Limiter::kUnclear;
  std::string evidence;
  std::vector<LimiterPart> parts{};  // in order of time; empty: one verdict holds for the window
};

// The numbers about one window.
struct WindowSummary {
  Window window;
  std::uint64_t completed = 0;
  std::optional<double> throughput_per_s;
  std::optional<double> throughput_cv_per_minute;  // n-1
  std::optional<double> throughput_cv_per_second;
  std::optional<double> peak_throughput_per_minute;  // per second, in the best full minute
  std::optional<double> peak_throughput_per_second;  // in the best full second
  std::map<std::string, std::map<record::Outcome, std::uint64_t>> outcomes;  // by operation
  std::vector<LatencySummary> latencies;  // "all" first, then by operation and outcome
  std::optional<double> hit_ratio_client;
  std::optional<double> hit_ratio_engine;
  std::optional<double> memory_used_max_ratio;   // used_memory / maxmemory
  std::optional<double> memory_used_mean_ratio;  // time-weighted
  std::optional<double> evictions;
  std::optional<double> expired;
  // Seconds per second; of several engines, of the one whose main thread is busiest.
  std::optional<double> engine_cpu_main_thread;
  std::optional<double> engine_cpu_process;
  std::optional<double> engines_cpu;  // of all engines' processes together
  std::string busiest_node;           // which engine that is; empty: there is only one
  std::string fullest_node;           // the primary that memory_used_max_ratio is of; as above
  std::optional<double> concurrency;  // Little's law: throughput * mean latency
};

struct WorkerSummary {
  std::uint32_t worker = 0;
  std::optional<double> throughput_per_s;
  std::optional<double> cpu_ratio;   // of its own thread
  std::optional<double> away_ratio;  // share of time not looking at its sockets
  std::optional<Nanos> loop_lag_p99, loop_lag_max;
};

// How long one step of opening connections took, over the whole run.
struct ConnectSummary {
  record::ConnectKey key;
  std::uint64_t count = 0;
  std::optional<double> mean_ns;
  std::optional<Nanos> min, p50, p90, p99, p999, max;
};

// The generator's connections over the whole run, idle ones included.
struct ConnectionsSummary {
  std::uint64_t opened = 0;
  std::uint64_t renewed = 0;  // closed by plan (load.reconnect_every)
  std::uint64_t lost = 0;
  std::uint64_t refused = 0;          // attempts that failed
  std::optional<std::uint64_t> idle;  // open and without use when measure ended
  std::vector<ConnectSummary> steps;  // first connects, then those of connections opened again
};

// Latency of a part of the requests: those about values of a size class, or about hot or cold keys.
struct SplitSummary {
  record::Split split = record::Split::kValueSize;
  std::uint64_t part = 0;                 // record/request.h
  std::vector<LatencySummary> latencies;  // as WindowSummary's
};

// What became of reads that missed, where a client fills them. Over the measure window.
struct CacheAsideSummary {
  std::uint64_t begun = 0;
  std::uint64_t filled = 0;
  std::uint64_t failed = 0;
  std::uint64_t abandoned = 0;
  std::uint64_t waiting_at_end = 0;  // begun and not ended when the window closed
};

// A node that is held to a CPU quota. Absent is not known.
struct NodeCpu {
  std::string name{};                // of several; else empty
  double quota_vcpus = 0;            // at the window's end
  std::optional<double> cpu_ratio;   // of the whole node: CPU seconds per second
  std::optional<double> held_ratio;  // share of the time in which the quota held it (node.h)
  // Seconds per second for which it was kept from running, sum over CPUs.
  std::optional<double> throttled_ratio;
  std::optional<double> credits_first, credits_last, credits_spent;  // of burstable nodes
};

// One node of a target of several, over the measure window.
struct MemberSummary {
  record::Member member;
  std::optional<double> memory_used_max_ratio;
  std::optional<double> peak_keys;
  std::optional<double> evictions;
  std::optional<double> commands_per_s;  // executed: replicated ones and this sampler's included
  std::optional<double> engine_cpu_main_thread;
  std::optional<double> engine_cpu_process;
  std::optional<double> rss_max_bytes;
  std::optional<NodeCpu> node;
  // Of replicas.
  std::optional<double> lag_max_bytes;    // of the replication stream
  std::optional<double> lag_max_seconds;  // since it last heard of its primary
  std::optional<double> link_up_ratio;    // samples in which its link was up / all
};

// One of the engine's commands over the measure window, by the engine's own account, and what the
// clients saw of it: of the most frequent good outcome, where one operation alone asks for it.
struct EngineCommand {
  std::string name;  // "hset"
  std::uint64_t calls = 0;
  std::optional<double> mean_ns;                  // to execute
  std::optional<Nanos> p50_at_most, p99_at_most;  // ends of buckets that double
  std::optional<double> client_mean_ns;
  std::optional<Nanos> client_p50, client_p99;
};

// How an open loop kept its schedule over the measure window.
struct ScheduleSummary {
  double asked_per_s = 0;    // requests due / seconds
  std::uint64_t due = 0;     // had their intended time in the window
  std::uint64_t sent = 0;    // in the window
  std::uint64_t late = 0;    // of those, by record::kLateSend or more after their intended time
  std::uint64_t unsent = 0;  // given up when the window closed
  std::uint64_t backlog_max = 0;          // due and not sent at the end of a second, at the most
  std::optional<Nanos> lag_p50, lag_p99;  // from intended time to send
  Nanos lag_max{0};
  std::optional<Nanos> oldest_unsent;  // how long the oldest of them had been due
};

// One node of a cluster over the measure window. A request that was sent on counts as sent where it
// went first, and its outcome and latency where it ended.
struct NodeLatency {
  std::optional<Nanos> p50, p99, p999, max;
};
struct NodeSummary {
  std::string node;  // "host:port"
  record::NodeCounts counts;
  std::optional<double> throughput_per_s;  // completed there
  NodeLatency service;                     // of what completed there, from the first send
  std::optional<NodeLatency> response;     // the same from the intended time; open loop
};
// A time without a good reply about a node's slots, of all workers that saw it.
struct OutageSummary {
  std::string node;
  Nanos begin{0};             // run time of the first failure
  std::optional<Nanos> end;   // when the last worker was served; absent: not before the end
  std::string successor;      // who served first; empty: nobody
  std::uint32_t workers = 0;  // that saw it
  std::uint64_t failed = 0;   // requests lost, timed out or answered with errors there
  std::optional<Nanos> recovered_after;  // from begin, until throughput was back
};
struct ClusterSummary {
  std::vector<NodeSummary> nodes;  // by name
  record::NodeCounts total;
  std::vector<OutageSummary> outages;  // by begin
};

// One of several loads, over measure.
struct LoadSummary {
  std::string name;    // of the tenant, or of the stage whose fill task it is; "main"
  bool fills = false;  // a fill task
  std::uint32_t first_worker = 0;
  std::uint32_t workers = 0;
  std::uint64_t slots = 0;  // what it may have in flight, in the mean
  // Of its operations, under their own names. What the engine tells is absent: it is about all.
  WindowSummary measure;
  std::optional<ScheduleSummary> schedule;     // absent in closed loop
  std::optional<double> slots_used_ratio;      // mean in flight / slots
  std::optional<double> worker_cpu_max_ratio;  // of its busiest worker
  std::uint64_t sent = 0, ended = 0;           // over the whole run
  bool adds_up = false;                        // as Conservation::client_adds_up
};

// A part of measure: a stage, or what lies before, between and behind stages.
struct StageSummary {
  bool is_stage = false;
  WindowSummary summary;
};

// The longest stretch without a change of level in per-second throughput.
struct StableSegment {
  WindowSummary summary;
  double mean_per_s = 0;
  // Interval of the mean at `confidence`, with autocorrelation taken into account.
  std::optional<double> low_per_s, high_per_s;
  bool interval_too_narrow = false;  // the segment is too short for how slowly throughput drifts
  double confidence = 0;
  std::size_t segments = 1;  // how many the window falls into
};

// A reason to doubt the run: one of its own warnings, or one found here.
struct Doubt {
  record::WarningKind kind = record::WarningKind::kWindowTooShort;
  std::string seen;       // with numbers
  std::string next_step;  // the catalogue's, or one that fits better what was seen
};

struct Summary {
  bool complete = false;  // all phases ran to their end; else numbers are over what was committed
  WindowSummary measure;
  std::optional<WindowSummary> before_eviction;  // boundary runs
  std::optional<WindowSummary> after_eviction;
  std::optional<StableSegment> stable;
  std::vector<LoadSummary> loads;        // empty: one load, which is the whole
  std::vector<StageSummary> stages;      // in order of time, all of measure; empty: no stages
  std::optional<double> headroom_ratio;  // 1 - max(memory used); negative beyond the limit
  std::optional<Nanos> first_eviction;   // from the start of measure
  std::optional<double> peak_keys;
  std::optional<double> bytes_per_key;
  std::optional<double> maxmemory_bytes;  // last in the window; 0 is unlimited
  std::optional<double> memory_used_max_bytes;
  std::optional<double> dataset_max_bytes;
  std::optional<double> fragmentation_ratio;  // last in the window
  std::optional<double> rss_max_bytes;
  std::optional<double> swap_max_bytes;
  std::uint64_t configured_slots = 0;             // of all loads: what may be in flight
  std::optional<std::uint64_t> in_flight_at_end;  // of the measure window
  ConnectionsSummary connections;
  std::vector<SplitSummary> splits;              // of measure, as recorded; by split and part
  std::optional<CacheAsideSummary> cache_aside;  // absent: the workload has none
  std::optional<NodeCpu> node;                   // nullopt: no quota, or none that was sampled
  std::vector<MemberSummary> members;            // of a target of several nodes; else empty
  std::vector<WorkerSummary> workers;
  std::optional<ClusterSummary> cluster;      // absent: the target is no cluster
  std::optional<ScheduleSummary> schedule;    // absent unless all loads are open loops
  std::optional<double> worker_skew_ratio;    // (busiest - idlest) / mean throughput of workers
  std::optional<double> host_cpu_busy_ratio;  // of all CPUs of the engine's machine, if sampled
  Conservation conservation;
  std::vector<EngineCommand> engine_commands;  // by name; those it told of
  RegimeVerdict regime;
  LimiterVerdict limiter;
  std::vector<Doubt> warnings;  // the run's own, then those found here, the gravest first
  std::vector<ExpectationResult> expectations;  // of the scenario, each met or not
  Reasons not_available;                        // number -> why

  // Whether the measure window holds anything at all: a run that failed to start has nothing to
  // show but how it ended.
  [[nodiscard]] bool measured_anything() const { return measure.throughput_per_s.has_value(); }
};

// Never fails: what the run does not hold is absent, with its reason.
[[nodiscard]] Summary summarize(const record::Run& run);

}  // namespace headroom::analysis
