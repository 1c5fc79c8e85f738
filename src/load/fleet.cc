#include "load/fleet.h"

#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "base/check.h"
#include "base/units.h"
#include "load/board.h"
#include "load/cluster_map.h"
#include "load/load_states.h"
#include "load/rendezvous.h"
#include "load/schedule.h"
#include "load/worker.h"
#include "load/workload.h"
#include "net/socket.h"

namespace headroom::load {
namespace {

constexpr auto kProgressPeriod = std::chrono::milliseconds{100};
// Descriptors that the rest of the process may need: files, telemetry, a control connection.
constexpr std::uint64_t kSpareDescriptors = 128;
// Every connection is a descriptor: raises the process's soft limit if it must.
Status reserve_descriptors(const scenario::Load& load, std::uint64_t nodes = 1) {
  const std::uint64_t of_worker =
      load.connections * nodes + load.idle_connections + 2;  // epoll, eventfd
  const std::uint64_t needed = load.workers * of_worker + kSpareDescriptors;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed) return {};
  limit.rlim_cur = std::min<rlim_t>(needed, limit.rlim_max);
  if (limit.rlim_cur < needed || ::setrlimit(RLIMIT_NOFILE, &limit) != 0) {
    return fail(ErrorKind::kUsage,
                "{} workers with {} connections need {} file descriptors, but the limit is {}; "
                "raise it with 'ulimit -n' or use fewer connections",
                load.workers, load.connections * nodes + load.idle_connections, needed,
                limit.rlim_max);
  }
  return {};
}

// A name may stand for several addresses; one that accepts is chosen once, so that all connections
// go the same way and none of them waits for a resolver.
Result<net::Address> reachable(const net::Address& address, Nanos timeout) {
  auto candidates = net::resolve(address);
  if (!candidates) return fail(candidates.error());
  if (candidates->size() == 1) return candidates->front();
  auto probe = net::connect(address, real_clock().now() + timeout);
  if (!probe) return fail(probe.error());
  return net::peer_address(probe->get());
}

// A cluster's replicas serve reads only to who asks for it.
FleetConfig greeting_replicas(FleetConfig config) {
  using scenario::ReadFrom;
  config.server.reads_replica =
      config.cluster && config.load.read_from.value_or(ReadFrom::kPrimary) != ReadFrom::kPrimary;
  return config;
}

// Signals are for the owner's thread; a worker must not be interrupted by them.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;
  ~BlockedSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

}  // namespace

Status check_files(const scenario::NamedLoad& load) {
  if (!load.load.rate) return {};
  return staged_curve(*load.load.rate, load.stages).map([](const RateCurve&) {});
}

Result<std::optional<TraceSummary>> look_through_trace(const scenario::Scenario& scenario) {
  if (!scenario.workload.replays()) return std::nullopt;
  auto summary = scan_trace(scenario.workload.trace, scenario.target.database);
  if (!summary) return fail(std::move(summary.error()));
  return std::move(*summary);
}

std::vector<std::string> operation_names(const scenario::Scenario& scenario,
                                         const std::optional<TraceSummary>& trace) {
  std::vector<std::string> names;
  for (const scenario::Operation& operation :
       trace ? operations_of(*trace) : scenario::run_operations(scenario)) {
    names.push_back(operation.name);
  }
  return names;
}

class Fleet::Impl {
 public:
  explicit Impl(FleetConfig config)
      : config_(greeting_replicas(std::move(config))),
        plan_(config_.workload, config_.seed, config_.trace),
        board_(config_.load.workers) {
    check(config_.clock != nullptr && config_.sink != nullptr, "a fleet has a clock and a sink");
    check(config_.workload.replays() == config_.trace.has_value(),
          "who replays a trace has looked through it");
    check(config_.load.workers > 0 && config_.load.connections > 0 && config_.load.pipeline > 0,
          "a fleet has workers, connections and requests in flight");
    for (std::uint32_t i = 0; i < config_.load.workers; ++i) {
      workers_.push_back(std::make_unique<Worker>(config_, plan_, i));
    }
    prepared_ = prepare();
    if (config_.load.fine_splits) tell_hot_keys();
  }

  ~Impl() {
    board_.close();
    for (std::thread& thread : threads_) thread.join();
  }

  Status connect() {
    check(threads_.empty(), "a fleet connects once");
    if (!prepared_) return prepared_;
    if (config_.cluster) {
      if (Status joined = join_cluster(); !joined) return joined;
    }
    auto address = reachable(config_.server.address, config_.load.connect_timeout);
    if (!address) return fail(address.error());
    if (Status started = start_threads(); !started) return started;
    if (stopped()) return fail(ErrorKind::kIncomplete, "stopped before connecting");

    const Nanos begin = now();
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      board_.post(i, [this, i, begin, address = *address] {
        workers_[i]->connect(address, begin, [this, i] { board_.done(i); });
      });
    }
    while (!board_.wait_for_all(kProgressPeriod)) continue;
    if (first_failure()) (void)together(begin);
    (void)end_phase(begin);
    return first_failure();
  }

  Status prefill(const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
    check(!threads_.empty(), "a fleet is connected before it loads");
    const std::uint64_t keys = config_.workload.prefill ? config_.keys : 0;
    const Nanos begin = now();
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      board_.post(i,
                  [this, i, begin] { workers_[i]->prefill(begin, [this, i] { board_.done(i); }); });
    }
    for (bool all = false; !all;) {
      all = board_.wait_for_all(kProgressPeriod);
      if (progress) progress(prefilled(), keys);
    }
    if (first_failure()) (void)together(begin);
    (void)end_phase(begin);
    if (Status status = first_failure(); !status) return status;
    if (prefilled() != keys) {
      return fail(ErrorKind::kIncomplete, "stopped after {} of {} keys were written",
                  grouped(prefilled()), grouped(keys));
    }
    return {};
  }

  LoadSpans run(const LoadWindows& windows) {
    check(!threads_.empty(), "a fleet is connected before it loads");
    check(windows.warmup_begin <= windows.measure_begin &&
              windows.measure_begin <= windows.measure_end &&
              windows.measure_end <= windows.drain_deadline,
          "the windows of a run follow one another");
    if (curve_) {
      schedule_.emplace(Schedule{curve_->after(windows.measure_begin - windows.warmup_begin),
                                 config_.load.arrivals, config_.load.workers, config_.seed});
    }
    const Schedule* schedule = schedule_ ? &*schedule_ : nullptr;
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      board_.post(i, [this, i, windows, schedule] {
        workers_[i]->run(windows, schedule, [this, i] { board_.done(i); });
      });
    }
    while (!board_.wait_for_all(kProgressPeriod)) continue;
    for (const auto& worker : workers_) worker->release();
    board_.wait_for_all_idle();

    // Workers that ended their load early are each frozen at their own moment; the window closes
    // for all at one moment, after the last of them. (If some drained already, its planned end has
    // passed.)
    LoadSpans spans;
    spans.measure_end = together(measure_end(windows));
    spans.stopped_early = stopped() && spans.measure_end < windows.measure_end;
    const Nanos drain_deadline = spans.measure_end + (windows.drain_deadline - windows.measure_end);
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      if (!workers_[i]->window_open()) continue;
      workers_[i]->note_measure_end(spans.measure_end);
      workers_[i]->finish_phase(spans.measure_end);
      board_.post(i, [this, i, begin = spans.measure_end, drain_deadline] {
        workers_[i]->drain(begin, drain_deadline, [this, i] { board_.done(i); });
      });
    }
    while (!board_.wait_for_all(kProgressPeriod)) continue;
    spans.drain_end = end_phase(spans.measure_end);
    for (const auto& worker : workers_) worker->report_suppressed();
    warn_of_unanswered();
    return spans;
  }

  [[nodiscard]] Result<std::uint64_t> count_keys() const {
    check(map_.has_value(), "the keys of a cluster are counted once it is connected");
    return map_->count_keys();
  }

  void stop() {
    stop_.store(true);
    for (const auto& worker : workers_) worker->stop();
  }

 private:
  [[nodiscard]] Nanos now() const { return config_.clock->now() - config_.origin; }
  [[nodiscard]] bool stopped() const { return stop_.load(); }

  Status prepare() {
    if (Status enough = reserve_descriptors(config_.load); !enough) return enough;
    if (config_.load.rate) {
      auto curve = staged_curve(*config_.load.rate, config_.stages);
      if (!curve) return fail(std::move(curve.error()));
      curve_ = std::move(*curve);
    }
    for (const auto& worker : workers_) {
      if (Status ready = worker->prepare(); !ready) return ready;
    }
    return {};
  }

  // How many keys are hot, of those that a worker draws from: what the split by keys is about.
  void tell_hot_keys() {
    for (std::size_t i = 0; i < plan_.operations().size(); ++i) {
      const auto hot = workers_.front()->hot_keys(i);
      if (!hot || plan_.operations()[i].weight == 0) continue;
      config_.sink->fact(fmt::format("workload.hot_keys.{}", plan_.operations()[i].name),
                         fmt::format("{}", *hot));
    }
  }

  Status join_cluster() {
    map_.emplace(config_.server, config_.load.connect_timeout, [this] {
      for (const auto& worker : workers_) worker->wake();
    });
    const BlockedSignals blocked;
    if (Status started = map_->start(); !started) return started;
    if (Status enough = reserve_descriptors(config_.load, map_->view()->nodes.size()); !enough)
      return enough;
    for (const auto& worker : workers_) worker->join_cluster(*map_);
    return {};
  }

  Status start_threads() {
    const BlockedSignals blocked;
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      try {
        threads_.emplace_back([this, i] { board_.serve(i); });
      } catch (const std::system_error& error) {
        return fail(ErrorKind::kIncomplete, "cannot start the thread of worker {}: {}", i,
                    error.what());
      }
      ::pthread_setname_np(threads_.back().native_handle(), fmt::format("load-{}", i).c_str());
    }
    return {};
  }

  // Waits for fleets that run side by side with this one; the latest of their times.
  [[nodiscard]] Nanos together(Nanos time) {
    return config_.others == nullptr ? time : config_.others->meet(time);
  }

  // All workers are done: lets them return and ends the phase for all at one moment, which is not
  // before any of them last cut an interval. That moment, in run time.
  Nanos end_phase(Nanos begin) {
    for (const auto& worker : workers_) worker->release();
    board_.wait_for_all_idle();
    const Nanos end = std::max(now(), begin);
    for (const auto& worker : workers_) worker->finish_phase(end);
    return end;
  }

  // When measure ended: on time, now if it was stopped, else with the last reply to the last of
  // load.requests. A worker that was done before may have handed over an interval since.
  [[nodiscard]] Nanos measure_end(const LoadWindows& windows) const {
    const bool all_spent = std::ranges::all_of(
        workers_, [](const auto& worker) { return worker->spent_at().has_value(); });
    if (!all_spent || stopped())
      return std::clamp(now(), windows.warmup_begin, windows.measure_end);
    Nanos end = windows.measure_begin;
    for (const auto& worker : workers_)
      end = std::max({end, *worker->spent_at(), worker->handed_over()});
    return std::min(end, windows.measure_end);
  }

  [[nodiscard]] Status first_failure() const {
    for (const auto& worker : workers_) {
      if (worker->failure()) return fail(*worker->failure());
    }
    return {};
  }

  [[nodiscard]] std::uint64_t prefilled() const {
    std::uint64_t keys = 0;
    for (const auto& worker : workers_) keys += worker->prefilled();
    return keys;
  }

  void warn_of_unanswered() {
    std::uint64_t requests = 0;
    Nanos oldest{0};
    bool overdue = false;
    for (const auto& worker : workers_) {
      const InFlightAtEnd& at_end = worker->in_flight_at_end();
      requests += at_end.requests;
      oldest = std::max(oldest, at_end.oldest_age);
      overdue = overdue || at_end.overdue();
    }
    if (!overdue) return;
    config_.sink->warning(
        {record::WarningKind::kInFlightAtEnd,
         fmt::format("{} requests were unanswered when the measure window closed, the oldest for "
                     "{}: their latencies are not in it",
                     grouped(requests), human_duration(oldest))});
  }

  const FleetConfig config_;
  const WorkloadPlan plan_;
  Board board_;
  std::optional<RateCurve> curve_;    // of an open loop
  std::optional<Schedule> schedule_;  // of it, once the windows are known; outlives the workers
  std::vector<std::unique_ptr<Worker>> workers_;
  std::optional<ClusterMap> map_;  // of a cluster; its thread wakes the workers
  std::vector<std::thread> threads_;
  Status prepared_;
  std::atomic<bool> stop_{false};
};

Fleet::Fleet(FleetConfig config) : impl_(std::make_unique<Impl>(std::move(config))) {}
Fleet::~Fleet() = default;
Status Fleet::connect() { return impl_->connect(); }
Status Fleet::prefill(const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  return impl_->prefill(progress);
}
LoadSpans Fleet::run(const LoadWindows& windows) { return impl_->run(windows); }
Result<std::uint64_t> Fleet::count_keys() const { return impl_->count_keys(); }
void Fleet::stop() { impl_->stop(); }

}  // namespace headroom::load
