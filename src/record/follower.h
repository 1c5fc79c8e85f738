// Somebody who is told what a run records while it goes, in the shape in which its file keeps it.
#pragma once

#include <filesystem>
#include <string>

#include "record/run.h"

namespace headroom::record {

// Called by the thread that writes the run file, after each part was written: it must return
// at once and never fail. Arguments are as for store::RunWriter; what was committed before a crash
// is what a reader of the file sees, and no more than a second of what is told here is ahead of it.
class Follower {
 public:
  virtual ~Follower() = default;
  virtual void began(const RunHeader& header, const std::filesystem::path& file) = 0;
  virtual void fact(const std::string& key, const std::string& value) = 0;
  virtual void phase_began(Phase phase, Nanos begin) = 0;
  virtual void phase_ended(Phase phase, Nanos end) = 0;
  virtual void interval(const MergedInterval& interval) = 0;
  virtual void worker_counts(const WorkerCounts& counts) = 0;
  virtual void worker_window(const WorkerWindow& window) = 0;
  virtual void samples(const SampleBatch& batch) = 0;
  virtual void event(const Event& event) = 0;
  virtual void warning(const Warning& warning) = 0;
  virtual void receipt(const Receipt& receipt) = 0;
  virtual void ended(RunEnd end, const std::string& reason) = 0;  // of a sealed run
};

}  // namespace headroom::record
