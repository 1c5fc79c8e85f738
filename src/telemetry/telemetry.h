// Samples the engine and the node it runs on, on a thread of its own, on the run's time axis.
// (The generator samples itself: its figures come with each record::WorkerInterval.)
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "record/member.h"
#include "record/metric.h"
#include "record/sink.h"
#include "resp/server.h"

namespace headroom::telemetry {

struct WatchedNode {
  record::Member member;  // its name is empty when it is the only one
  resp::Server server;
  std::optional<pid_t> engine_pid = {};  // sample its process from /proc
  // What else of the node there is to sample; called with every sample. Empty: nothing.
  std::function<std::vector<record::Sample>()> sample_node = {};
};

// Several nodes are asked at the same time, each on a thread of its own, and what they answer in
// one turn has one time: the middle from asking to the last answer. Each has batches under its
// name; those without a name are of the machine, and sums over the primaries (telemetry/totals.h).
struct TelemetryConfig {
  std::vector<WatchedNode> nodes;  // one or more
  Nanos interval{0};
  Nanos reply_timeout{0};        // a silent engine is recorded as an event, and asked again
  const Clock* clock = nullptr;  // outlives this
  Nanos origin{0};               // clock time of run time 0
  record::Sink* sink = nullptr;  // outlives this
};

// What the live line shows; each absent if it was not in the last sample. Of several nodes, memory
// is that of the fullest primary, and the counts are of all primaries.
struct Glance {
  std::optional<double> used_memory_bytes;
  std::optional<double> maxmemory_bytes;
  std::optional<double> evicted_keys;  // cumulative
  std::optional<double> keys;
};

// An engine that does not answer; of several, the one that has been silent for longest.
struct Silence {
  Nanos last_answer{0};  // run time
  Nanos since{0};        // run time at which the first question without an answer was asked
  std::string reason;    // why the first one had none, a line
};

class Telemetry {
 public:
  // Opens its connection and takes the first sample before returning.
  [[nodiscard]] static Result<std::unique_ptr<Telemetry>> start(TelemetryConfig config);
  ~Telemetry();  // stops
  // Takes one last sample now (commandstats included) and ends the thread. Bounded by
  // reply_timeout.
  void stop();
  // Takes a sample now, outside the rhythm, with how long the engine's commands took (LATENCY
  // HISTOGRAM); returns when it is in the sink. Any thread.
  void sample_now();
  [[nodiscard]] Glance glance() const;  // any thread
  // Present if the last sample, and maybe others before it, got no answer. Any thread.
  [[nodiscard]] std::optional<Silence> silence() const;

 private:
  class Impl;
  explicit Telemetry(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace headroom::telemetry
