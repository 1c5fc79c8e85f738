// Requests of a trace: read as they are needed, sent in their order, each stream on its connection.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "load/worker.h"

namespace headroom::load {

void Worker::begin_replay() {
  const scenario::Trace& trace = config_.workload.trace;
  replay_.emplace(Replay{
      .feed = TraceFeed(trace, *config_.trace, config_.server.database,
                        {.index = index_, .of = config_.load.workers}, config_.load.connections),
      .timed = trace.timing != scenario::TraceTiming::kFast,
      .origin = start_at_,
      .closes = measure_end_ - start_at_,
      .queues = {}});
  replay_->queues.resize(config_.load.connections);
}

// Nothing of the trace is left to be sent.
bool Worker::replayed_all() const {
  if (!replay_ || !may_send_ || replay_->queued > 0) return false;
  if (replay_->feed.next_due() < Nanos::max()) return false;
  return std::ranges::all_of(connections_,
                             [](const Connection& c) { return c.queue().size() == 0; });
}

// Queues what is due and sends what connections have room for.
void Worker::release_recorded(Nanos now) {
  Replay& replay = *replay_;
  const Nanos until = now - replay.origin;
  while (may_send_ && replay.has_room() && replay.next_due() <= until) {
    TraceRequest request = replay.feed.take();
    ++replay.due;
    ++replay.queued;
    const std::uint32_t connection = request.connection;
    replay.queues[connection].push_back(std::move(request));
    pacing_->free.push(connection);
    if (replay.feed.failure()) {
      event(
          record::EventKind::kNote,
          fmt::format("worker {}: the trace ends here: {}", index_, replay.feed.failure()->message),
          now);
    }
  }
  while (may_send_ && !pacing_->free.empty()) {
    Connection& connection = connections_[pacing_->free.pop()];
    if (connection.state() == ConnectionState::kReady && !connection.has_unsent())
      send_recorded(connection);
  }
}

void Worker::send_recorded(Connection& connection) {
  std::deque<TraceRequest>& queue = replay_->queues[connection.index()];
  const std::uint64_t room = limit(connection);
  batch_.clear();
  while (!queue.empty() && !batch_.full() && connection.queue().size() < room &&
         connection.spend_request()) {
    TraceRequest request = std::move(queue.front());
    queue.pop_front();
    --replay_->queued;
    enqueue_recorded(connection, std::move(request));
  }
  const bool went = batch_.size() > 0 && write_batch(connection);
  if (went && !queue.empty() && connection.queue().size() < room) offer(connection);
}

void Worker::enqueue_recorded(Connection& connection, TraceRequest request) {
  const Nanos intended = replay_->timed ? run_time(replay_->origin + request.due) : Nanos{0};
  connection.queue().push(request.operation, batch_.size(), intended);
  batch_.make_room(request.head.size());
  batch_.append(request.head);
  if (request.made_up_bytes) {
    const auto value = values_.value_and_line_end(*request.made_up_bytes);
    if (value.size() > Batch::kCopiedBytes && request.tail.empty()) {
      batch_.set_tail(value);
    } else {
      batch_.make_room(value.size() + request.tail.size());
      batch_.append(value);
      batch_.append(request.tail);
    }
  }
  if (!keeps_requests_) return;
  const std::uint32_t slot = connection.queue().newest_slot();
  request_in(connection, slot) = {.operation = request.operation};
  recorded_[(std::size_t{connection.index()} << slot_bits_) + slot] = {std::move(request.key),
                                                                       request.value_bytes};
}

// Nothing is due from `end` (run time) on, and what was due and not sent never will be.
void Worker::close_replay(Nanos end) {
  Replay& replay = *replay_;
  const Nanos closing = config_.origin + end - replay.origin;
  replay.closes = std::min(replay.closes, closing);
  for (Connection& connection : connections_) drop_waiting(connection, config_.origin + end);
  const auto give_up = [&](const TraceRequest& request) {
    if (!replay.timed) return;  // nobody said when they were to go
    recorder_.unsent(request.operation, closing - request.due);
    ++replay.settled;
  };
  for (std::deque<TraceRequest>& queue : replay.queues) {
    for (const TraceRequest& request : queue) give_up(request);
    queue.clear();
  }
  replay.queued = 0;
  while (replay.timed && replay.next_due() < Nanos::max()) {
    ++replay.due;
    give_up(replay.feed.take());
  }
}

}  // namespace headroom::load
