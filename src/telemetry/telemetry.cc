#include "telemetry/telemetry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <condition_variable>
#include <iterator>
#include <mutex>
#include <thread>
#include <utility>

#include "base/check.h"
#include "telemetry/engine_sampler.h"
#include "telemetry/proc_metrics.h"

namespace headroom::telemetry {

class Telemetry::Impl {
 public:
  explicit Impl(TelemetryConfig config)
      : config_(std::move(config)), engine_(config_), machine_(config_.engine_pid) {
    check(config_.clock != nullptr && config_.sink != nullptr, "telemetry has a clock and a sink");
    check(config_.interval > Nanos{0} && config_.reply_timeout > Nanos{0},
          "telemetry has an interval and a reply timeout");
  }
  ~Impl() { stop(); }

  Status start() {
    const Nanos began = config_.clock->now();
    if (auto first = take_samples(config_.reply_timeout); !first) return first;
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
        lock.unlock();
        if (limit > Nanos{0}) (void)take_samples(limit);
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

  // The thread's, and start()'s before there is one.
  Status take_samples(Nanos limit) {
    record::SampleBatch batch;
    const Nanos before = config_.clock->now();
    batch.samples = machine_.sample();
    if (config_.sample_node)
      std::ranges::move(config_.sample_node(), std::back_inserter(batch.samples));
    batch.time = before + (config_.clock->now() - before) / 2 - config_.origin;
    if (!batch.samples.empty()) config_.sink->samples(std::move(batch));
    notice_unreadable();
    auto asked = engine_.sample(limit);
    const std::lock_guard lock(mutex_);
    glance_ = engine_.glance();
    silence_ = engine_.silence();
    return asked;
  }

  void notice_unreadable() {
    if (unreadable_noticed_ || machine_.unreadable().empty()) return;
    unreadable_noticed_ = true;
    config_.sink->warning({record::WarningKind::kTelemetryAbsent,
                           fmt::format("cannot read {}", fmt::join(machine_.unreadable(), ", "))});
  }

  // Constant after construction.
  const TelemetryConfig config_;
  // Owned by the thread, by start() before it runs.
  EngineSampler engine_;
  ProcSampler machine_;
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
