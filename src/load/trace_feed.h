// What one worker replays: its share of a trace, request by request, ready to be sent.
//
// Every worker reads the whole file and takes the streams that are its own; a stream always goes to
// the same connection, so that its requests keep their order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "load/trace.h"

namespace headroom::load {

struct TraceRequest {
  Nanos due{0};  // since the load began; where all is sent as fast as possible: 0
  std::uint32_t connection = 0;
  std::uint8_t operation = 0;
  std::string head;  // on the wire: all of it or, with a value to be made up, what is before that
  std::string tail;  // and what is behind it and its line end
  std::optional<std::uint64_t> made_up_bytes;
  std::string key;                           // fit to be shown
  std::optional<std::uint64_t> value_bytes;  // that it writes
};

// Not thread-safe.
class TraceFeed {
 public:
  // `summary` outlives the feed.
  TraceFeed(const scenario::Trace& trace, const TraceSummary& summary, std::uint32_t database,
            StreamShare share, std::uint32_t connections);

  // When the next request is due; Nanos::max(): there is none any more.
  [[nodiscard]] Nanos next_due() const { return next_ ? next_->due : Nanos::max(); }
  // The next request; there is one.
  [[nodiscard]] TraceRequest take();
  // The mean distance of this worker's requests, if streams are shared evenly.
  [[nodiscard]] Nanos mean_gap() const;
  // The file could not be read to its end: it changed since it was looked through.
  [[nodiscard]] const std::optional<Error>& failure() const { return failure_; }

 private:
  void read_next();
  [[nodiscard]] bool begin_again();
  void make_request(const TraceLine& line);

  const scenario::Trace trace_;
  const TraceSummary& summary_;
  const StreamShare share_;
  const std::uint32_t connections_;
  std::optional<TraceReader> reader_;
  TraceLine line_;
  std::optional<TraceRequest> next_;
  bool found_any_ = false;  // in the present round
  Nanos round_begin_{0};    // on the time axis of due
  Nanos last_due_{0};
  std::optional<Error> failure_;
};

}  // namespace headroom::load
