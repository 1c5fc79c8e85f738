// One connection of a worker: its socket, what lies unsent in front of it, and the state that must
// outlive a read. All decisions are the worker's; this only moves bytes and keeps them in order.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/file.h"
#include "load/command.h"
#include "load/in_flight.h"
#include "load/workload.h"
#include "resp/parser.h"

namespace headroom::load {

enum class ConnectionState : std::uint8_t {
  kClosed,      // no socket; perhaps waiting to be opened again
  kConnecting,  // the attempt is on its way
  kGreeting,    // connected; AUTH and PING were sent
  kReady,       // takes requests
};

// Some 400 bytes: a worker may have 10,000. Not thread-safe.
class Connection {
 public:
  Connection(std::uint32_t index, ConnectionStreams streams, InFlightQueue queue)
      : streams_(streams), queue_(queue), index_(index) {}

  [[nodiscard]] std::uint32_t index() const { return index_; }
  [[nodiscard]] ConnectionState state() const { return state_; }
  [[nodiscard]] int fd() const { return fd_.get(); }
  // Clock time at which the present attempt to connect began, or at which it was lost.
  [[nodiscard]] Nanos since() const { return since_; }
  // Failed attempts since it was last ready.
  [[nodiscard]] std::uint32_t failures() const { return failures_; }
  [[nodiscard]] ConnectionStreams& streams() { return streams_; }
  [[nodiscard]] InFlightQueue& queue() { return queue_; }
  [[nodiscard]] const InFlightQueue& queue() const { return queue_; }
  [[nodiscard]] resp::ReplyParser& parser() { return parser_; }

  // How many requests may still be begun on it.
  static constexpr std::uint64_t kUnlimited = ~std::uint64_t{0};
  [[nodiscard]] std::uint64_t allowance() const { return allowance_; }
  void allow(std::uint64_t requests) { allowance_ = requests; }
  void spend() { --allowance_; }  // one was begun

  void connecting(UniqueFd fd, Nanos now);
  void greeting(std::uint32_t replies) {
    state_ = ConnectionState::kGreeting;
    greetings_left_ = replies;
  }
  // One reply of the greeting came; true if it was the last.
  [[nodiscard]] bool greeted() { return --greetings_left_ == 0; }
  [[nodiscard]] std::uint32_t greetings_left() const { return greetings_left_; }
  void ready() {
    state_ = ConnectionState::kReady;
    failures_ = 0;
  }
  void failed() { ++failures_; }
  // Closes the socket and forgets unsent bytes and the queue, which the caller has accounted for.
  void close(Nanos now);

  // Reads once into `buffer`. Bytes read; 0: the other end closed; negative: -errno.
  [[nodiscard]] ssize_t receive(std::span<char> buffer) const;
  // Writes `bytes` and, if all of them go, `tail` behind them, in one call. Bytes taken, 0 if the
  // socket takes none now; negative: -errno.
  [[nodiscard]] ssize_t send(std::string_view bytes, std::string_view tail = {}) const;

  // Bytes that the kernel has not taken yet.
  [[nodiscard]] bool has_unsent() const { return !rest().empty() || !tail_.empty(); }
  [[nodiscard]] std::string_view rest() const {
    return std::string_view(rest_).substr(rest_begin_);
  }
  [[nodiscard]] std::string_view tail() const { return tail_; }
  // Keeps what is left of bytes and tail when `taken` bytes of them went. `tail` is not copied.
  void keep_unsent(std::string_view bytes, std::string_view tail, std::size_t taken);
  // `taken` more of the unsent bytes went.
  void sent_more(std::size_t taken);
  // Takes back the requests whose first byte was not sent; of the last begun one the rest stays.
  void drop_waiting();

 private:
  UniqueFd fd_;
  ConnectionState state_ = ConnectionState::kClosed;
  ConnectionStreams streams_;
  InFlightQueue queue_;
  resp::ReplyParser parser_;
  std::string rest_;            // allocated only when a write was cut short
  std::size_t rest_begin_ = 0;  // bytes of rest_ that went since
  std::string_view tail_;       // follows rest_; belongs to the workload
  Nanos since_{0};
  std::uint64_t allowance_ = kUnlimited;
  std::uint32_t index_;
  std::uint32_t failures_ = 0;
  std::uint32_t greetings_left_ = 0;
};

}  // namespace headroom::load
