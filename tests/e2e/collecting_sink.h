// A record::Sink that keeps everything, for tests that drive the doers without a run file.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "record/sink.h"
#include "stats/histogram.h"

namespace headroom::e2e {

class CollectingSink final : public record::Sink {
 public:
  void interval(record::WorkerInterval interval) override {
    const std::lock_guard lock(mutex_);
    intervals_.push_back(std::move(interval));
  }
  void samples(record::SampleBatch) override {}
  void event(record::Event event) override {
    const std::lock_guard lock(mutex_);
    events_.push_back(std::move(event));
  }
  void warning(record::Warning) override {}
  void fact(std::string, std::string) override {}
  void receipt(record::Receipt) override {}

  // Call these when the doers are done.
  [[nodiscard]] const std::vector<record::WorkerInterval>& intervals() const { return intervals_; }
  [[nodiscard]] const std::vector<record::Event>& events() const { return events_; }
  // All completed requests of one phase.
  [[nodiscard]] stats::Histogram latency(record::Phase phase) const {
    stats::Histogram merged;
    for (const record::WorkerInterval& interval : intervals_) {
      if (interval.interval.phase != phase) continue;
      for (const record::LatencySeries& series : interval.latencies) {
        if (record::is_completed(series.key.outcome)) merged.merge(series.histogram);
      }
    }
    return merged;
  }

 private:
  std::mutex mutex_;
  std::vector<record::WorkerInterval> intervals_;
  std::vector<record::Event> events_;
};

}  // namespace headroom::e2e
