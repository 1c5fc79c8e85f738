// The requests of one connection that have been made and not answered, oldest first.
//
// They are of two kinds: begun (their first byte was handed to the kernel: they count as sent and
// have a send time) and, behind those, waiting (they lie whole in the connection's outgoing bytes).
#pragma once

#include <cstdint>

#include "base/check.h"
#include "base/clock.h"
#include "record/outcome.h"

namespace headroom::load {

// Sixteen bytes: a worker may have a million of them, and the hot path touches each twice.
struct InFlight {
  // Begun: the clock's time just before the write call that carried the first byte. Waiting: where
  // the request begins in the outgoing bytes, as a count.
  std::int64_t sent_or_offset = 0;
  std::uint64_t operation : 8 = 0;
  // Run time for which the schedule intended it; no schedule: 0. Enough for two years.
  std::uint64_t intended : 56 = 0;
};

// A ring in memory that belongs to the worker. Not thread-safe.
class InFlightQueue {
 public:
  InFlightQueue() = default;
  // `capacity` is a power of two.
  InFlightQueue(InFlight* slots, std::uint32_t capacity) : slots_(slots), mask_(capacity - 1) {}

  [[nodiscard]] std::uint32_t size() const { return size_; }
  [[nodiscard]] std::uint32_t begun() const { return size_ - waiting_; }
  [[nodiscard]] std::uint32_t waiting() const { return waiting_; }
  // Of begun() > 0.
  [[nodiscard]] Nanos oldest_sent() const { return Nanos{slots_[head_].sent_or_offset}; }
  [[nodiscard]] std::uint8_t oldest_operation() const {
    return static_cast<std::uint8_t>(slots_[head_].operation);
  }
  [[nodiscard]] Nanos oldest_intended() const { return intended_of(slots_[head_]); }
  // Of waiting() > 0: where the first of them begins in the outgoing bytes.
  [[nodiscard]] std::size_t first_waiting_offset() const {
    return static_cast<std::size_t>(at(size_ - waiting_).sent_or_offset);
  }

  // A new request, waiting, that begins at `offset` of the outgoing bytes. `intended` is run time.
  void push(std::uint8_t operation, std::size_t offset, Nanos intended = Nanos{0}) {
    constexpr std::uint64_t kMask = (std::uint64_t{1} << 56U) - 1;
    at(size_) = {static_cast<std::int64_t>(offset), operation,
                 static_cast<std::uint64_t>(intended.count()) & kMask};
    ++size_;
    ++waiting_;
  }
  void pop() {
    check(begun() > 0, "a reply belongs to a request that was sent");
    head_ = (head_ + 1) & mask_;
    --size_;
    parts_ = {};
  }

  // Places in the memory given to the queue: of the oldest request, of the newest, and of the one
  // `i` behind the oldest.
  [[nodiscard]] std::uint32_t oldest_slot() const { return head_; }
  [[nodiscard]] std::uint32_t newest_slot() const { return (head_ + size_ - 1) & mask_; }
  [[nodiscard]] std::uint32_t slot_at(std::uint32_t i) const { return (head_ + i) & mask_; }
  // Of waiting() > 0: of the first of them; in the call of wrote(), the one that is told.
  [[nodiscard]] std::uint32_t first_waiting_slot() const {
    return (head_ + size_ - waiting_) & mask_;
  }

  // What is known of the oldest request, if it has several replies (a transaction).
  struct Parts {
    std::uint16_t replies = 0;                       // that came
    record::Outcome outcome = record::Outcome::kOk;  // the first failure among them
  };
  [[nodiscard]] Parts& oldest_parts() { return parts_; }

  // A write call, before which the clock said `sent`, took the first `bytes` outgoing bytes: begins
  // every waiting request whose first byte was among them and calls `begun(operation, intended)`
  // for each; offsets of the others move along.
  template <class Begun>
  void wrote(std::size_t bytes, Nanos sent, Begun begun) {
    for (std::uint32_t slot = first_waiting_slot(); waiting_ > 0;
         slot = (slot + 1) & mask_, --waiting_) {
      InFlight& request = slots_[slot];
      if (static_cast<std::size_t>(request.sent_or_offset) >= bytes) break;
      request.sent_or_offset = sent.count();
      begun(static_cast<std::uint8_t>(request.operation), intended_of(request));
    }
    for (std::uint32_t i = size_ - waiting_; i < size_; ++i) {
      at(i).sent_or_offset -= static_cast<std::int64_t>(bytes);
    }
  }

  // Calls `visit(operation, intended)` for each waiting request.
  template <class Visit>
  void for_each_waiting(Visit visit) const {
    for (std::uint32_t i = size_ - waiting_; i < size_; ++i)
      visit(static_cast<std::uint8_t>(at(i).operation), intended_of(at(i)));
  }
  void drop_waiting() {
    size_ -= waiting_;
    waiting_ = 0;
  }
  void clear() {
    size_ = waiting_ = 0;
    parts_ = {};
  }

 private:
  [[nodiscard]] static Nanos intended_of(const InFlight& request) {
    return Nanos{static_cast<std::int64_t>(request.intended)};
  }
  [[nodiscard]] InFlight& at(std::uint32_t i) const { return slots_[(head_ + i) & mask_]; }

  InFlight* slots_ = nullptr;
  std::uint32_t mask_ = 0;
  std::uint32_t head_ = 0;
  std::uint32_t size_ = 0;
  std::uint32_t waiting_ = 0;  // of size_, at the end
  Parts parts_;
};

}  // namespace headroom::load
