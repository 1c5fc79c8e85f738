#include "lab/recorder.h"

#include <chrono>
#include <utility>

#include "base/check.h"

namespace headroom::lab {
namespace {

template <class... Handlers>
struct Overloaded : Handlers... {
  using Handlers::operator()...;
};

LastInterval digest(const record::MergedInterval& merged) {
  LastInterval last;
  last.interval = merged.interval;
  for (const record::OperationCounts& counts : merged.counts) {
    last.completed += counts.completed();
    last.rejected += counts.of(record::Outcome::kRejected);
    for (const auto outcome : {record::Outcome::kError, record::Outcome::kTimeout,
                               record::Outcome::kLost, record::Outcome::kCorrupt}) {
      last.failed += counts.of(outcome);
    }
  }
  stats::Histogram service;
  stats::Histogram response;
  for (const record::LatencySeries& series : merged.latencies) {
    if (!record::is_completed(series.key.outcome)) continue;
    auto& all = series.key.kind == record::LatencyKind::kService ? service : response;
    all.merge(series.histogram);
  }
  last.p99 = response.empty() ? service.quantile(0.99) : response.quantile(0.99);
  return last;
}

}  // namespace

Recorder::Recorder(store::RunWriter writer, std::uint32_t workers, record::Follower* follower)
    : writer_(std::move(writer)),
      merger_(workers),
      follower_(follower),
      thread_([this] { write_loop(); }) {}

Recorder::~Recorder() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Recorder::push(Item item) {
  const std::lock_guard lock(mutex_);
  if (failure_) return;  // nowhere to put it; the owner has been told
  queue_.push_back(std::move(item));
  ++pushed_;
}

void Recorder::interval(record::WorkerInterval interval) { push(std::move(interval)); }
void Recorder::samples(record::SampleBatch batch) { push(std::move(batch)); }

void Recorder::member(record::Member member) { push(std::move(member)); }
void Recorder::event(record::Event event) { push(std::move(event)); }
void Recorder::warning(record::Warning warning) { push(std::move(warning)); }
void Recorder::fact(std::string key, std::string value) {
  push(Fact{std::move(key), std::move(value)});
}

void Recorder::receipt(record::Receipt receipt) {
  if (receipt_listener_) receipt_listener_(receipt);
  push(std::move(receipt));
}

void Recorder::phase_began(record::Phase phase, Nanos at) {
  push(PhaseMark{phase, at, true});
  event({at, record::EventKind::kPhaseBegan, std::string(record::phase_name(phase))});
}

void Recorder::phase_ended(record::Phase phase, Nanos at) {
  push(PhaseMark{phase, at, false});
  event({at, record::EventKind::kPhaseEnded, std::string(record::phase_name(phase))});
}

void Recorder::workers_done() { push(WorkersDone{}); }

Status Recorder::flush() {
  std::unique_lock lock(mutex_);
  const std::uint64_t target = pushed_;
  flush_wanted_ = true;
  wake_.notify_one();
  written_.wait(lock, [&] { return committed_ >= target || failure_; });
  if (failure_) return fail(*failure_);
  return {};
}

std::optional<Error> Recorder::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

Status Recorder::seal(record::RunEnd end, std::string_view reason) {
  if (const Status flushed = flush(); !flushed) return flushed;
  {
    const std::lock_guard lock(mutex_);
    check(!stopping_, "a recorder is sealed once");
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
  Status sealed = writer_.seal(end, reason);
  if (sealed && follower_ != nullptr) follower_->ended(end, std::string(reason));
  return sealed;
}

std::optional<LastInterval> Recorder::last_interval() const {
  const std::lock_guard lock(mutex_);
  return last_interval_;
}

std::uint64_t Recorder::ended_in_measure() const {
  const std::lock_guard lock(mutex_);
  return ended_in_measure_;
}

void Recorder::write_loop() {
  std::vector<Item> batch;
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait_for(lock, kCommitEvery, [&] { return stopping_ || flush_wanted_; });
    flush_wanted_ = false;
    const bool last_turn = stopping_;
    batch.clear();
    std::swap(batch, queue_);
    const std::uint64_t reached = pushed_;
    if (!batch.empty() && !failure_) {
      lock.unlock();
      Status status;
      for (const Item& item : batch) {
        if (status) status = write(item);
      }
      if (status) status = writer_.commit();
      lock.lock();
      if (!status) failure_ = status.error();
    }
    committed_ = reached;
    written_.notify_all();
    if (last_turn) return;
  }
}

template <class Part>
Status Recorder::told(Status written, void (record::Follower::*tell)(const Part&),
                      const Part& part) {
  if (written && follower_ != nullptr) (follower_->*tell)(part);
  return written;
}

Status Recorder::write(const Item& item) {
  using record::Follower;
  return std::visit(Overloaded{
                        [&](const record::WorkerInterval& report) { return write_report(report); },
                        [&](const record::Member& member) {
                          return told(writer_.member(member), &Follower::member, member);
                        },
                        [&](const record::SampleBatch& batch) {
                          return told(writer_.samples(batch), &Follower::samples, batch);
                        },
                        [&](const record::Event& event) {
                          return told(writer_.event(event), &Follower::event, event);
                        },
                        [&](const record::Warning& warning) {
                          return told(writer_.warning(warning), &Follower::warning, warning);
                        },
                        [&](const Fact& fact) {
                          Status written = writer_.fact(fact.key, fact.value);
                          if (written && follower_ != nullptr)
                            follower_->fact(fact.key, fact.value);
                          return written;
                        },
                        [&](const record::Receipt& receipt) {
                          return told(writer_.receipt(receipt), &Follower::receipt, receipt);
                        },
                        [&](const PhaseMark& mark) { return write_mark(mark); },
                        [&](const WorkersDone&) { return write_workers_done(); },
                    },
                    item);
}

Status Recorder::write_mark(const PhaseMark& mark) {
  Status written = mark.begins ? writer_.phase_began(mark.phase, mark.at)
                               : writer_.phase_ended(mark.phase, mark.at);
  if (written && follower_ != nullptr) {
    mark.begins ? follower_->phase_began(mark.phase, mark.at)
                : follower_->phase_ended(mark.phase, mark.at);
  }
  return written;
}

Status Recorder::write_report(const record::WorkerInterval& report) {
  const record::WorkerCounts own{report.worker, report.interval, report.counts, report.health};
  Status counts = told(writer_.worker_counts(own), &record::Follower::worker_counts, own);
  if (!counts) return counts;
  for (const record::RequestRecord& request : report.logged) {
    if (const Status status = writer_.logged_request(request); !status) return status;
  }
  return write_merged(merger_.add(report));
}

Status Recorder::write_merged(const std::vector<record::MergedInterval>& intervals) {
  std::uint64_t ended = 0;
  for (const record::MergedInterval& merged : intervals) {
    Status status = told(writer_.interval(merged), &record::Follower::interval, merged);
    if (!status) return status;
    if (merged.interval.phase != record::Phase::kMeasure) continue;
    for (const record::OperationCounts& counts : merged.counts) ended += counts.total();
  }
  if (!intervals.empty()) {
    const LastInterval last = digest(intervals.back());
    const std::lock_guard lock(mutex_);
    last_interval_ = last;
    ended_in_measure_ += ended;
  }
  return {};
}

Status Recorder::write_workers_done() {
  if (const Status status = write_merged(merger_.flush_intervals()); !status) return status;
  for (const record::WorkerWindow& window : merger_.take_windows()) {
    Status status = told(writer_.worker_window(window), &record::Follower::worker_window, window);
    if (!status) return status;
  }
  for (const record::SplitSeries& series : merger_.take_splits()) {
    if (const Status status = writer_.split_latency(series); !status) return status;
  }
  for (const record::RequestRecord& request : merger_.take_slowest()) {
    if (const Status status = writer_.slow_request(request); !status) return status;
  }
  return {};
}

}  // namespace headroom::lab
