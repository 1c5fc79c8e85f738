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
  auto fd = net::start_connect(address_);
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

// The attempt has ended.
void Worker::connected(Connection& connection, Nanos now) {
  if (Status status = net::finish_connect(connection.fd(), address_); !status) {
    attempt_failed(connection, status.error(), now);
    return;
  }
  epoll_->modify(connection.fd(), EPOLLIN, connection.index());
  const ssize_t taken = connection.send(greeting_);
  if (taken != static_cast<ssize_t>(greeting_.size())) {
    // A fresh socket takes a short message whole, or is broken.
    attempt_failed(connection,
                   {ErrorKind::kTarget,
                    fmt::format("{}: cannot send on a new connection: {}", address_.text(),
                                taken < 0 ? errno_text(static_cast<int>(-taken)) : "it is full")},
                   now);
    return;
  }
  recorder_.health().bytes_sent += greeting_.size();
  connection.greeting(greeting_replies_);
}

// A reply to AUTH, or the last one, to PING. False if the connection was closed.
bool Worker::take_greeting(Connection& connection, const resp::Reply& reply, Nanos now) {
  const bool is_error = reply.type == resp::ReplyType::kError;
  const bool to_auth = connection.greetings_left() > 1;
  // A user who may not PING may still read and write.
  const bool forbidden_ping = !to_auth && is_error && reply.text.starts_with("NOPERM");
  if (reply.type != resp::ReplyType::kSimple && !forbidden_ping) {
    attempt_failed(connection,
                   {ErrorKind::kTarget,
                    fmt::format("{}: {}: {}", address_.text(),
                                to_auth ? "AUTH was refused" : "PING was not answered as expected",
                                is_error ? printable(reply.text) : "not a simple reply")},
                   now);
    return false;
  }
  if (!connection.greeted()) return true;

  const std::uint32_t failures = connection.failures();
  connection.ready();
  --attempts_;
  ++ready_;
  ++recorder_.health().connections_opened;
  if (activity_ != Activity::kConnect && reconnected_events_.admit()) {
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
                   {ErrorKind::kTarget,
                    fmt::format("{}: a new connection broke: {}", address_.text(), reason)},
                   now);
    return;
  }
  const std::uint32_t lost = connection.queue().begun();
  end_all(connection, record::Outcome::kLost);
  lost_connection(connection, reason, lost, now);
}

// No reply to the oldest request within the limit. Replies come in order, so nothing behind it can
// be answered either: the connection is of no more use.
void Worker::time_out(Connection& connection, Nanos now) {
  InFlightQueue& queue = connection.queue();
  last_end_ = now;
  recorder_.ended(queue.oldest_operation(), record::Outcome::kTimeout);
  queue.pop();
  --in_flight_;
  const std::uint32_t lost = queue.begun();
  end_all(connection, record::Outcome::kLost);
  lost_connection(connection,
                  fmt::format("no reply within {}", print_duration(config_.load.request_timeout)),
                  lost, now);
}

// Ends every request that was begun.
void Worker::end_all(Connection& connection, record::Outcome outcome) {
  InFlightQueue& queue = connection.queue();
  queue.drop_waiting();
  while (queue.begun() > 0) {
    recorder_.ended(queue.oldest_operation(), outcome);
    queue.pop();
    --in_flight_;
  }
}

// A ready connection is gone; its requests have been accounted for.
void Worker::lost_connection(Connection& connection, std::string_view reason,
                             std::uint32_t requests_lost, Nanos now) {
  connection.close(now);
  --ready_;
  ++recorder_.health().connections_lost;
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

bool Worker::may_reopen() const {
  if (failure_) return false;
  return activity_ == Activity::kConnect || activity_ == Activity::kLoad;
}

void Worker::reopen_later(Connection& connection, Nanos now) {
  if (!may_reopen()) return;
  reopenings_.emplace(now + backoff(connection.failures(), backoff_random_), connection.index());
}

std::string Worker::name(const Connection& connection) const {
  return fmt::format("worker {}, connection {} to {}", index_, connection.index(), address_.text());
}

void Worker::event(record::EventKind kind, std::string text, Nanos now) {
  config_.sink->event({run_time(now), kind, std::move(text)});
}

}  // namespace headroom::load
