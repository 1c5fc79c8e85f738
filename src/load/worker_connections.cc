// How a worker opens its connections, loses them and opens them again.
#include <fmt/format.h>

#include <cerrno>

#include "base/text.h"
#include "base/units.h"
#include "load/backoff.h"
#include "load/worker.h"
#include "net/socket.h"

namespace headroom::load {

void Worker::open(Connection& connection, Nanos now) {
  auto fd = net::start_connect(server_of(connection).address);
  if (!fd) {
    attempt_failed(connection, fd.error(), now);
    return;
  }
  // Writable when the attempt has ended, one way or the other.
  if (Status added = epoll_->add(fd->get(), EPOLLIN | EPOLLOUT, connection.index()); !added) {
    attempt_failed(connection, added.error(), now);
    return;
  }
  connection.connecting(std::move(*fd), now);
  ++attempts_;
}

// A connection that is being opened has something to tell: goes on with its present step.
void Worker::advance(Connection& connection) {
  const Nanos now = clock_.now();
  tick(now);
  if (connection.state() == ConnectionState::kConnecting) {
    connected(connection, now);
  } else if (connection.state() == ConnectionState::kSecuring) {
    secure(connection, now);
  }
}

// The attempt has ended.
void Worker::connected(Connection& connection, Nanos now) {
  if (Status status = net::finish_connect(connection.fd(), server_of(connection).address);
      !status) {
    attempt_failed(connection, status.error(), now);
    return;
  }
  step_done(connection, record::ConnectStep::kConnect, now);
  epoll_->modify(connection.fd(), EPOLLIN, connection.index());
  if (server_.tls == nullptr) {
    greet(connection, now);
    return;
  }
  connection.securing(*server_.tls, now);
  secure(connection, now);
}

// Takes the TLS handshake as far as it goes now.
void Worker::secure(Connection& connection, Nanos now) {
  switch (connection.stream().handshake()) {
    case net::TlsProgress::kWantsRead:
      epoll_->modify(connection.fd(), EPOLLIN, connection.index());
      return;
    case net::TlsProgress::kWantsWrite:
      epoll_->modify(connection.fd(), EPOLLIN | EPOLLOUT, connection.index());
      return;
    case net::TlsProgress::kFailed:
      attempt_failed(
          connection,
          {ErrorKind::kTarget, fmt::format("{}: {}", server_of(connection).address.text(),
                                           connection.stream().failure_text(0))},
          now);
      return;
    case net::TlsProgress::kDone:
      break;
  }
  const Nanos done = clock_.now();  // the handshake's own arithmetic is a part of its time
  tick(done);
  step_done(connection, record::ConnectStep::kTls, done);
  epoll_->modify(connection.fd(), EPOLLIN, connection.index());
  greet(connection, done);
}

void Worker::greet(Connection& connection, Nanos now) {
  connection.greeting(static_cast<std::uint32_t>(greeting_steps_.size()), now);
  const ssize_t taken = connection.send(greeting_);
  if (taken == static_cast<ssize_t>(greeting_.size()) && !connection.has_unsent()) {
    recorder_.health().bytes_sent += greeting_.size();
    return;
  }
  // The server closed it, and may have said why before: let read() look.
  if (taken == -EPIPE || taken == -ECONNRESET) return;
  // A fresh socket takes a short message whole, or is broken.
  const std::string reason =
      taken < 0 ? connection.stream().failure_text(taken) : std::string("it is full");
  attempt_failed(connection,
                 {ErrorKind::kTarget, fmt::format("{}: cannot send on a new connection: {}",
                                                  server_of(connection).address.text(), reason)},
                 now);
}

void Worker::step_done(const Connection& connection, record::ConnectStep step, Nanos now) {
  recorder_.opened({step, connection.was_ready()}, now - connection.step_began());
}

// A reply to the next step of the greeting. False if the connection was closed.
bool Worker::take_greeting(Connection& connection, const resp::Reply& reply, Nanos now) {
  if (reply.type == resp::ReplyType::kPush) return true;
  const bool aggregate =
      reply.type == resp::ReplyType::kMap || reply.type == resp::ReplyType::kArray;
  const auto answer = reply.type == resp::ReplyType::kSimple  ? resp::GreetingAnswer::kStatus
                      : reply.type == resp::ReplyType::kError ? resp::GreetingAnswer::kError
                      : aggregate                             ? resp::GreetingAnswer::kAggregate
                                                              : resp::GreetingAnswer::kOther;
  const resp::GreetingStep step =
      greeting_steps_[greeting_steps_.size() - connection.greetings_left()];
  if (const auto fault = resp::greeting_fault(server_of(connection), step, answer, reply.text)) {
    attempt_failed(connection, {ErrorKind::kTarget, *fault}, now);
    return false;
  }
  if (!connection.greeted()) return true;

  step_done(connection, record::ConnectStep::kGreeting, now);
  const std::uint32_t failures = connection.failures();
  const bool planned = connection.renewing() && failures == 0;
  connection.ready(is_idle(connection) ? 0 : requests_per_connection_);
  --attempts_;
  ++ready_;
  if (is_idle(connection)) ++idle_ready_;
  ++recorder_.health().connections_opened;
  if (activity_ != Activity::kConnect && !planned && reconnected_events_.admit()) {
    event(record::EventKind::kReconnected,
          fmt::format("{} is open again, after {} failed attempts", name(connection), failures),
          now);
  }
  return true;
}

void Worker::attempt_failed(Connection& connection, const Error& error, Nanos now) {
  if (connection.state() != ConnectionState::kClosed) --attempts_;
  connection.close(now);
  connection.failed();
  ++recorder_.health().connections_refused;
  if (cluster_) begin_outage(node_index(connection), now);
  if (activity_ == Activity::kConnect) {
    if (net::backlog_full(error)) {
      reopen_later(connection, now);
    } else {
      fail_phase(error);
    }
    return;
  }
  if (refused_events_.admit()) {
    event(record::EventKind::kNote,
          fmt::format("{} cannot be opened again: {}", name(connection), error.message), now);
  }
  reopen_later(connection, now);
}

void Worker::lose(Connection& connection, std::string_view reason, Nanos now) {
  if (connection.state() != ConnectionState::kReady) {
    attempt_failed(connection,
                   {ErrorKind::kTarget, fmt::format("{}: a new connection broke: {}",
                                                    server_of(connection).address.text(), reason)},
                   now);
    return;
  }
  const std::uint32_t lost = connection.queue().begun();
  end_all(connection, record::Outcome::kLost, now);
  lost_connection(connection, reason, lost, now);
}

// No reply to the oldest request within the limit. Replies come in order, so nothing behind it can
// be answered either: the connection is of no more use.
void Worker::time_out(Connection& connection, Nanos now) {
  last_end_ = now;
  if (cluster_) begin_outage(node_index(connection), connection.queue().oldest_sent());
  end_oldest(connection, record::Outcome::kTimeout, now);
  const std::uint32_t lost = connection.queue().begun();
  end_all(connection, record::Outcome::kLost, now);
  lost_connection(connection,
                  fmt::format("no reply within {}", print_duration(config_.load.request_timeout)),
                  lost, now);
}

// Ends every request that was begun.
void Worker::end_all(Connection& connection, record::Outcome outcome, Nanos now) {
  drop_waiting(connection, now);
  while (connection.queue().begun() > 0) end_oldest(connection, outcome, now);
}

// A ready connection is gone; its requests have been accounted for.
void Worker::lost_connection(Connection& connection, std::string_view reason,
                             std::uint32_t requests_lost, Nanos now) {
  connection.close(now);
  --ready_;
  if (is_idle(connection)) --idle_ready_;
  ++recorder_.health().connections_lost;
  if (cluster_) begin_outage(node_index(connection), now);
  const std::string text = fmt::format("{} was lost: {}; {} requests were lost with it",
                                       name(connection), reason, requests_lost);
  if (lost_events_.admit()) event(record::EventKind::kConnectionLost, text, now);
  if (activity_ == Activity::kConnect || activity_ == Activity::kPrefill) {
    fail_phase(
        {activity_ == Activity::kConnect ? ErrorKind::kTarget : ErrorKind::kIncomplete, text});
    return;
  }
  reopen_later(connection, now);
}

// Closes a connection that has had its share of requests, once all of them are answered, and opens
// it again at once.
void Worker::renew(Connection& connection, Nanos now) {
  const bool answered =
      connection.state() == ConnectionState::kReady && connection.queue().size() == 0;
  if (is_idle(connection) || !answered || !may_reopen()) return;
  connection.renew(now);
  --ready_;
  ++recorder_.health().connections_renewed;
  open(connection, now);
}

// The clock time at which connect() opens this one: those of all workers in turn.
Nanos Worker::opens_at(std::uint32_t connection) const {
  const auto workers = std::int64_t{config_.load.workers};
  const std::int64_t position = std::int64_t{connection} * workers + index_;
  const std::int64_t all = std::ssize(connections_) * workers;
  return connect_begin_ + config_.load.connect_spread / all * position;
}

bool Worker::may_reopen() const {
  if (failure_) return false;
  return activity_ == Activity::kConnect || activity_ == Activity::kLoad;
}

void Worker::reopen_later(Connection& connection, Nanos now) {
  if (!may_reopen() || !still_wanted(connection)) {
    give_up_wanting(connection);
    return;
  }
  reopenings_.emplace(now + backoff(connection.failures(), backoff_random_), connection.index());
}

std::string Worker::name(const Connection& connection) const {
  return fmt::format("worker {}, connection {} to {}", index_,
                     cluster_ ? client_of(connection) : connection.index(),
                     server_of(connection).address.text());
}

void Worker::event(record::EventKind kind, std::string text, Nanos now) {
  config_.sink->event({run_time(now), kind, std::move(text)});
}

}  // namespace headroom::load
