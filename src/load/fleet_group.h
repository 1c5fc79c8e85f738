// The loads of one run, side by side: a fleet for each, driven together through the load phases.
//
// To the sink they are one: workers and operations are numbered through all loads
// (scenario/loads.h) and what a load with a name tells in words begins with it. A single load is
// one fleet, and nothing else. Phases end together, so that every interval is one of all workers.
//
// Threads: as of a Fleet. One owner thread calls these members; stop() alone may come from any
// thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "load/fleet.h"
#include "record/sink.h"
#include "resp/server.h"
#include "scenario/loads.h"

namespace headroom::load {

struct FleetGroupConfig {
  resp::Server server;
  bool cluster = false;                    // the server is any node of one
  std::vector<scenario::NamedLoad> loads;  // of a run, all of them
  std::vector<std::uint64_t> keys;         // of each, resolved; of a replay 0
  // What look_through_trace() gave: of the only load, if it replays.
  std::optional<TraceSummary> trace = std::nullopt;
  const Clock* clock = nullptr;  // outlives the group
  Nanos origin{0};               // clock time of run time 0
  record::Sink* sink = nullptr;  // outlives the group
};

class FleetGroup {
 public:
  explicit FleetGroup(FleetGroupConfig config);
  ~FleetGroup();  // stops and joins
  FleetGroup(const FleetGroup&) = delete;
  FleetGroup& operator=(const FleetGroup&) = delete;

  // As a Fleet's. All loads connect, prefill (those that do) and run at the same time; what fails
  // in one stops the others, and the first failure is told. `progress` is called by one thread at a
  // time, which may be any.
  [[nodiscard]] Status connect();
  [[nodiscard]] Status prefill(const std::function<void(std::uint64_t, std::uint64_t)>& progress);
  [[nodiscard]] LoadSpans run(const LoadWindows& windows);
  // As a Fleet's.
  [[nodiscard]] Result<std::uint64_t> count_keys() const;
  void stop();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace headroom::load
