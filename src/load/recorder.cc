#include "load/recorder.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace headroom::load {

Recorder::Recorder(std::uint32_t worker, std::size_t operations, Nanos origin, record::Sink& sink,
                   RequestWatch watch, bool fills)
    : worker_(worker),
      origin_(origin),
      sink_(sink),
      series_(operations),
      watch_(std::move(watch)),
      has_fills_(fills) {}

void Recorder::plan(std::vector<PhasePlan> phases, Nanos thread_cpu) {
  check(phases_.empty(), "a recorder's plan is finished before the next begins");
  phases_ = std::move(phases);
  cpu_at_begin_ = thread_cpu;
  index_ = 0;
  if (!phases_.empty()) begin_ = phases_.front().begin;
  next_phase();
}

// Makes the front phase present, unless it is over before it began.
void Recorder::next_phase() {
  while (!phases_.empty() && phases_.front().end <= begin_) {
    const record::Phase ended = phases_.front().phase;
    phases_.erase(phases_.begin());
    if (phases_.empty() || phases_.front().phase != ended) index_ = 0;
  }
  begin_interval();
}

void Recorder::begin_interval() {
  watch_.watch(!phases_.empty() && phases_.front().phase == record::Phase::kMeasure);
  if (phases_.empty()) {
    cut_at_ = Nanos::max();
    return;
  }
  end_ = std::min(begin_ + record::kIntervalLength, phases_.front().end);
  cut_at_ = origin_ + end_;
}

void Recorder::cut(const Gauges& gauges) {
  check(!phases_.empty(), "an interval that ends belongs to a plan");
  hand_over(end_, gauges);
  next_phase();
}

void Recorder::finish(Nanos end, const Gauges& gauges) {
  while (due(origin_ + end)) cut(gauges);
  if (!phases_.empty()) {
    check(end >= begin_, "a phase ends after its last full interval");
    if (end > begin_) hand_over(end, gauges);
  }
  phases_.clear();
  cut_at_ = Nanos::max();
}

void Recorder::hand_over(Nanos end, const Gauges& gauges) {
  record::WorkerInterval out;
  out.worker = worker_;
  out.interval = {phases_.front().phase, index_, begin_, end};
  take_latencies(out);
  take_nodes(out);
  for (const record::ConnectStep step : record::kConnectSteps) {
    for (const bool again : {false, true}) {
      stats::Histogram& histogram = connects_[2 * static_cast<std::size_t>(step) + (again ? 1 : 0)];
      if (!histogram.empty()) out.connects.push_back({{step, again}, histogram.drain()});
    }
  }
  out.loop_lag = loop_lag_.drain();
  out.schedule_lag = schedule_lag_.drain();
  out.health = std::exchange(health_, {});
  out.health.cpu = gauges.thread_cpu - cpu_at_begin_;
  out.health.in_flight = gauges.in_flight;
  out.health.connections_idle = gauges.connections_idle;
  if (gauges.schedule) {
    out.health.schedule = std::exchange(schedule_, {});
    out.health.schedule->due = gauges.schedule->due - due_at_begin_;
    out.health.schedule->backlog = gauges.schedule->backlog;
    due_at_begin_ = gauges.schedule->due;
  }
  if (has_fills_) out.cache_aside = take_fills();
  watch_.take(out);
  sink_.interval(std::move(out));

  cpu_at_begin_ = gauges.thread_cpu;
  begin_ = end;
  ++index_;
}

void Recorder::take_latencies(record::WorkerInterval& out) {
  end_run();
  out.counts.reserve(series_.size());
  for (std::size_t operation = 0; operation < series_.size(); ++operation) {
    Series& series = series_[operation];
    out.counts.push_back(std::exchange(series.counts, {}));
    const auto take = [&](auto& histograms, record::LatencyKind kind) {
      for (const record::Outcome outcome : record::kOutcomes) {
        stats::Histogram& histogram = histograms[static_cast<std::size_t>(outcome)];
        if (histogram.empty()) continue;
        out.latencies.push_back(
            {{static_cast<std::uint16_t>(operation), outcome, kind}, histogram.drain()});
      }
    };
    take(series.service, record::LatencyKind::kService);
    take(series.response, record::LatencyKind::kResponse);
  }
}

record::CacheAside Recorder::take_fills() {
  record::CacheAside taken{fills_.begun,     fills_.filled,          fills_.failed,
                           fills_.abandoned, fills_.service.drain(), fills_.response.drain()};
  fills_.begun = fills_.filled = fills_.failed = fills_.abandoned = 0;
  return taken;
}

void Recorder::take_nodes(record::WorkerInterval& out) {
  for (record::NodeSeries& node : nodes_) {
    const record::NodeCounts counts = std::exchange(node.counts, {});
    if (counts == record::NodeCounts{}) continue;
    out.nodes.push_back({node.node, counts, node.service.drain(), node.response.drain()});
  }
  out.outages = std::exchange(outages_, {});
}

std::optional<Nanos> Recorder::completed_p99() const {
  stats::Histogram completed;
  for (const Series& series : series_) {
    for (const record::Outcome outcome : record::kOutcomes) {
      if (!record::is_completed(outcome)) continue;
      completed.merge(series.service[static_cast<std::size_t>(outcome)]);
    }
  }
  if (record::is_completed(run_.outcome)) completed.record(run_.latency, run_.times);
  return completed.quantile(0.99);
}

}  // namespace headroom::load
