#include "load/trace_feed.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/text.h"

namespace headroom::load {
namespace {

double speed_of(const scenario::Trace& trace) {
  return trace.timing == scenario::TraceTiming::kScaled ? *trace.speed : 1;
}

Nanos at_speed(Nanos time, double speed) {
  return Nanos{static_cast<std::int64_t>(static_cast<double>(time.count()) / speed)};
}

}  // namespace

TraceFeed::TraceFeed(const scenario::Trace& trace, const TraceSummary& summary,
                     std::uint32_t database, StreamShare share, std::uint32_t connections)
    : trace_(trace), summary_(summary), share_(share), connections_(connections) {
  auto reader = TraceReader::open(trace, database);
  if (!reader) {
    failure_ = std::move(reader.error());
    return;
  }
  reader_.emplace(std::move(*reader));
  read_next();
}

Nanos TraceFeed::mean_gap() const {
  const auto requests = static_cast<std::int64_t>(summary_.requests);
  return at_speed(summary_.length, speed_of(trace_)) / requests * share_.of;
}

TraceRequest TraceFeed::take() {
  check(next_.has_value(), "a request is taken of a trace that has one");
  TraceRequest taken = std::move(*next_);
  read_next();
  return taken;
}

void TraceFeed::read_next() {
  next_.reset();
  for (;;) {
    bool skipped = false;
    const auto more = reader_->next(share_, line_, skipped);
    if (!more) {
      failure_ = more.error();
      return;
    }
    if (!*more && !begin_again()) return;
    if (!*more || skipped) continue;
    found_any_ = true;
    make_request(line_);
    return;
  }
}

// At the end of a round: the next one begins as much later as its requests are apart on average.
bool TraceFeed::begin_again() {
  if (!trace_.loop || !found_any_) return false;
  found_any_ = false;
  if (const Status again = reader_->rewind(); !again) {
    failure_ = again.error();
    return false;
  }
  const auto requests = static_cast<std::int64_t>(summary_.requests);
  const Nanos length = at_speed(summary_.length, speed_of(trace_));
  round_begin_ += length + length / requests;
  return true;
}

void TraceFeed::make_request(const TraceLine& line) {
  TraceRequest& request = next_.emplace();
  if (trace_.timing != scenario::TraceTiming::kFast) {
    // A clock that went back does not change the order.
    request.due =
        std::max(last_due_, round_begin_ + at_speed(line.time - summary_.first, speed_of(trace_)));
    last_due_ = request.due;
  }
  request.connection = static_cast<std::uint32_t>(line.stream / share_.of % connections_);
  request.operation = summary_.operation(line.words.front());
  request.key = printable(line.key());
  request.value_bytes = line.written_bytes();
  request.made_up_bytes = line.made_up_bytes;
  request.head = fmt::format("*{}\r\n", line.words.size());
  std::string* out = &request.head;
  for (std::size_t i = 0; i < line.words.size(); ++i) {
    if (i == 2 && line.made_up_bytes) {
      *out += fmt::format("${}\r\n", *line.made_up_bytes);
      out = &request.tail;
      continue;
    }
    *out += fmt::format("${}\r\n", line.words[i].size());
    *out += line.words[i];
    *out += "\r\n";
  }
}

}  // namespace headroom::load
