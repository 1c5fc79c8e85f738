// The hot path: requests out, replies in.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "base/text.h"
#include "base/units.h"
#include "load/worker.h"

namespace headroom::load {
namespace {

// Distinct kinds of error reply that are told one by one.
constexpr std::size_t kErrorCodesTold = 8;

std::string_view error_code(std::string_view text) { return text.substr(0, text.find(' ')); }

// What to do about a bad reply, where that is known.
std::string_view remedy_of(std::string_view text, record::Outcome outcome) {
  if (outcome == record::Outcome::kRejected)
    return "; use fewer keys, more memory, or a policy that evicts";
  const std::string_view code = error_code(text);
  if (code == "MOVED" || code == "ASK")
    return "; it is one node of a cluster: set target.cluster = true to load all of it";
  return "";
}

}  // namespace

void Worker::read(Connection& connection) {
  do {
    const ssize_t bytes = connection.receive(read_buffer_);
    const Nanos now = clock_.now();
    tick(now);
    last_end_ = now;  // if a request ends by what was read
    if (bytes <= 0) [[unlikely]] {
      if (bytes == -EAGAIN || bytes == -EINTR) return;
      lose(connection,
           bytes == 0 ? "the server closed it" : connection.stream().failure_text(bytes), now);
      return;
    }
    recorder_.health().bytes_received += static_cast<std::uint64_t>(bytes);
    const std::string_view received(read_buffer_.data(), static_cast<std::size_t>(bytes));
    if (is_plain() && connection.state() == ConnectionState::kReady) [[likely]]
      read_replies<Traffic::kPlain>(connection, received, now);
    else
      read_replies<Traffic::kAny>(connection, received, now);
  } while (connection.stream().has_buffered());
}

template <Worker::Traffic kTraffic>
void Worker::read_replies(Connection& connection, std::string_view received, Nanos now) {
  constexpr bool kPlain = kTraffic == Traffic::kPlain;
  const char* at = received.data();
  const char* const end = at + received.size();
  resp::Reply reply;
  for (;;) {
    const char* const begin = at;
    const resp::ParseResult result = connection.parser().next(at, end, reply);
    if (result == resp::ParseResult::kReply) [[likely]] {
      if (!kPlain && generator_.verifies()) note_body(connection, reply, begin, at);
      if (!take_reply<kTraffic>(connection, reply, now)) return;
    } else if (result == resp::ParseResult::kMore) {
      break;
    } else {
      const std::string_view seen(at, static_cast<std::size_t>(end - at));
      lose(connection,
           fmt::format("what it answered is no RESP ({}): \"{}\"", connection.parser().fault(),
                       printable(seen, 60)),
           now);
      return;
    }
  }
  if (!kPlain && cluster_) {
    send_waiting(connection);
    if (may_send_) offer_client(client_of(connection));
    return;
  }
  if (may_send_ && connection.state() == ConnectionState::kReady && !connection.has_unsent()) {
    offer(connection);
    if (connection.is_spent()) [[unlikely]]
      renew(connection, now);
  }
}

// False if the connection was closed.
template <Worker::Traffic kTraffic>
bool Worker::take_reply(Connection& connection, const resp::Reply& reply, Nanos now) {
  constexpr bool kPlain = kTraffic == Traffic::kPlain;
  if (!kPlain && connection.state() != ConnectionState::kReady)
    return take_greeting(connection, reply, now);
  if (reply.type == resp::ReplyType::kPush) [[unlikely]]
    return true;
  InFlightQueue& queue = connection.queue();
  if (queue.begun() == 0) [[unlikely]] {
    lose(connection, "it sent a reply that no request waits for", now);
    return false;
  }
  if (!kPlain && cluster_) return take_routed(connection, reply, now);
  const std::uint8_t operation = queue.oldest_operation();
  record::Outcome outcome = record::Outcome::kOk;
  if (kPlain || generator_.replies(operation) == 1) {
    outcome = generator_.classify(operation, reply);
    if (!kPlain && generator_.verifies()) outcome = verified(connection, outcome, now);
  } else if (!take_part(connection, reply, outcome, now)) {
    return true;
  }
  if (!kPlain && pacing_) {
    EndedReply ended = oldest_as_ended(connection, outcome, now);
    if (reply.type == resp::ReplyType::kBulk)
      ended.read_bytes = static_cast<std::uint64_t>(reply.number);
    end_paced(connection, ended);
  } else {
    const Nanos latency = now - queue.oldest_sent();
    recorder_.replied(operation, outcome, latency);
    if (recorder_.watch().wants(latency)) [[unlikely]] {
      EndedReply ended = oldest_as_ended(connection, outcome, now);
      if (reply.type == resp::ReplyType::kBulk)
        ended.read_bytes = static_cast<std::uint64_t>(reply.number);
      look_at(ended, true);
    }
    queue.pop();
    --in_flight_;
  }
  if (!record::is_completed(outcome)) [[unlikely]] {
    if (outcome != record::Outcome::kCorrupt)
      take_bad_reply(connection, operation, reply, outcome, now);
  } else if (!kPlain && activity_ == Activity::kPrefill) {
    prefilled_.store(prefilled_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  return true;
}

// The oldest request of a connection, as one that ends now.
EndedReply Worker::oldest_as_ended(Connection& connection, record::Outcome outcome, Nanos now) {
  const InFlightQueue& queue = connection.queue();
  EndedReply ended{.arrives = now,
                   .sent = queue.oldest_sent(),
                   .intended = queue.oldest_intended(),
                   .connection = connection.index(),
                   .operation = queue.oldest_operation(),
                   .outcome = outcome,
                   .slot = queue.oldest_slot()};
  if (keeps_requests_) ended.request = request_in(connection, queue.oldest_slot());
  if (is_fill(ended.operation)) {
    const std::size_t first = std::size_t{connection.index()} << slot_bits_;
    ended.fill = fill_starts_[first + queue.oldest_slot()];
  }
  return ended;
}

// Tells the watch of a request that it wants to know of.
void Worker::look_at(const EndedReply& reply, bool answered) {
  EndedRequest ended{.operation = reply.operation,
                     .outcome = reply.outcome,
                     .hot = generator_.hot(reply.request),
                     .value_bytes = reply.read_bytes};
  const std::size_t first = std::size_t{reply.connection} << slot_bits_;
  const Recorded* const recorded = recorded_.empty() ? nullptr : &recorded_[first + reply.slot];
  if (!ended.value_bytes) {
    ended.value_bytes =
        recorded != nullptr ? recorded->value_bytes : generator_.written_bytes(reply.request);
  }
  if (answered) ended.service = reply.arrives - reply.sent;
  if (has_schedule()) ended.response = run_time(reply.arrives) - reply.intended;
  if (!recorder_.watch().ended(ended)) return;
  recorder_.watch().remember(
      {.sent = run_time(reply.sent),
       .worker = index_,
       .connection = reply.connection,
       .operation = reply.operation,
       .outcome = reply.outcome,
       .key = recorded != nullptr ? recorded->key : printable(generator_.key_of(reply.request)),
       .value_bytes = ended.value_bytes,
       .service = ended.service,
       .response = ended.response});
}

// The reply lay in [begin, end), or at its end there.
void Worker::note_body(const Connection& connection, const resp::Reply& reply, const char* begin,
                       const char* end) {
  body_ = {};
  if (reply.type != resp::ReplyType::kBulk) return;
  const auto bytes = static_cast<std::size_t>(reply.number);
  // "$", the length and two line ends, if all of it came at once.
  const std::size_t whole = 1 + decimal_digits(bytes) + 2 + bytes + 2;
  const bool at_once = static_cast<std::size_t>(end - begin) == whole;
  body_ = at_once ? std::string_view(end - 2 - bytes, bytes)
                  : std::string_view(bodies_[connection.index()]);
}

record::Outcome Worker::verified(Connection& connection, record::Outcome outcome, Nanos now) {
  const Request& request = request_in(connection, connection.queue().oldest_slot());
  const ReplyFault fault = generator_.end(request, outcome, body_);
  if (fault == ReplyFault::kSound) return outcome;
  if (corrupt_events_.admit()) {
    event(record::EventKind::kNote,
          fmt::format("{}: the value of {} {}", name(connection), generator_.key_of(request),
                      fault_text(fault)),
          now);
  }
  return record::Outcome::kCorrupt;
}

// One of the replies to a transaction. True if it was the last: `outcome` is then that of all.
bool Worker::take_part(Connection& connection, const resp::Reply& reply, record::Outcome& outcome,
                       Nanos now) {
  const std::uint8_t operation = connection.queue().oldest_operation();
  InFlightQueue::Parts& parts = connection.queue().oldest_parts();
  const bool last = ++parts.replies == generator_.replies(operation);
  const record::Outcome part = classify_in_transaction(last, reply);
  if (!record::is_completed(part) && record::is_completed(parts.outcome)) {
    parts.outcome = part;
    // The first failure says why; what follows from it, EXECABORT, does not.
    if (!last) take_bad_reply(connection, operation, reply, part, now);
  }
  outcome = parts.outcome;
  return last;
}

void Worker::take_bad_reply(const Connection& connection, std::uint8_t operation,
                            const resp::Reply& reply, record::Outcome outcome, Nanos now) {
  const std::string_view verb = generator_.operation_name(operation);
  const std::string text = reply.type == resp::ReplyType::kError ? printable(reply.text)
                           : reply.error_inside ? std::string("a reply that has an error inside")
                                                : std::string("a reply of a type it never gives");
  if (activity_ == Activity::kPrefill) {
    fail_phase(
        {ErrorKind::kTarget,
         fmt::format("{}: {} was refused after worker {} had written {} of its {} keys: {}{}",
                     server_of(connection).address.text(), verb, index_, grouped(prefilled()),
                     grouped(generator_.keys()), text, remedy_of(text, outcome))});
    return;
  }
  const std::string code(error_code(reply.text));
  if (error_codes_.size() >= kErrorCodesTold ||
      std::find(error_codes_.begin(), error_codes_.end(), code) != error_codes_.end()) {
    return;
  }
  error_codes_.push_back(code);
  event(record::EventKind::kNote,
        fmt::format("{}: {} was answered with: {}{}", name(connection), verb, text,
                    remedy_of(text, outcome)),
        now);
}

// False when there is nothing more to ask in this phase.
template <Worker::Traffic kTraffic>
bool Worker::next_request(Connection& connection, Request& request) {
  if (kTraffic != Traffic::kPlain && activity_ == Activity::kPrefill) {
    if (next_key_ == generator_.keys()) return false;
    request = generator_.prefill(next_key_++);
    return true;
  }
  if (!connection.spend_request()) [[unlikely]]
    return false;
  request = generator_.draw(connection.streams());
  if (keeps_requests_) generator_.note_hot(request);
  return true;
}

// The request becomes the connection's next one, and goes into the batch. `intended` is run time.
template <Worker::Traffic kTraffic>
void Worker::enqueue(Connection& connection, Request& request, Nanos intended) {
  constexpr bool kPlain = kTraffic == Traffic::kPlain;
  connection.queue().push(request.operation, batch_.size(), intended);
  if (keeps_requests_) {
    if (!kPlain && generator_.verifies()) generator_.begin(request);
    request_in<kTraffic>(connection, connection.queue().newest_slot()) = request;
  }
  generator_.encode(request, connection.streams(), batch_);
}

// Requests that the connection may have in flight.
std::uint64_t Worker::limit(const Connection& connection) const {
  const std::uint32_t held = pacing_ ? pacing_->held[connection.index()] : 0;
  const std::uint64_t room = depth_ - held;
  // None waits to be sent: what may still be begun is room beyond those that were.
  return connection.allowance() < room
             ? std::min(room, connection.queue().size() + connection.allowance())
             : room;
}

// Sends as many requests as the connection has room for, in as few writes as their size allows:
// one, unless they exceed a batch.
void Worker::fill(Connection& connection) {
  if (is_plain()) [[likely]]
    fill_with<Traffic::kPlain>(connection);
  else
    fill_with<Traffic::kAny>(connection);
}

template <Worker::Traffic kTraffic>
void Worker::fill_with(Connection& connection) {
  InFlightQueue& queue = connection.queue();
  const std::uint64_t most = limit(connection);
  while (may_send_ && queue.size() < most) {
    batch_.clear();
    Request request;
    while (!batch_.full() && queue.size() < most && next_request<kTraffic>(connection, request)) {
      enqueue<kTraffic>(connection, request, Nanos{0});
    }
    if (batch_.size() == 0 || !write_batch(connection)) return;
  }
}

// True if the stream took it all and has pushed it out.
bool Worker::write_batch(Connection& connection) {
  const Nanos sent = clock_.now();
  tick(sent);
  if (!may_send_) {  // the window closed on this very reading, and took the requests back
    drop_waiting(connection, sent);
    return false;
  }
  const ssize_t taken = connection.send(batch_.bytes(), batch_.tail());
  if (!account_write(connection, taken, sent)) return false;
  const auto went = static_cast<std::size_t>(taken);
  if (went == batch_.size() + batch_.tail().size() && !connection.has_unsent()) [[likely]]
    return true;
  connection.keep_unsent(batch_.bytes(), batch_.tail(), went);
  epoll_->modify(connection.fd(), EPOLLIN | EPOLLOUT, connection.index());
  return false;
}

void Worker::write_rest(Connection& connection) {
  const Nanos sent = clock_.now();
  tick(sent);
  if (connection.has_unsent()) {
    const ssize_t taken = connection.send(connection.rest(), connection.tail());
    if (!account_write(connection, taken, sent)) return;
    connection.sent_more(static_cast<std::size_t>(taken));
    if (connection.has_unsent()) return;
  }
  epoll_->modify(connection.fd(), EPOLLIN, connection.index());
  if (may_send_ || cluster_) offer(connection);
}

// Counts as sent what a write call, before which the clock said `sent`, began. False if the
// connection broke and was closed.
bool Worker::account_write(Connection& connection, ssize_t taken, Nanos sent) {
  if (taken < 0) [[unlikely]] {
    last_end_ = sent;
    lose(connection, connection.stream().failure_text(taken), sent);
    return false;
  }
  recorder_.health().bytes_sent += static_cast<std::uint64_t>(taken);
  if (is_plain()) [[likely]] {
    std::uint64_t requests = 0;
    connection.queue().wrote(static_cast<std::size_t>(taken), sent,
                             [this, &requests](std::uint8_t operation, Nanos) {
                               recorder_.sent(operation);
                               ++requests;
                             });
    in_flight_ += requests;
    requests_left_ -= requests;
    connection.spend(requests);
    return true;
  }
  const auto begun = [this, &connection, sent](std::uint8_t operation, Nanos intended) {
    if (cluster_ && !began_routed(connection, sent)) [[unlikely]]
      return;
    recorder_.sent(operation);
    ++in_flight_;
    if (is_fill(operation)) return;  // no request that was asked for, but a part of one
    (cluster_ ? connections_[client_of(connection)] : connection).spend(1);
    --requests_left_;
    if (has_schedule()) {
      recorder_.kept_schedule(run_time(sent) - intended);
      settle_scheduled();
    }
  };
  connection.queue().wrote(static_cast<std::size_t>(taken), sent, begun);
  return true;
}

// The oldest request of a connection ends without a reply.
void Worker::end_oldest(Connection& connection, record::Outcome outcome, Nanos now) {
  if (cluster_) {
    const RoutedRequest routed = routed_at(connection, connection.queue().oldest_slot());
    connection.queue().pop();
    end_unanswered(routed, node_index(connection), outcome, now);
    return;
  }
  const EndedReply ended = oldest_as_ended(connection, outcome, now);
  recorder_.ended(ended.operation, outcome);
  if (has_schedule()) recorder_.responded(ended.operation, outcome, run_time(now) - ended.intended);
  if (recorder_.watch().active()) look_at(ended, false);
  if (is_fill(ended.operation)) end_fill(ended.fill, outcome, now);
  connection.queue().pop();
  --in_flight_;
}

// Of the other files of the worker.
template bool Worker::next_request<Worker::Traffic::kAny>(Connection&, Request&);
template void Worker::enqueue<Worker::Traffic::kAny>(Connection&, Request&, Nanos);

}  // namespace headroom::load
