// One connection of a worker: its socket, what lies unsent in front of it, and the state that must
// outlive a read. All decisions are the worker's; this only moves bytes and keeps them in order.
#pragma once

#include <sys/types.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/file.h"
#include "load/command.h"
#include "load/in_flight.h"
#include "load/workload.h"
#include "net/stream.h"
#include "resp/parser.h"

namespace headroom::load {

// In the order in which they follow one another.
enum class ConnectionState : std::uint8_t {
  kClosed,      // no socket; perhaps waiting to be opened again
  kConnecting,  // the attempt is on its way
  kSecuring,    // connected; in the TLS handshake
  kGreeting,    // AUTH, PING and what else begins a connection were sent
  kReady,       // takes requests
};

// Some 400 bytes: a worker may have 10,000. Not thread-safe.
class Connection {
 public:
  static constexpr std::uint64_t kEndless = ~std::uint64_t{0};

  Connection(std::uint32_t index, ConnectionStreams streams, InFlightQueue queue)
      : streams_(streams), queue_(queue), index_(index) {}

  [[nodiscard]] std::uint32_t index() const { return index_; }
  [[nodiscard]] ConnectionState state() const { return state_; }
  [[nodiscard]] int fd() const { return stream_.fd(); }
  [[nodiscard]] net::Stream& stream() { return stream_; }
  // Clock time at which the present attempt to connect began, or at which it was lost.
  [[nodiscard]] Nanos since() const { return since_; }
  // Clock time at which the present step of opening it began.
  [[nodiscard]] Nanos step_began() const { return step_began_; }
  // Failed attempts since it was last ready.
  [[nodiscard]] std::uint32_t failures() const { return failures_; }
  // It was ready before: what opens it now opens it again.
  [[nodiscard]] bool was_ready() const { return was_ready_; }
  [[nodiscard]] ConnectionStreams& streams() { return streams_; }
  [[nodiscard]] InFlightQueue& queue() { return queue_; }
  [[nodiscard]] const InFlightQueue& queue() const { return queue_; }
  [[nodiscard]] resp::ReplyParser& parser() { return parser_; }

  // How many requests may still be begun on it.
  static constexpr std::uint64_t kUnlimited = ~std::uint64_t{0};
  [[nodiscard]] std::uint64_t allowance() const { return allowance_; }
  void allow(std::uint64_t requests) { allowance_ = requests; }
  // So many were begun. What waited to be sent when the allowance came to nothing still goes out.
  void spend(std::uint64_t requests) { allowance_ -= std::min(allowance_, requests); }

  void connecting(UniqueFd fd, Nanos now);
  void securing(const net::TlsContext& tls, Nanos now) {
    state_ = ConnectionState::kSecuring;
    step_began_ = now;
    stream_.begin_tls(tls);
  }
  void greeting(std::uint32_t replies, Nanos now) {
    state_ = ConnectionState::kGreeting;
    step_began_ = now;
    greetings_left_ = replies;
  }
  // One reply of the greeting came; true if it was the last.
  [[nodiscard]] bool greeted() { return --greetings_left_ == 0; }
  [[nodiscard]] std::uint32_t greetings_left() const { return greetings_left_; }
  // It now takes so many requests (kEndless: any number).
  void ready(std::uint64_t requests) {
    state_ = ConnectionState::kReady;
    failures_ = 0;
    was_ready_ = true;
    renewing_ = false;
    requests_left_ = requests;
  }
  // Takes one from the requests that it may still be given; false if there is none.
  [[nodiscard]] bool spend_request() {
    if (requests_left_ == 0) [[unlikely]]
      return false;
    --requests_left_;
    return true;
  }
  [[nodiscard]] bool is_spent() const { return requests_left_ == 0; }
  void failed() { ++failures_; }
  // Closes the socket and forgets unsent bytes and the queue, which the caller has accounted for.
  void close(Nanos now);
  // Closes it because its requests are spent, to be opened again.
  void renew(Nanos now) {
    close(now);
    renewing_ = true;
  }
  [[nodiscard]] bool renewing() const { return renewing_; }

  // As net::Stream's.
  [[nodiscard]] ssize_t receive(std::span<char> buffer) { return stream_.receive(buffer); }
  [[nodiscard]] ssize_t send(std::string_view bytes, std::string_view tail = {}) {
    return stream_.send(bytes, tail);
  }

  // Bytes that the stream has not taken yet, or not pushed out.
  [[nodiscard]] bool has_unsent() const {
    return !rest().empty() || !tail_.empty() || stream_.has_unsent();
  }
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
  net::Stream stream_;
  ConnectionState state_ = ConnectionState::kClosed;
  ConnectionStreams streams_;
  InFlightQueue queue_;
  resp::ReplyParser parser_;
  std::string rest_;            // allocated only when a write was cut short
  std::size_t rest_begin_ = 0;  // bytes of rest_ that went since
  std::string_view tail_;       // follows rest_; belongs to the workload
  Nanos since_{0};
  Nanos step_began_{0};
  std::uint64_t requests_left_ = 0;
  std::uint64_t allowance_ = kUnlimited;
  std::uint32_t index_;
  std::uint32_t failures_ = 0;
  std::uint32_t greetings_left_ = 0;
  bool was_ready_ = false;
  bool renewing_ = false;
};

}  // namespace headroom::load
