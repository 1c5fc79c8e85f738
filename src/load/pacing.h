// What a worker keeps when its requests are not sent the moment a slot is free: open loop, think
// time, an emulated round trip. In a plain closed loop there is none of it.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "load/schedule.h"
#include "load/trace_feed.h"
#include "load/workload.h"
#include "record/outcome.h"

namespace headroom::load {

// Connections that may have room for a request, each at most once, in the order of their coming.
// Not thread-safe.
class FreeConnections {
 public:
  explicit FreeConnections(std::uint32_t connections) : waits_(connections, false) {}
  [[nodiscard]] bool empty() const { return order_.empty(); }
  [[nodiscard]] std::size_t size() const { return order_.size(); }
  void push(std::uint32_t connection) {
    if (waits_[connection]) return;
    waits_[connection] = true;
    order_.push_back(connection);
  }
  // Of those that are not empty().
  [[nodiscard]] std::uint32_t pop() {
    const std::uint32_t connection = order_.front();
    order_.pop_front();
    waits_[connection] = false;
    return connection;
  }

 private:
  std::deque<std::uint32_t> order_;
  std::vector<bool> waits_;
};

// How late a wait ends that nothing else ended: 5 us on one machine, 50 us on another. The lower
// quartile of it, followed as it changes; a wait that is asked to end so much earlier ends early
// one time in four, and by little. Not thread-safe.
class WakeLateness {
 public:
  static constexpr Nanos kMost = std::chrono::microseconds{60};
  void observe(Nanos late) {
    lower_quartile_ += late > lower_quartile_ ? kStep : -3 * kStep;
    lower_quartile_ = std::clamp(lower_quartile_, Nanos{0}, kMost);
  }
  [[nodiscard]] Nanos lower_quartile() const { return lower_quartile_; }

 private:
  static constexpr Nanos kStep{100};
  Nanos lower_quartile_{0};
};

// An open-loop schedule as one worker carries it out. Times are schedule time: since `origin`.
struct OpenLoop {
  Nanos origin;               // clock time
  Nanos closes;               // nothing is due from here on
  ArrivalWalk next;           // at the first request that was not taken to be sent
  ArrivalWalk counted;        // at the first that was not due at the last count, or behind `next`
  std::uint64_t settled = 0;  // requests that were sent or given up
  WakeLateness lateness = {};

  // Requests due before `time`, and those of them not settled.
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> due_by(Nanos time) {
    const Nanos end = time < closes ? time : closes;
    if (next.due() >= end) return {next.passed(), next.passed() - settled};
    if (counted.passed() < next.passed()) counted = next;
    counted.skip_to(end);
    return {counted.passed(), counted.passed() - settled};
  }
};

// A trace as one worker replays it.
struct Replay {
  // Requests that were read and not sent: so many are read ahead where all is sent as fast as
  // possible; where times are kept, so many may be due while the engine stalls.
  static constexpr std::size_t kReadAhead = 4'096;
  static constexpr std::size_t kMostBacklog = std::size_t{1} << 18U;

  TraceFeed feed;
  bool timed = false;
  Nanos origin;                                  // clock time
  Nanos closes;                                  // since then: nothing is due from here on
  std::vector<std::deque<TraceRequest>> queues;  // by connection, due and not sent
  std::size_t queued = 0;                        // in all of them
  std::uint64_t due = 0;                         // so far, as far as it was read
  std::uint64_t settled = 0;                     // sent or given up
  WakeLateness lateness = {};

  [[nodiscard]] bool has_room() const { return queued < (timed ? kMostBacklog : kReadAhead); }
  [[nodiscard]] Nanos next_due() const {
    const Nanos due_at = feed.next_due();
    return due_at < closes ? due_at : Nanos::max();
  }
};

// When the user of a read that missed began to wait.
struct FillStart {
  Nanos sent{0};      // the read, clock time
  Nanos intended{0};  // the read, run time; no schedule: 0
};

// A request that ended: with a reply, which may be on the way that an emulated round trip adds.
struct EndedReply {
  Nanos arrives{0};   // clock time
  Nanos sent{0};      // of its request, clock time
  Nanos intended{0};  // run time; no schedule: 0
  std::uint32_t connection = 0;
  std::uint8_t operation = 0;
  record::Outcome outcome = record::Outcome::kOk;
  std::uint32_t slot = 0;  // that it had
  // As far as the worker keeps requests:
  Request request = {};
  std::optional<std::uint64_t> read_bytes = std::nullopt;  // of the value that it found
  FillStart fill = {};                                     // of the SET that fills
};

// A read that missed, while its backend is asked.
struct Fetch {
  Nanos until{0};            // clock time
  std::uint64_t number = 0;  // of those of one moment, the first goes first
  std::uint32_t connection = 0;
  Request fill;
  FillStart start;
  friend bool operator>(const Fetch& a, const Fetch& b) {
    return a.until != b.until ? a.until > b.until : a.number > b.number;
  }
};

struct Pacing {
  explicit Pacing(std::uint32_t connections) : free(connections), held(connections, 0) {}

  FreeConnections free;
  // Slots of each connection that have their reply and may not be used yet: it travels, the user
  // thinks, or a backend is asked.
  std::vector<std::uint32_t> held;
  std::deque<EndedReply> travelling;                // in order of arrival: all travel equally long
  using Thought = std::pair<Nanos, std::uint32_t>;  // until when (clock time), connection
  std::priority_queue<Thought, std::vector<Thought>, std::greater<>> thinking;
  std::priority_queue<Fetch, std::vector<Fetch>, std::greater<>> fetching;
  std::uint64_t fetches = 0;  // begun so far
};

}  // namespace headroom::load
