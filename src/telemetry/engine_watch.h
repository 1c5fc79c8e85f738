// What happens inside an engine, told by what changed from one of its samples to the next. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "record/event.h"
#include "record/metric.h"

namespace headroom::telemetry {

// Snapshots, log rewrites and other forks, active defragmentation, times of eviction, and the link
// of a replica. What begins and ends between two samples is seen only where a counter tells
// (forks). Times are those of the sample that showed it: late by at most a sampling interval.
class EngineWatch {
 public:
  // Evictions that pause for so many samples have ended.
  static constexpr int kQuietSamples = 5;
  // Of each kind of event; the last one says that no more are told.
  static constexpr int kMostEvents = 100;

  // `time` is run time, later than before.
  [[nodiscard]] std::vector<record::Event> look(Nanos time,
                                                const std::vector<record::Sample>& samples);

 private:
  // A flag, or a share that is above zero while something goes on.
  struct Activity {
    std::optional<Nanos> since;  // run time; absent: it rests
    bool known = false;          // it was sampled before
  };
  void look_at(Activity& activity, record::EventKind kind, std::string_view what,
               std::optional<double> value);
  void look_at_forks(const std::vector<record::Sample>& samples);
  void look_at_evictions(std::optional<double> evicted);
  void look_at_link(std::optional<double> up);
  void tell(record::EventKind kind, std::string text);

  Nanos now_{0};
  std::vector<record::Event> events_;  // of this look
  std::vector<int> told_;              // by kind
  Activity save_, rewrite_, defrag_;
  std::optional<double> forks_;
  std::optional<double> evicted_;
  // Of the eviction that goes on.
  std::optional<Nanos> evicting_since_;
  Nanos last_eviction_{0};
  double evicted_before_ = 0;
  int quiet_ = 0;
  bool ever_evicted_ = false;
  std::optional<bool> link_up_;
};

}  // namespace headroom::telemetry
