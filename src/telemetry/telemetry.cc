#include "telemetry/telemetry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <condition_variable>
#include <future>
#include <iterator>
#include <mutex>
#include <thread>
#include <utility>

#include "base/check.h"
#include "telemetry/engine_sampler.h"
#include "telemetry/proc_metrics.h"
#include "telemetry/totals.h"

namespace headroom::telemetry {

class Telemetry::Impl {
 public:
  explicit Impl(TelemetryConfig config) : config_(std::move(config)) {
    check(!config_.nodes.empty(), "telemetry has something to watch");
    check(config_.clock != nullptr && config_.sink != nullptr, "telemetry has a clock and a sink");
    check(config_.interval > Nanos{0} && config_.reply_timeout > Nanos{0},
          "telemetry has an interval and a reply timeout");
    for (const WatchedNode& node : config_.nodes) {
      sources_.push_back(std::make_unique<Source>(config_, node));
      shards_ = std::max(shards_, node.member.shard);
      is_local_ |= node.engine_pid.has_value();
    }
  }
  ~Impl() { stop(); }

  Status start() {
    const Nanos began = config_.clock->now();
    if (auto first = take_samples(config_.reply_timeout, Depth::kDeep); !first) return first;
    thread_ = std::thread([this, began] { run(began); });
    return {};
  }

  void stop() {
    {
      const std::lock_guard lock(mutex_);
      if (!stop_by_) stop_by_ = real_clock().now() + config_.reply_timeout;
    }
    wanted_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

  void sample_now() {
    std::unique_lock lock(mutex_);
    const std::uint64_t ticket = ++tickets_;
    wanted_.notify_all();
    served_.wait(lock, [&] { return served_ticket_ >= ticket || ended_; });
  }

  Glance glance() const {
    const std::lock_guard lock(mutex_);
    return glance_;
  }

  std::optional<Silence> silence() const {
    const std::lock_guard lock(mutex_);
    return silence_;
  }

 private:
  void run(Nanos began) {
    // Turn n is due at began + n * interval, however long the ones before it took; turns that a
    // silent engine let pass are left out, not made up for.
    std::int64_t turn = 1;
    std::unique_lock lock(mutex_);
    while (true) {
      const Nanos due = began + turn * config_.interval;
      wanted_.wait_for(lock, std::max(due - config_.clock->now(), Nanos{0}),
                       [this] { return stop_by_ || tickets_ > served_ticket_; });
      const bool last = stop_by_.has_value();
      const std::uint64_t ticket = tickets_;
      Nanos limit = config_.reply_timeout;
      if (last) limit = std::min(limit, *stop_by_ - real_clock().now());
      const bool due_now = config_.clock->now() >= due;
      if (due_now || last || ticket > served_ticket_) {
        const Depth depth = last                      ? Depth::kLast
                            : ticket > served_ticket_ ? Depth::kDeep
                                                      : Depth::kUsual;
        lock.unlock();
        if (limit > Nanos{0}) (void)take_samples(limit, depth);
        lock.lock();
      }
      served_ticket_ = ticket;
      ended_ = last;
      served_.notify_all();
      if (last) return;
      const std::int64_t passed = (config_.clock->now() - began) / config_.interval;
      turn = std::max(turn, passed + 1);
    }
  }

  // One node and who asks about it. Its thread of the turn owns it.
  struct Source {
    Source(const TelemetryConfig& config, const WatchedNode& watched)
        : node(watched),
          engine(config, watched),
          is_primary(watched.member.role == record::MemberRole::kPrimary) {
      if (watched.engine_pid) process.emplace(*watched.engine_pid);
    }
    const WatchedNode& node;
    EngineSampler engine;
    std::optional<ProcessSampler> process;
    bool is_primary;  // what it last called itself
  };

  [[nodiscard]] Nanos run_time() const { return config_.clock->now() - config_.origin; }

  // The thread's, and start()'s before there is one. The error is that of the first engine that did
  // not answer.
  Status take_samples(Nanos limit, Depth depth) {
    sample_processes();
    std::vector<Result<EngineReading>> answers = ask_engines(limit, depth);
    std::optional<Silence> silence;
    Status status;
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      if (!answers[i] && status) status = fail(answers[i].error());
      const auto& own = sources_[i]->engine.silence();
      if (own && (!silence || own->since < silence->since)) silence = own;
    }
    const Glance glance = record_answers(std::move(answers));
    const std::lock_guard lock(mutex_);
    glance_ = glance;
    silence_ = silence;
    return status;
  }

  // The machine, and of each node its process and what else it has.
  void sample_processes() {
    Unreadable unreadable;
    const Nanos before = run_time();
    std::vector<record::Sample> whole = sample_machine(is_local_, unreadable);
    std::vector<NodeReading> readings;
    for (const auto& source : sources_) {
      NodeReading reading{source->node.member.shard, source->is_primary, {}};
      if (source->process) reading.samples = source->process->sample(unreadable);
      if (source->node.sample_node)
        std::ranges::move(source->node.sample_node(), std::back_inserter(reading.samples));
      readings.push_back(std::move(reading));
    }
    const Nanos time = before + (run_time() - before) / 2;
    record_readings(time, std::move(readings), std::move(whole));
    if (unreadable_noticed_ || unreadable.empty()) return;
    unreadable_noticed_ = true;
    config_.sink->warning({record::WarningKind::kTelemetryAbsent,
                           fmt::format("cannot read {}", fmt::join(unreadable, ", "))});
  }

  std::vector<Result<EngineReading>> ask_engines(Nanos limit, Depth depth) {
    std::vector<Result<EngineReading>> answers;
    if (sources_.size() == 1) {
      answers.push_back(sources_.front()->engine.sample(limit, depth));
      return answers;
    }
    // All at the same time: one that is silent keeps no other from its turn.
    std::vector<std::future<Result<EngineReading>>> asked;
    for (const auto& source : sources_) {
      asked.push_back(std::async(std::launch::async, [&engine = source->engine, limit, depth] {
        return engine.sample(limit, depth);
      }));
    }
    for (auto& answer : asked) answers.push_back(answer.get());
    return answers;
  }

  [[nodiscard]] Glance record_answers(std::vector<Result<EngineReading>> answers) {
    std::optional<Nanos> first;
    Nanos last{0};
    std::vector<NodeReading> readings(answers.size());
    std::vector<NodeReading> answered;
    for (std::size_t i = 0; i < answers.size(); ++i) {
      Source& source = *sources_[i];
      readings[i] = {source.node.member.shard, source.is_primary, {}};
      if (!answers[i]) continue;
      source.is_primary = answers[i]->is_primary.value_or(source.is_primary);
      readings[i].is_primary = source.is_primary;
      readings[i].samples = std::move(answers[i]->samples);
      first = std::min(first.value_or(answers[i]->asked), answers[i]->asked);
      last = std::max(last, answers[i]->answered);
      answered.push_back(readings[i]);
    }
    if (!first) return {};
    const auto lags = replication_lags(answered);
    for (std::size_t i = 0, next = 0; i < readings.size(); ++i) {
      if (!answers[i]) continue;
      if (const auto lag = lags[next++])
        readings[i].samples.push_back({record::metric("replication_lag_bytes"), {}, *lag});
    }
    record_readings(*first + (last - *first) / 2, std::move(readings), {});
    return glance_of(answered, shards_);
  }

  // A batch for each node, and one of the target as a whole with `whole` in it.
  void record_readings(Nanos time, std::vector<NodeReading> readings,
                       std::vector<record::Sample> whole) {
    const bool alone = readings.size() == 1;
    std::vector<record::Sample> together =
        alone ? std::move(readings.front().samples) : told_by_all(readings);
    std::ranges::move(together, std::back_inserter(whole));
    if (!whole.empty()) config_.sink->samples({time, std::move(whole)});
    for (std::size_t i = 0; i < readings.size() && !alone; ++i) {
      if (!readings[i].samples.empty())
        config_.sink->samples(
            {time, std::move(readings[i].samples), sources_[i]->node.member.name});
    }
  }

  // A node without samples did not answer, and has no part in the sums.
  [[nodiscard]] std::vector<record::Sample> told_by_all(
      const std::vector<NodeReading>& readings) const {
    std::vector<NodeReading> told;
    for (const NodeReading& reading : readings) {
      if (!reading.samples.empty()) told.push_back(reading);
    }
    return totals(told, shards_);
  }

  // Constant after construction.
  const TelemetryConfig config_;
  std::uint32_t shards_ = 1;
  bool is_local_ = false;  // an engine's process is on this machine
  // Owned by the thread, by start() before it runs.
  std::vector<std::unique_ptr<Source>> sources_;  // in the order of the nodes
  bool unreadable_noticed_ = false;
  // Guarded by mutex_.
  mutable std::mutex mutex_;
  std::condition_variable wanted_;  // a ticket was drawn, or the end is near
  std::condition_variable served_;
  std::uint64_t tickets_ = 0;        // drawn by sample_now()
  std::uint64_t served_ticket_ = 0;  // the last one that a whole turn came after
  std::optional<Nanos> stop_by_;     // time of real_clock() by which the thread has to end
  bool ended_ = false;
  Glance glance_;
  std::optional<Silence> silence_;

  std::thread thread_;  // the owner's
};

Result<std::unique_ptr<Telemetry>> Telemetry::start(TelemetryConfig config) {
  auto impl = std::make_unique<Impl>(std::move(config));
  if (auto started = impl->start(); !started) return fail(std::move(started.error()));
  return std::unique_ptr<Telemetry>(new Telemetry(std::move(impl)));
}

Telemetry::Telemetry(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Telemetry::~Telemetry() = default;
void Telemetry::stop() { impl_->stop(); }
void Telemetry::sample_now() { impl_->sample_now(); }
Glance Telemetry::glance() const { return impl_->glance(); }
std::optional<Silence> Telemetry::silence() const { return impl_->silence(); }

}  // namespace headroom::telemetry
