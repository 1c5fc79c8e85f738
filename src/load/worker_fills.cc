// Cache-aside: what happens between a read that missed and the SET that follows.
#include <algorithm>

#include "load/worker.h"
#include "scenario/value.h"

namespace headroom::load {
namespace {

// A connection whose socket takes no more bytes is looked at again so much later.
constexpr Nanos kUntilNextTry = std::chrono::microseconds{100};

Nanos draw_time(const scenario::BackendTime& time, Random& random) {
  const scenario::Overloaded draw{
      [](Nanos fixed) { return fixed; },
      [&](const scenario::DurationRange& range) {
        const auto span = static_cast<std::uint64_t>((range.highest - range.lowest).count());
        return range.lowest + Nanos{static_cast<std::int64_t>(random.below(span + 1))};
      },
      [&](const scenario::ExponentialDuration& drawn) {
        return std::chrono::duration_cast<Nanos>(drawn.mean * random.exponential());
      },
  };
  return std::visit(draw, time);
}

}  // namespace

// Keeps the slot of a read that missed, which counts as in flight until its user has the value.
void Worker::fetch(const EndedReply& missed) {
  ++recorder_.fills().begun;
  ++in_flight_;
  ++pacing_->held[missed.connection];
  pacing_->fetching.push(
      {missed.arrives + draw_time(*config_.workload.backend_time, backend_random_),
       pacing_->fetches++,
       missed.connection,
       generator_.fill(missed.request),
       {missed.sent, missed.intended}});
}

void Worker::send_fills(Nanos now) {
  due_fills_.clear();
  while (!pacing_->fetching.empty() && pacing_->fetching.top().until <= now) {
    due_fills_.push_back(pacing_->fetching.top());
    pacing_->fetching.pop();
  }
  // Those of one connection go out together.
  std::ranges::stable_sort(due_fills_, {}, &Fetch::connection);
  const std::span<Fetch> due(due_fills_);
  for (std::size_t begin = 0; begin < due.size();) {
    const std::uint32_t index = due[begin].connection;
    std::size_t end = begin;
    while (end < due.size() && due[end].connection == index) ++end;
    send_fills(connections_[index], due.subspan(begin, end - begin));
    begin = end;
  }
}

void Worker::send_fills(Connection& connection, std::span<Fetch> fills) {
  while (!fills.empty()) {
    if (connection.state() == ConnectionState::kReady && connection.has_unsent()) {
      for (Fetch& fetch : fills) {
        fetch.until += kUntilNextTry;
        pacing_->fetching.push(fetch);
      }
      return;
    }
    if (connection.state() != ConnectionState::kReady || !may_send_) {
      for (std::size_t i = 0; i < fills.size(); ++i) {
        --pacing_->held[connection.index()];
        abandon_fill();
      }
      return;
    }
    batch_.clear();
    std::size_t taken = 0;
    for (; taken < fills.size() && !batch_.full(); ++taken) {
      Fetch& fetch = fills[taken];
      --pacing_->held[connection.index()];
      enqueue(connection, fetch.fill, run_time(fetch.until));
      const std::size_t first = std::size_t{connection.index()} << slot_bits_;
      fill_starts_[first + connection.queue().newest_slot()] = fetch.start;
    }
    fills = fills.subspan(taken);
    static_cast<void>(write_batch(connection));
  }
}

// The SET that fills has ended.
void Worker::end_fill(const FillStart& start, record::Outcome outcome, Nanos now) {
  record::CacheAside& fills = recorder_.fills();
  if (outcome == record::Outcome::kOk) {
    ++fills.filled;
    fills.service.record(now - start.sent);
    if (has_schedule()) fills.response.record(run_time(now) - start.intended);
  } else {
    ++fills.failed;
  }
  --in_flight_;
}

// The SET of a fill was not sent.
void Worker::abandon_fill() {
  ++recorder_.fills().abandoned;
  --in_flight_;
}

// Nothing new is sent any more.
void Worker::abandon_fills() {
  if (!pacing_) return;
  for (; !pacing_->fetching.empty(); pacing_->fetching.pop()) {
    --pacing_->held[pacing_->fetching.top().connection];
    abandon_fill();
  }
}

}  // namespace headroom::load
