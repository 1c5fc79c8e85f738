// Requests that are not sent the moment a slot is free: open loop, think time, emulated round trip.
#include <algorithm>

#include "load/worker.h"

namespace headroom::load {

void Worker::begin_pacing(const Schedule* schedule) {
  const scenario::Load& load = config_.load;
  if (schedule != nullptr) {
    const ArrivalWalk walk(*schedule, index_);
    open_loop_.emplace(OpenLoop{start_at_, measure_end_ - start_at_, walk, walk});
  }
  if (config_.trace) begin_replay();
  const bool thinks = std::ranges::any_of(
      states_, [](const LoadState& state) { return state.think_time.has_value(); });
  if (config_.trace || schedule != nullptr || thinks || load.emulated_rtt || fill_operation_) {
    pacing_.emplace(load.connections);
  }
}

// A connection's first requests of the load. Users that think do not all begin at once: the first
// pause is what is left, at a random moment, of one that goes on.
void Worker::start(Connection& connection, Nanos now) {
  const auto& think_time = think_time_;
  if (!pacing_ || !think_time) {
    offer(connection);
    return;
  }
  pacing_->held[connection.index()] = depth_;
  for (std::uint32_t slot = 0; slot < depth_; ++slot) {
    const double share = think_time->kind == scenario::ThinkTime::Kind::kFixed
                             ? think_random_.uniform()
                             : think_random_.exponential();
    const auto rest = std::chrono::duration_cast<Nanos>(think_time->mean * share);
    pacing_->thinking.emplace(now + rest, connection.index());
  }
}

// The clock time at which there is something to do, if no reply comes before.
Nanos Worker::pacing_wake_by(Nanos now) const {
  Nanos until = Nanos::max();
  if (!pacing_->travelling.empty()) until = pacing_->travelling.front().arrives;
  if (!may_send_) return until;
  if (!pacing_->fetching.empty()) until = std::min(until, pacing_->fetching.top().until);
  if (!pacing_->thinking.empty()) until = std::min(until, pacing_->thinking.top().first);
  if (open_loop_ && open_loop_->next.due() < open_loop_->closes) {
    // What is due already waits for a connection, not for a time.
    const Nanos due = open_loop_->origin + open_loop_->next.due();
    const Nanos gap = open_loop_->next.mean_gap_at(now - open_loop_->origin);
    if (due > now) until = std::min(until, wake_for(due, now, open_loop_->lateness, gap));
    if (due <= now && !pacing_->free.empty()) until = now;
  }
  if (replay_ && replay_->has_room() && replay_->next_due() < Nanos::max()) {
    const Nanos due = replay_->origin + replay_->next_due();
    const Nanos gap = replay_->feed.mean_gap();
    until = std::min(until, due > now ? wake_for(due, now, replay_->lateness, gap) : now);
  }
  return until;
}

// When a wait for a due time is asked to end: so much earlier as it is usually late. Of what is
// left when it was early, the sockets are polled for a tenth of the time between requests at most.
Nanos Worker::wake_for(Nanos due, Nanos now, const WakeLateness& lateness, Nanos gap) {
  constexpr int kPolledShare = 10;
  const Nanos early = lateness.lower_quartile();
  if (due - now > early) return due - early;
  return std::max(now, due - std::min(early, gap / kPolledShare));
}

// Does what it is time for; the clock's reading afterwards.
Nanos Worker::pace(Nanos now) {
  deliver(now);
  if (may_send_) send_fills(now);
  while (may_send_ && !pacing_->thinking.empty() && pacing_->thinking.top().first <= now) {
    const std::uint32_t connection = pacing_->thinking.top().second;
    pacing_->thinking.pop();
    --pacing_->held[connection];
    pacing_->free.push(connection);
  }
  if (open_loop_) {
    release_due(now);
  } else if (replay_) {
    release_recorded(now);
  } else {
    while (may_send_ && !pacing_->free.empty()) {
      const std::uint32_t free = pacing_->free.pop();
      if (cluster_) {
        fill_client(free, Connection::kEndless, Nanos{0});
        continue;
      }
      Connection& connection = connections_[free];
      if (connection.state() == ConnectionState::kReady && !connection.has_unsent()) {
        fill(connection);
      }
    }
  }
  const Nanos ended = clock_.now();
  tick(ended);
  return ended;
}

// Replies whose emulated way is over.
void Worker::deliver(Nanos now) {
  while (!pacing_->travelling.empty() && pacing_->travelling.front().arrives <= now) {
    const EndedReply reply = pacing_->travelling.front();
    pacing_->travelling.pop_front();
    --pacing_->held[reply.connection];
    arrive(reply);
  }
}

void Worker::release_due(Nanos now) {
  FreeConnections& free = pacing_->free;
  const ArrivalWalk& next = open_loop_->next;
  const Nanos until = now - open_loop_->origin;
  while (may_send_ && next.due() <= until && !free.empty()) {
    // Shared, so that nothing queues behind others of its moment while a connection is idle.
    const std::uint64_t share = (next.about_due_by(until) + free.size() - 1) / free.size();
    const std::uint32_t first = free.pop();
    Connection& connection = connections_[first];
    if (cluster_) {
      fill_client(first, share, until);
      if (has_room(first)) free.push(first);
    } else if (connection.state() == ConnectionState::kReady && !connection.has_unsent()) {
      send_due(connection, share, until);
    }
  }
}

// In one write, as many as the connection has room for, `most` at most.
void Worker::send_due(Connection& connection, std::uint64_t most, Nanos until) {
  InFlightQueue& queue = connection.queue();
  ArrivalWalk& next = open_loop_->next;
  const std::uint64_t room = limit(connection);
  batch_.clear();
  Request request;
  for (; most > 0 && !batch_.full() && queue.size() < room && next.due() <= until; --most) {
    if (!next_request(connection, request)) break;
    enqueue(connection, request, run_time(open_loop_->origin + next.due()));
    next.advance();
  }
  if (batch_.size() > 0 && write_batch(connection) && queue.size() < room) offer(connection);
}

// take_reply() for a request whose slot is not free at once, or that has an intended time.
void Worker::end_paced(Connection& connection, const EndedReply& reply) {
  connection.queue().pop();
  const Nanos way = config_.load.emulated_rtt.value_or(Nanos{0});
  if (way == Nanos{0}) {
    arrive(reply);
    return;
  }
  ++pacing_->held[connection.index()];
  pacing_->travelling.push_back(reply);
  pacing_->travelling.back().arrives += way;
}

// A reply is where it is counted: its user goes on.
void Worker::arrive(const EndedReply& reply) {
  settle(reply);
  const bool missed = reply.outcome == record::Outcome::kMiss;
  if (fill_operation_ && missed && may_send_ && generator_.reads_through(reply.operation)) {
    fetch(reply);
  } else if (think_time_) {
    think(reply.connection, reply.arrives);
  } else {
    pacing_->free.push(reply.connection);
  }
}

void Worker::settle(const EndedReply& reply) {
  const Nanos service = reply.arrives - reply.sent;
  recorder_.replied(reply.operation, reply.outcome, service);
  Nanos felt = service;
  if (has_schedule()) {
    felt = run_time(reply.arrives) - reply.intended;
    recorder_.responded(reply.operation, reply.outcome, felt);
  }
  if (recorder_.watch().wants(felt)) [[unlikely]]
    look_at(reply, true);
  if (is_fill(reply.operation)) end_fill(reply.fill, reply.outcome, reply.arrives);
  --in_flight_;
}

void Worker::lose_travelling(Nanos now) {
  if (!pacing_) return;
  for (EndedReply reply : pacing_->travelling) {
    reply.arrives = now;
    reply.outcome = record::Outcome::kLost;
    recorder_.ended(reply.operation, record::Outcome::kLost);
    if (recorder_.watch().active()) look_at(reply, false);
    if (is_fill(reply.operation)) end_fill(reply.fill, reply.outcome, now);
    if (has_schedule()) {
      recorder_.responded(reply.operation, record::Outcome::kLost, run_time(now) - reply.intended);
    }
    --in_flight_;
  }
  pacing_->travelling.clear();
}

void Worker::think(std::uint32_t connection, Nanos from) {
  const scenario::ThinkTime& think_time = *think_time_;
  Nanos pause = think_time.mean;
  if (think_time.kind == scenario::ThinkTime::Kind::kExponential) {
    pause = std::chrono::duration_cast<Nanos>(pause * think_random_.exponential());
  }
  ++pacing_->held[connection];
  pacing_->thinking.emplace(from + pause, connection);
}

// Requests that were made for a connection which cannot send them any more. In open loop they had
// been due; nobody misses the others.
void Worker::drop_waiting(Connection& connection, Nanos now) {
  if (cluster_) {  // another connection may yet send them
    take_back(connection);
    return;
  }
  if (has_schedule() || fill_operation_) {
    connection.queue().for_each_waiting([&](std::uint8_t operation, Nanos intended) {
      if (is_fill(operation)) {
        abandon_fill();
      } else if (has_schedule()) {
        recorder_.unsent(operation, run_time(now) - intended);
        settle_scheduled();
      }
    });
  }
  connection.drop_waiting();
}

// Nothing is due from `end` (run time) on, and what was due and not sent never will be. Which
// operations those would have been is drawn as it is for those that are sent.
void Worker::close_schedule(Nanos end) {
  OpenLoop& open = *open_loop_;
  const Nanos closing = config_.origin + end - open.origin;
  open.closes = std::min(open.closes, closing);
  if (cluster_) {
    drop_unsent(config_.origin + end);
  } else {
    for (Connection& connection : connections_) drop_waiting(connection, config_.origin + end);
  }
  std::size_t turn = 0;
  Request request;
  for (; open.next.due() < open.closes; open.next.advance()) {
    if (cluster_) {
      request = generator_.draw(connections_[turn].streams());
    } else if (!next_request(connections_[turn], request)) {
      break;
    }
    recorder_.unsent(request.operation, closing - open.next.due());
    ++open.settled;
    turn = is_for_load(turn + 1) ? turn + 1 : 0;
  }
}

}  // namespace headroom::load
