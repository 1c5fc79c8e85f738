// Looks at single requests as they end, and keeps what a run remembers of them besides counts and
// histograms by outcome (record/request.h): the slowest, a sample, and latency by value size and by
// popularity. Only in measure.
//
// In the hot path it costs one comparison, wants(): a request is looked at when it took longer than
// the fastest of the slowest of the window so far, or when every request is to be looked at. Of
// requests that took equally long the first ones stay.
//
// Not thread-safe: one worker's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "record/load.h"

namespace headroom::load {

struct WatchPlan {
  bool slowest = false;
  std::optional<double> log_share = std::nullopt;  // of requests
  bool by_value_size = false;
  bool by_keys = false;

  // Whether anything about a request but its operation must be known when it ends.
  [[nodiscard]] bool any() const { return slowest || log_share || by_value_size || by_keys; }
};

// A request that ended.
struct EndedRequest {
  std::uint8_t operation = 0;
  record::Outcome outcome = record::Outcome::kOk;
  // Absent: no key of its operation is more popular than others.
  std::optional<bool> hot = std::nullopt;
  std::optional<std::uint64_t> value_bytes = std::nullopt;
  std::optional<Nanos> service = std::nullopt;
  std::optional<Nanos> response = std::nullopt;
};

class RequestWatch {
 public:
  RequestWatch() = default;  // looks at nothing
  // `random` says which requests are in the sample.
  RequestWatch(const WatchPlan& plan, std::size_t operations, Random random);

  // The intervals to come are of measure, or not.
  void watch(bool measuring);
  // Whether requests are looked at in the present interval.
  [[nodiscard]] bool active() const { return measuring_ && plan_.any(); }
  // Whether a request whose user waited `felt` is to be looked at; ended() follows.
  [[nodiscard]] bool wants(Nanos felt) const { return felt >= from_; }
  // True if it is also to be remembered: remember() follows.
  [[nodiscard]] bool ended(const EndedRequest& request);
  void remember(record::RequestRecord request);
  // Hands over what an interval has.
  void take(record::WorkerInterval& out);

 private:
  [[nodiscard]] stats::Histogram& histogram(const EndedRequest& request, std::size_t part,
                                            record::LatencyKind kind);
  void split(const EndedRequest& request, std::size_t part);
  void set_from();
  [[nodiscard]] bool draw_sample();

  WatchPlan plan_;
  Random random_{0};
  bool measuring_ = false;
  Nanos from_ = Nanos::max();
  std::uint64_t to_sample_ = 0;  // requests until the next of the sample, that one included
  bool is_slow_ = false;         // the request that ended() was told of last
  bool is_sampled_ = false;
  // How long the slowest of measure took so far, kSlowestKept at most: a heap, the shortest in
  // front; and those of them that ended in the present interval.
  std::vector<Nanos> longest_;
  std::vector<record::RequestRecord> slowest_;
  std::vector<record::RequestRecord> logged_;
  std::vector<stats::Histogram> splits_;  // by operation, part, outcome, kind; empty: none
};

}  // namespace headroom::load
