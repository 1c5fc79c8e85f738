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
  std::optional<Nanos> left;               // of warm-up and measure together
  std::optional<double> throughput_per_s;  // completed requests of the last whole interval
  std::optional<std::uint64_t> failed;     // requests of the last whole interval without good reply
  std::optional<Nanos> p99;                // service latency over the last whole interval
  std::optional<double> memory_used_ratio;
  std::optional<double> evictions;  // since the load began
  std::optional<std::uint64_t> prefilled;
  std::optional<std::uint64_t> prefill_total;
};

// All members are called on the thread that conducts the run, except in prefill, where progress()
// may come from a worker's owner; never two at a time.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void file_created(const std::filesystem::path& path) = 0;
  virtual void target_ready(const target::Description& description, std::uint64_t keys) = 0;
  virtual void phase_began(record::Phase phase) = 0;
  virtual void progress(const Progress& progress) = 0;  // about ten times a second
  virtual void note(const std::string& line) = 0;       // something that the user should know now
};

}  // namespace headroom::lab
