// Where the doers (load workers, samplers, targets) leave what they saw while a run goes.
#pragma once

#include <string>

#include "record/event.h"
#include "record/load.h"
#include "record/member.h"
#include "record/metric.h"

namespace headroom::record {

// Thread-safe: any thread may call any member at any time. Calls do not wait for the disk, take
// ownership of what they are given, and never fail: a full disk is noticed and reported by the
// owner of the sink, which then stops the run.
class Sink {
 public:
  virtual ~Sink() = default;
  // Intervals of one worker come in order of time, each exactly once, empty ones included.
  virtual void interval(WorkerInterval interval) = 0;
  virtual void samples(SampleBatch batch) = 0;
  // A node of a target of several, once each and before its first samples.
  virtual void member(Member member) = 0;
  virtual void event(Event event) = 0;
  virtual void warning(Warning warning) = 0;
  // Something about the environment: "engine.version" = "9.1.2". A later value replaces an earlier.
  virtual void fact(std::string key, std::string value) = 0;
  virtual void receipt(Receipt receipt) = 0;
};

}  // namespace headroom::record
