// What a person watching a run is told while it goes. The command line draws it; tests collect it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/clock.h"
#include "record/phase.h"
#include "target/target.h"

namespace headroom::lab {

// The state of things now. Absent is not known (yet).
struct Progress {
  record::Phase phase = record::Phase::kProvision;
  std::optional<Nanos> left;           // until the end of measure, where time decides that
  std::optional<Nanos> left_in_phase;  // until the end of the present phase
  // Of the last whole interval of the present phase; absent until there is one.
  std::optional<double> throughput_per_s;  // completed requests
  std::optional<double> rejected_per_s;    // refused for want of memory
  std::optional<double> failed_per_s;      // any other error, timed out, lost
  std::optional<double> asked_per_s;       // by the schedule; absent in closed loop
  std::optional<Nanos> p99;                // of completed requests: response latency in open loop
  std::optional<double> memory_used_ratio;
  std::optional<double> evictions;              // since the load began
  std::optional<std::uint64_t> requests_ended;  // of load.requests, in measure
  std::optional<std::uint64_t> requests_total;
  std::optional<std::uint64_t> prefilled;
  std::optional<std::uint64_t> prefill_total;
};

// All members are called on the thread that conducts the run, except in prefill, where progress()
// may come from a worker's owner; never two at a time.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void file_created(const std::filesystem::path& path) = 0;
  virtual void target_ready(const target::Description& description,
                            std::optional<std::uint64_t> keys) = 0;
  virtual void phase_began(record::Phase phase) = 0;
  virtual void progress(const Progress& progress) = 0;  // about ten times a second
  virtual void note(const std::string& line) = 0;       // something that the user should know now
};

}  // namespace headroom::lab
