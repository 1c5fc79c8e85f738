// What held the run's throughput back.
#pragma once

#include "analysis/summary.h"
#include "record/run.h"

namespace headroom::analysis {

// Thresholds of the checks, as shares of what there is.
inline constexpr double kBusyWorker = 0.85;    // of one CPU, by a worker's thread
inline constexpr double kBusyEngine = 0.90;    // of one CPU, by the engine's main thread
inline constexpr double kBusyHost = 0.90;      // of all CPUs of the machine
inline constexpr double kFullSlots = 0.80;     // requests in flight / configured slots
inline constexpr double kManyRejected = 0.01;  // OOM replies / replies

// CPUs that neither engine nor generator used: below this it is the system's own housekeeping.
inline constexpr double kOthersWorthNaming = 0.25;

// Needs measure, node, workers, configured_slots, schedule and host_cpu_busy_ratio of the summary.
// The first that holds, provided that every check before it had its samples; in this order:
//   rate         open loop, and kKeptRate or more of what was due was completed: nothing held the
//                load back but what was asked
//   generator    a worker's thread at kBusyWorker of one CPU or more: it could not have sent more
//   node         its CPU quota held the node for kMostlyHeld of the time (node.h): whatever the
//   engine
//                was at, it could not have had more
//   engine       the engine's main thread at kBusyEngine of one CPU or more
//   host         engine and generator share a machine, and all its CPUs together are at kBusyHost:
//                neither could get more of it, though neither thread is at its own limit
//   generator    a worker away from its sockets for kBusyWorker of the time without using the CPU
//                for it: something outside this run starves the generator
//   memory       rejecting: kManyRejected of the replies or more were OOM errors
//   concurrency  slots full (Little's law) and none of the above: more connections or workers would
//                have given more throughput
//   unclear      anything else, and whenever a check before the one that holds lacks its samples:
//                what was not looked at is not excluded
// A busy generator comes before the rest because it spoils every other reading. A starved one comes
// after host: on a full machine lag is the consequence, not the cause.
//
// Where the node's quota changed inside the window (its CPU credits were gone, or came back), each
// part has its own verdict, and the window's is that of the longest part.
[[nodiscard]] LimiterVerdict judge_limiter(const Summary& summary, const record::Run& run);

// What else ran on the machine that engine and generator share.
struct OthersCpu {
  double cpus = 0;              // CPU seconds per second, at least kOthersWorthNaming
  bool more_than_ours = false;  // than engine and generator together
};
// nullopt: nothing worth naming, another machine, or not all that it takes is known.
[[nodiscard]] std::optional<OthersCpu> cpu_of_others(const Summary& summary,
                                                     const record::Run& run);

}  // namespace headroom::analysis
