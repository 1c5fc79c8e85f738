// How a worker's load comes to its end: the window that closes, what may still be begun, what will
// have no reply.
#include <algorithm>
#include <utility>

#include "load/worker.h"

namespace headroom::load {

void Worker::note_measure_end(Nanos end) {
  in_flight_at_end_ = {in_flight_, Nanos{0}, recorder_.completed_p99()};
  for (const Connection& connection : connections_) {
    if (connection.queue().begun() == 0) continue;
    in_flight_at_end_.oldest_age =
        std::max(in_flight_at_end_.oldest_age, end - run_time(connection.queue().oldest_sent()));
  }
  if (pacing_) {
    for (const EndedReply& reply : pacing_->travelling) {
      in_flight_at_end_.oldest_age =
          std::max(in_flight_at_end_.oldest_age, end - run_time(reply.sent));
    }
  }
  cut_before(config_.origin + end);
  if (open_loop_) close_schedule(end);
  if (replay_) close_replay(end);
}

// Hands over the intervals that ended before a moment, but for one that ends at it.
void Worker::cut_before(Nanos clock_time) {
  while (recorder_.cut_at() < clock_time) recorder_.cut(gauges(recorder_.cut_at()));
}

// From now on every connection may begin its share of load.requests, and no more: an even one, the
// first connections of the fleet one more.
void Worker::grant_requests() {
  grant_at_ = Nanos::max();
  requests_left_ = 0;
  const std::uint64_t per_worker = config_.load.connections;
  const std::uint64_t all = per_worker * config_.load.workers;
  const std::uint64_t requests = *config_.load.requests;
  for (Connection& connection : connections_) {
    if (!is_for_load(connection.index())) continue;
    const std::uint64_t place = per_worker * index_ + connection.index();
    const std::uint64_t share = requests / all + (place < requests % all ? 1 : 0);
    connection.allow(share);
    requests_left_ += share;
  }
}

void Worker::lift_limits() {
  grant_at_ = Nanos::max();
  requests_left_ = Connection::kUnlimited;
  spent_at_.reset();
  for (Connection& connection : connections_) connection.allow(Connection::kUnlimited);
}

void Worker::begin_drain() {
  deadline_ = drain_deadline_;
  change_at_ = Nanos::max();
  stop_sending();
}

// Nothing new is sent from now on; what was begun is finished.
void Worker::stop_sending() {
  may_send_ = false;
  const Nanos now = clock_.now();
  if (cluster_) {
    drop_unsent(now);
  } else {
    for (Connection& connection : connections_) drop_waiting(connection, now);
  }
  abandon_fills();
  // Nobody measures what a prefill that ended early still waits for.
  if (activity_ == Activity::kPrefill && !done_) {
    const Nanos patience = std::min(config_.load.request_timeout, kPrefillPatience);
    deadline_ = std::min(deadline_, now + patience);
  }
}

// The deadline has come: what has no reply will get none.
void Worker::abandon(Nanos now) {
  lose_travelling(now);
  for (Connection& connection : connections_) {
    if (connection.queue().begun() == 0) continue;
    end_all(connection, record::Outcome::kLost, now);
    connection.close(now);
    give_up_wanting(connection);
    --ready_;
  }
  if (cluster_) lose_routed(now);
}

void Worker::fail_phase(Error error) {
  // It had done its part, and the fleet may be asking whether that failed: what is broken since is
  // for the next phase to mend.
  if (done_) return;
  if (!failure_) failure_ = std::move(error);
  stop_sending();
}

}  // namespace headroom::load
