#include "load/worker.h"

#include <fmt/format.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <memory>

#include "base/check.h"
#include "base/units.h"
#include "resp/encode.h"

namespace headroom::load {
namespace {

constexpr std::uint64_t kWakeToken = ~std::uint64_t{0};
constexpr std::size_t kReadBufferBytes = std::size_t{64} << 10U;
constexpr std::size_t kEventsPerWait = 128;
// Connections set going in one turn of the loop, so that replies are read in between.
constexpr std::uint32_t kStartsPerTurn = 64;
// Below the backlog that engines listen with (511), so that no attempt meets a full one.
constexpr std::uint32_t kAttemptsAtOnce = 128;
constexpr std::uint32_t kLeastPrefillDepth = 16;
constexpr std::int64_t kSweepsPerLimit = 32;
// Where timers make the load, most waits end by them, and a little late: that keeps no reply
// waiting, which would have ended the wait itself.
constexpr Nanos kTimerLateness = std::chrono::microseconds{100};

Nanos sweep_period(const scenario::Load& load) {
  const Nanos limit = std::min(load.request_timeout, load.connect_timeout);
  return std::clamp<Nanos>(limit / kSweepsPerLimit, std::chrono::milliseconds{1},
                           std::chrono::milliseconds{100});
}

// What is replayed draws no key, and needs no share of them; a generator has one all the same.
std::uint64_t least_keys(const FleetConfig& config) {
  return config.trace ? config.load.workers : 0;
}

WatchPlan watch_plan(const scenario::Load& load, const WorkloadPlan& plan) {
  return {.slowest = load.keep_slowest,
          .log_share = load.request_log,
          .by_value_size = load.fine_splits && plan.has_size_classes(),
          .by_keys = load.fine_splits && plan.has_popular_keys()};
}

}  // namespace

Worker::Worker(const FleetConfig& config, const WorkloadPlan& plan, std::uint32_t index)
    : config_(config),
      clock_(*config.clock),
      plan_(plan),
      index_(index),
      prefill_depth_(std::max(config.load.pipeline, kLeastPrefillDepth)),
      sweep_period_(sweep_period(config.load)),
      requests_per_connection_(config.load.reconnect_every == 0 ? Connection::kEndless
                                                                : config.load.reconnect_every),
      fill_operation_(plan.fill_operation()),
      values_(plan.values()),
      generator_(
          plan, config.key_seed.value_or(config.seed),
          share_of_worker(config.workload.key_space, std::max(config.keys, least_keys(config)),
                          config.load.workers, index)),
      recorder_(index, plan.operations().size(), config.origin, *config.sink,
                RequestWatch(watch_plan(config.load, plan), plan.operations().size(),
                             make_stream(config.seed, index, kNone, Purpose::kRequestLog)),
                plan.fill_operation().has_value()),
      backoff_random_(make_stream(config.seed, index, kNone, Purpose::kBackoff)),
      think_random_(make_stream(config.seed, index, kNone, Purpose::kThinkTime)),
      backend_random_(make_stream(config.seed, index, kNone, Purpose::kBackend)) {
  keeps_requests_ =
      plan.verifies() || fill_operation_.has_value() || watch_plan(config.load, plan).any();
  single_replies_ = !plan.verifies() && generator_.single_replies();
}

Status Worker::prepare() {
  auto epoll = net::Epoll::create();
  if (!epoll) return fail(epoll.error());
  epoll_.emplace(std::move(*epoll));
  wake_.reset(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!wake_.valid()) {
    return fail(ErrorKind::kIncomplete, "worker {}: cannot make an eventfd: {}", index_,
                errno_text(errno));
  }
  if (Status added = epoll_->add(wake_.get(), EPOLLIN, kWakeToken); !added) return added;

  events_.resize(kEventsPerWait);
  read_buffer_.resize(kReadBufferBytes);
  if (!config_.cluster) make_connections();  // a cluster's are made when its nodes are known

  for (const resp::GreetingCommand& command : resp::greeting_of(config_.server)) {
    const std::vector<std::string_view> words(command.words.begin(), command.words.end());
    resp::append_command(greeting_, words);
    greeting_steps_.push_back(command.step);
  }
  resp::append_command(greeting_, std::array<std::string_view, 1>{"PING"});
  greeting_steps_.push_back(resp::GreetingStep::kPing);
  return {};
}

// Requests that a connection has memory for: a power of two.
std::size_t Worker::slots_per_connection() const {
  return std::bit_ceil(config_.workload.prefill ? prefill_depth_
                                                : std::max(config_.load.pipeline, 1U));
}

void Worker::make_connections() {
  const std::size_t capacity = slots_per_connection();
  slots_.resize(capacity * config_.load.connections);
  const std::uint32_t all = config_.load.connections + config_.load.idle_connections;
  connections_.reserve(all);
  for (std::uint32_t i = 0; i < all; ++i) {
    connections_.emplace_back(i, ConnectionStreams(config_.seed, index_, i),
                              is_for_load(i) ? InFlightQueue(slots_.data() + capacity * i,
                                                             static_cast<std::uint32_t>(capacity))
                                             : InFlightQueue());
  }
  slot_bits_ = static_cast<unsigned>(std::countr_zero(capacity));
  if (keeps_requests_) requests_.resize(slots_.size());
  if (config_.trace && keeps_requests_) recorded_.resize(slots_.size());
  if (fill_operation_) fill_starts_.resize(slots_.size());
  if (!generator_.verifies()) return;
  bodies_.resize(all);
  for (std::uint32_t i = 0; i < all; ++i) connections_[i].parser().keep_bodies(&bodies_[i]);
}

void Worker::connect(const net::Address& address, Nanos begin, const Done& done) {
  // Of this thread: its waits end when they are to, not up to 50 us later. Cannot fail.
  ::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  server_ = config_.server;
  server_.address = address;
  connect_begin_ = config_.origin + begin;
  if (cluster_) take_view(clock_.now());
  start_at_ = opens_at(0);
  deadline_ = connect_begin_ + config_.load.connect_spread + config_.load.connect_timeout;
  begin_phase(Activity::kConnect, {{record::Phase::kConnect, begin}});
  loop(done);
}

void Worker::prefill(Nanos begin, const Done& done) {
  deadline_ = Nanos::max();
  depth_ = prefill_depth_;
  next_key_ = config_.workload.prefill ? 0 : generator_.keys();
  start_at_ = config_.origin + begin;
  begin_phase(Activity::kPrefill, {{record::Phase::kPrefill, begin}});
  loop(done);
}

void Worker::run(const LoadWindows& windows, const Schedule* schedule, const Done& done) {
  deadline_ = Nanos::max();
  drain_deadline_ = config_.origin + windows.drain_deadline;
  measure_end_ = config_.origin + windows.measure_end;
  start_at_ = config_.origin + windows.warmup_begin;
  depth_ = config_.load.pipeline;
  lift_limits();
  if (config_.load.requests) {
    if (windows.measure_begin > windows.warmup_begin) {
      grant_at_ = config_.origin + windows.measure_begin;
    } else {
      grant_requests();
    }
  }
  plan_load(windows);
  begin_pacing(schedule);
  std::vector<PhasePlan> phases = {
      {record::Phase::kWarmup, windows.warmup_begin, windows.measure_begin}};
  Nanos part_begin = windows.measure_begin;
  for (const Nanos cut : windows.cuts) {
    phases.push_back({record::Phase::kMeasure, part_begin, cut});
    part_begin = cut;
  }
  phases.push_back({record::Phase::kMeasure, part_begin, windows.measure_end});
  phases.push_back({record::Phase::kDrain, windows.measure_end});
  begin_phase(Activity::kLoad, std::move(phases));
  loop(done);
}

void Worker::drain(Nanos begin, Nanos deadline, const Done& done) {
  begin_phase(Activity::kDrain, {{record::Phase::kDrain, begin}});
  drain_deadline_ = config_.origin + deadline;
  begin_drain();
  loop(done);
}

void Worker::stop() {
  stop_.store(true, std::memory_order_relaxed);
  release_wait();
}

void Worker::release() {
  release_.store(true, std::memory_order_release);
  release_wait();
}

void Worker::release_wait() {
  const std::uint64_t one = 1;
  // Cannot fail but by overflow, which wakes as well.
  [[maybe_unused]] const ssize_t written = ::write(wake_.get(), &one, sizeof one);
}

void Worker::finish_phase(Nanos end) {
  if (cluster_ && activity_ == Activity::kDrain) leave_outages();
  cut_before(config_.origin + end);
  recorder_.finish(end, gauges(config_.origin + end));
}

void Worker::begin_phase(Activity activity, std::vector<PhasePlan> plan) {
  ::pthread_getcpuclockid(::pthread_self(), &cpu_clock_);
  activity_ = activity;
  may_send_ = false;
  done_ = false;
  started_ = 0;
  failure_.reset();
  release_.store(false, std::memory_order_relaxed);
  sweep_at_ = clock_.now() + sweep_period_;
  recorder_.plan(std::move(plan), thread_cpu());
}

void Worker::loop(const Done& done) {
  Nanos now = clock_.now();
  while (!finished()) {
    if (!done_ && nothing_left(now)) {
      if (activity_ == Activity::kLoad) spent_at_ = run_time(last_end_);
      done_ = true;
      deadline_ = Nanos::max();
      done();
    }
    const Nanos until = wake_by(now);
    const auto ready = epoll_->wait(events_, until - now);
    const Nanos woke = clock_.now();
    tick(woke);
    if (activity_ == Activity::kLoad) generator_.advance(woke - start_at_);
    if (woke >= change_at_) [[unlikely]]
      change_load(woke);
    if (has_schedule() && ready.empty() && until > now)
      (open_loop_ ? open_loop_->lateness : replay_->lateness).observe(woke - until);
    for (const epoll_event& event : ready) dispatch(event);
    if (cluster_) follow_cluster(woke);
    if (can_start_more(woke)) start_some(woke);
    now = clock_.now();
    tick(now);
    run_timers(now);
    if (pacing_) now = pace(now);
    recorder_.turned(
        {.wake_by = until + (pacing_ ? kTimerLateness : Nanos{0}), .woke = woke, .ended = now});
  }
}

bool Worker::finished() {
  if (stop_.load(std::memory_order_relaxed)) {
    if (activity_ == Activity::kLoad) {
      const Nanos since = clock_.now() - start_at_;
      if (open_loop_) open_loop_->closes = std::min(open_loop_->closes, since);
      if (replay_) replay_->closes = std::min(replay_->closes, since);
      return true;
    }
    if (may_send_) stop_sending();
    if (activity_ == Activity::kConnect && !failure_) {
      fail_phase({ErrorKind::kIncomplete, "stopped while connecting"});
    }
  }
  return release_.load(std::memory_order_acquire);
}

bool Worker::nothing_left(Nanos now) {
  switch (activity_) {
    case Activity::kConnect:
      return failure_ || ready_ >= connections_needed();
    case Activity::kPrefill: {
      const bool enough =
          failure_ || next_key_ == generator_.keys() || stop_.load(std::memory_order_relaxed);
      if (enough && in_flight_ > 0 && now >= deadline_) abandon(now);
      // Of a cluster, requests may be made whose node cannot take them yet.
      return enough && in_flight_ == 0 && (!cluster_ || cluster_->unsent_in_all == 0);
    }
    case Activity::kLoad:
      return (requests_left_ == 0 || replayed_all()) && in_flight_ == 0;
    case Activity::kDrain:
      if (in_flight_ > 0 && now >= deadline_) abandon(now);
      return in_flight_ == 0;
  }
  return true;
}

// Connections that connect() opens.
std::size_t Worker::connections_needed() const {
  if (!cluster_) return connections_.size();
  const auto needed =
      std::ranges::count_if(cluster_->nodes, [](const auto& node) { return node->needed; });
  return static_cast<std::size_t>(needed) * cluster_->clients;
}

// Are there connections that this phase has yet to set going?
bool Worker::can_start_more(Nanos now) const {
  if (started_ == connections_.size()) return false;
  if (activity_ == Activity::kConnect && attempts_ >= kAttemptsAtOnce) return false;
  return activity_ != Activity::kDrain && now >= start_at_ && !failure_;
}

// The clock time at which the next wait ends if nothing happens; `now` or later.
Nanos Worker::wake_by(Nanos now) const {
  if (can_start_more(now)) return now;
  Nanos until = std::min({recorder_.cut_at(), sweep_at_, deadline_, change_at_});
  if (!reopenings_.empty()) until = std::min(until, reopenings_.top().first);
  if (start_at_ > now) until = std::min(until, start_at_);
  if (pacing_) until = std::min(until, pacing_wake_by(now));
  if (cluster_) until = std::min(until, cluster_wake_by(now));
  return std::max(until, now);
}

void Worker::dispatch(const epoll_event& event) {
  if (event.data.u64 == kWakeToken) {
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t bytes = ::read(wake_.get(), &count, sizeof count);
    return;
  }
  Connection& connection = connections_[event.data.u64];
  if (connection.state() < ConnectionState::kGreeting) [[unlikely]] {
    advance(connection);
    return;
  }
  if ((event.events & EPOLLOUT) != 0) [[unlikely]]
    write_rest(connection);
  if ((event.events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0 &&
      connection.state() >= ConnectionState::kGreeting) {
    read(connection);
  }
}

void Worker::start_some(Nanos now) {
  if (activity_ != Activity::kConnect && started_ == 0) {
    may_send_ = !stop_.load(std::memory_order_relaxed);
  }
  const auto count = static_cast<std::uint32_t>(connections_.size());
  const std::uint32_t end = std::min(count, started_ + kStartsPerTurn);
  while (started_ < end && can_start_more(now)) {
    Connection& connection = connections_[started_++];
    if (cluster_) {
      if (node_of(connection).needed) want(connection, now);
      if (activity_ != Activity::kConnect && is_for_load(connection.index()))
        start(connection, now);
    } else if (connection.state() == ConnectionState::kClosed) {
      open(connection, now);
    } else if (connection.state() == ConnectionState::kReady && !is_idle(connection)) {
      start(connection, now);
    }
    if (activity_ == Activity::kConnect && started_ < count) start_at_ = opens_at(started_);
  }
}

void Worker::run_timers(Nanos now) {
  while (!reopenings_.empty() && reopenings_.top().first <= now) {
    Connection& connection = connections_[reopenings_.top().second];
    reopenings_.pop();
    if (connection.state() != ConnectionState::kClosed) continue;
    if (may_reopen() && still_wanted(connection)) {
      open(connection, now);
    } else {
      give_up_wanting(connection);
    }
  }
  if (activity_ == Activity::kConnect && now >= deadline_ && !done_) {
    fail_phase(
        {ErrorKind::kTarget,
         fmt::format("{}: only {} of {} connections of worker {} were open after {}; is it "
                     "overloaded, or is load.connect_timeout too short?",
                     server_.address.text(), ready_, connections_needed(), index_,
                     print_duration(config_.load.connect_spread + config_.load.connect_timeout))});
  }
  if (now >= sweep_at_) {
    sweep(now);
    sweep_at_ = now + sweep_period_;
  }
}

void Worker::sweep(Nanos now) {
  // While connecting, the phase as a whole has the limit.
  if (activity_ == Activity::kConnect) return;
  // What an emulated round trip adds is a part of the wait.
  const Nanos limit = config_.load.request_timeout -
                      (pacing_ ? config_.load.emulated_rtt.value_or(Nanos{0}) : Nanos{0});
  for (Connection& connection : connections_) {
    switch (connection.state()) {
      case ConnectionState::kReady:
        if (connection.queue().begun() > 0 && now - connection.queue().oldest_sent() >= limit) {
          time_out(connection, now);
        }
        break;
      case ConnectionState::kConnecting:
      case ConnectionState::kSecuring:
      case ConnectionState::kGreeting:
        if (now - connection.since() >= config_.load.connect_timeout) {
          attempt_failed(
              connection,
              {ErrorKind::kTarget,
               fmt::format("{} did not answer within {}", server_of(connection).address.text(),
                           print_duration(config_.load.connect_timeout))},
              now);
        }
        break;
      case ConnectionState::kClosed:
        break;
    }
  }
  if (cluster_) sweep_routed(now, limit);
}

void Worker::at_boundary(Nanos now) {
  const bool ends_measure = activity_ == Activity::kLoad && now >= measure_end_;
  if (ends_measure) note_measure_end(run_time(measure_end_));
  while (recorder_.due(now)) recorder_.cut(gauges(recorder_.cut_at()));
  if (now >= grant_at_) grant_requests();
  if (ends_measure) {
    activity_ = Activity::kDrain;
    begin_drain();
  }
}

Gauges Worker::gauges(Nanos clock_time) {
  Gauges gauges{thread_cpu(), in_flight_, idle_ready_};
  if (open_loop_) {
    const auto [due, backlog] = open_loop_->due_by(clock_time - open_loop_->origin);
    gauges.schedule = {due, backlog};
  } else if (has_schedule()) {
    gauges.schedule = {replay_->due, replay_->due - replay_->settled};
  }
  return gauges;
}

Nanos Worker::thread_cpu() const {
  timespec cpu{};
  ::clock_gettime(cpu_clock_, &cpu);
  return std::chrono::seconds{cpu.tv_sec} + Nanos{cpu.tv_nsec};
}

void Worker::report_suppressed() {
  const std::pair<const EventLimit&, std::string_view> kinds[] = {
      {lost_events_, "connections lost"},
      {reconnected_events_, "connections opened again"},
      {refused_events_, "failed attempts to open a connection again"},
      {corrupt_events_, "values that are not what was written"}};
  for (const auto& [limit, what] : kinds) {
    if (limit.suppressed() == 0) continue;
    event(record::EventKind::kNote,
          fmt::format("worker {}: {} more {}", index_, grouped(limit.suppressed()), what),
          clock_.now());
  }
}

}  // namespace headroom::load
