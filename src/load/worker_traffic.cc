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
    read_replies(connection, static_cast<std::size_t>(bytes), now);
  } while (connection.stream().has_buffered());
}

void Worker::read_replies(Connection& connection, std::size_t bytes, Nanos now) {
  const char* at = read_buffer_.data();
  const char* const end = at + bytes;
  resp::Reply reply;
  for (;;) {
    const char* const begin = at;
    const resp::ParseResult result = connection.parser().next(at, end, reply);
    if (result == resp::ParseResult::kReply) [[likely]] {
      if (generator_.verifies()) note_body(connection, reply, begin, at);
      if (!take_reply(connection, reply, now)) return;
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
  if (cluster_) [[unlikely]] {
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
bool Worker::take_reply(Connection& connection, const resp::Reply& reply, Nanos now) {
  if (connection.state() != ConnectionState::kReady) [[unlikely]] {
    return take_greeting(connection, reply, now);
  }
  if (reply.type == resp::ReplyType::kPush) [[unlikely]]
    return true;
  InFlightQueue& queue = connection.queue();
  if (queue.begun() == 0) [[unlikely]] {
    lose(connection, "it sent a reply that no request waits for", now);
    return false;
  }
  if (cluster_) [[unlikely]]
    return take_routed(connection, reply, now);
  const std::uint8_t operation = queue.oldest_operation();
  record::Outcome outcome = record::Outcome::kOk;
  if (generator_.replies(operation) == 1) [[likely]] {
    outcome = generator_.classify(operation, reply);
    if (generator_.verifies()) [[unlikely]]
      outcome = verified(connection, outcome, now);
  } else if (!take_part(connection, reply, outcome, now)) {
    return true;
  }
  if (pacing_) {
    end_paced(connection, operation, outcome, now);
  } else {
    recorder_.replied(operation, outcome, now - queue.oldest_sent());
    queue.pop();
    --in_flight_;
  }
  if (!record::is_completed(outcome)) [[unlikely]] {
    if (outcome != record::Outcome::kCorrupt)
      take_bad_reply(connection, operation, reply, outcome, now);
  } else if (activity_ == Activity::kPrefill) {
    prefilled_.store(prefilled_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  return true;
}

Request& Worker::verified_request(const Connection& connection, std::uint32_t slot) {
  if (cluster_) return routed_at(connection, slot).request;
  const std::size_t capacity = verified_requests_.size() / config_.load.connections;
  return verified_requests_[connection.index() * capacity + slot];
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
  const Request& request = verified_request(connection, connection.queue().oldest_slot());
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
bool Worker::next_request(Connection& connection, Request& request) {
  if (activity_ == Activity::kPrefill) [[unlikely]] {
    if (next_key_ == generator_.keys()) return false;
    request = generator_.prefill(next_key_++);
    return true;
  }
  if (!connection.spend_request()) [[unlikely]]
    return false;
  request = generator_.draw(connection.streams());
  return true;
}

// The request becomes the connection's next one, and goes into the batch. `intended` is run time.
void Worker::enqueue(Connection& connection, Request& request, Nanos intended) {
  connection.queue().push(request.operation, batch_.size(), intended);
  if (generator_.verifies()) [[unlikely]] {
    generator_.begin(request);
    verified_request(connection, connection.queue().newest_slot()) = request;
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
  InFlightQueue& queue = connection.queue();
  const std::uint64_t most = limit(connection);
  while (may_send_ && queue.size() < most) {
    batch_.clear();
    Request request;
    while (!batch_.full() && queue.size() < most && next_request(connection, request)) {
      enqueue(connection, request, Nanos{0});
    }
    if (batch_.size() == 0 || !write_batch(connection)) return;
  }
}

// True if the stream took it all and has pushed it out.
bool Worker::write_batch(Connection& connection) {
  const Nanos sent = clock_.now();
  tick(sent);
  if (!may_send_) {  // the window closed on this very reading, and took the requests back
    connection.drop_waiting();
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
  const auto begun = [this, &connection, sent](std::uint8_t operation, Nanos intended) {
    if (cluster_ && !began_routed(connection, sent)) [[unlikely]]
      return;
    recorder_.sent(operation);
    ++in_flight_;
    (cluster_ ? connections_[client_of(connection)] : connection).spend();
    --requests_left_;
    if (open_loop_) {
      recorder_.kept_schedule(run_time(sent) - intended);
      ++open_loop_->settled;
    }
  };
  connection.queue().wrote(static_cast<std::size_t>(taken), sent, begun);
  return true;
}

// The oldest request of a connection ends without a reply.
void Worker::end_oldest(Connection& connection, record::Outcome outcome, Nanos now) {
  InFlightQueue& queue = connection.queue();
  if (cluster_) {
    const RoutedRequest routed = routed_at(connection, queue.oldest_slot());
    queue.pop();
    end_unanswered(routed, node_index(connection), outcome, now);
    return;
  }
  recorder_.ended(queue.oldest_operation(), outcome);
  if (open_loop_) {
    recorder_.responded(queue.oldest_operation(), outcome, run_time(now) - queue.oldest_intended());
  }
  queue.pop();
  --in_flight_;
}

}  // namespace headroom::load
