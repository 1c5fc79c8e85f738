#include "load/fleet_group.h"

#include <algorithm>
#include <future>
#include <mutex>
#include <string>
#include <utility>

#include "base/check.h"
#include "load/rendezvous.h"
#include "record/forwarding_sink.h"

namespace headroom::load {
namespace {

// Hands on what one load's fleet leaves, under the numbers and the name that the run has for it.
class LoadSink final : public record::ForwardingSink {
 public:
  LoadSink(const scenario::NamedLoad& load, std::size_t operations, record::Sink& run)
      : ForwardingSink(run),
        name_(load.name),
        first_worker_(load.first_worker),
        first_operation_(load.first_operation),
        operations_(operations) {}

  void interval(record::WorkerInterval interval) override {
    interval.worker += first_worker_;
    for (record::Outage& outage : interval.outages) outage.worker += first_worker_;
    interval.counts.insert(interval.counts.begin(), first_operation_, {});
    interval.counts.resize(operations_);
    const auto renumber = [this](std::uint16_t& operation) {
      operation = static_cast<std::uint16_t>(operation + first_operation_);
    };
    for (record::LatencySeries& series : interval.latencies) renumber(series.key.operation);
    for (record::SplitSeries& series : interval.splits) renumber(series.key.latency.operation);
    for (auto* const requests : {&interval.slowest, &interval.logged}) {
      for (record::RequestRecord& request : *requests) {
        renumber(request.operation);
        request.worker += first_worker_;
      }
    }
    ForwardingSink::interval(std::move(interval));
  }
  void event(record::Event event) override {
    event.text = named(std::move(event.text));
    ForwardingSink::event(std::move(event));
  }
  void warning(record::Warning warning) override {
    warning.text = named(std::move(warning.text));
    ForwardingSink::warning(std::move(warning));
  }
  void fact(std::string key, std::string value) override {
    ForwardingSink::fact(name_.empty() ? std::move(key) : key + "." + name_, std::move(value));
  }

 private:
  [[nodiscard]] std::string named(std::string text) const {
    return name_.empty() ? std::move(text) : name_ + ": " + text;
  }

  const std::string name_;
  const std::uint32_t first_worker_;
  const std::size_t first_operation_;
  const std::size_t operations_;  // of the run
};

}  // namespace

class FleetGroup::Impl {
 public:
  explicit Impl(FleetGroupConfig config)
      : config_(std::move(config)), others_(config_.loads.size()), written_(config_.loads.size()) {
    check(!config_.loads.empty() && config_.loads.size() == config_.keys.size(),
          "a run has loads, each with its keys");
    const scenario::NamedLoad& last = config_.loads.back();
    const std::size_t operations =
        config_.trace ? config_.trace->verbs.size() : last.first_operation + last.operations;
    for (std::size_t i = 0; i < config_.loads.size(); ++i) {
      sinks_.push_back(std::make_unique<LoadSink>(config_.loads[i], operations, *config_.sink));
      fleets_.push_back(std::make_unique<Fleet>(fleet_config(i)));
    }
  }

  Status connect() {
    return on_all([](Fleet& fleet, std::size_t) { return fleet.connect(); });
  }

  Status prefill(const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < fleets_.size(); ++i)
      all += config_.loads[i].workload.prefill ? config_.keys[i] : 0;
    return on_all([&](Fleet& fleet, std::size_t i) {
      return fleet.prefill([&, i](std::uint64_t written, std::uint64_t) {
        const std::lock_guard lock(mutex_);
        written_[i] = written;
        std::uint64_t sum = 0;
        for (const std::uint64_t keys : written_) sum += keys;
        if (progress) progress(sum, all);
      });
    });
  }

  LoadSpans run(const LoadWindows& windows) {
    std::vector<std::future<LoadSpans>> running;
    for (const auto& fleet : fleets_)
      running.push_back(std::async(std::launch::async, [&] { return fleet->run(windows); }));
    LoadSpans all;
    for (auto& one : running) {
      const LoadSpans spans = one.get();
      all.measure_end = std::max(all.measure_end, spans.measure_end);
      all.drain_end = std::max(all.drain_end, spans.drain_end);
      all.stopped_early = all.stopped_early || spans.stopped_early;
    }
    return all;
  }

  [[nodiscard]] Result<std::uint64_t> count_keys() const { return fleets_.front()->count_keys(); }

  void stop() {
    for (const auto& fleet : fleets_) fleet->stop();
  }

 private:
  [[nodiscard]] FleetConfig fleet_config(std::size_t i) {
    const scenario::NamedLoad& load = config_.loads[i];
    FleetConfig config;
    config.server = config_.server;
    config.cluster = config_.cluster;
    config.workload = load.workload;
    config.trace = config_.trace;
    config.keys = config_.keys[i];
    config.load = load.load;
    config.connections_in_use = load.connections_in_use;
    config.stages = load.stages;
    config.seed = load.seed;
    config.key_seed = load.key_seed;
    config.others = &others_;
    config.clock = config_.clock;
    config.origin = config_.origin;
    config.sink = sinks_[i].get();
    return config;
  }

  // Does it with every fleet at once. One that fails stops the rest.
  template <class Step>
  Status on_all(const Step& step) {
    std::vector<std::future<void>> steps;
    for (std::size_t i = 0; i < fleets_.size(); ++i) {
      steps.push_back(std::async(std::launch::async, [this, &step, i] {
        Status done = step(*fleets_[i], i);
        if (done) return;
        const std::lock_guard lock(mutex_);
        if (!failure_) failure_ = done.error();
        stop();
        others_.leave();
      }));
    }
    for (auto& one : steps) one.get();
    if (failure_) return fail(*failure_);
    return {};
  }

  const FleetGroupConfig config_;
  Rendezvous others_;
  std::vector<std::unique_ptr<LoadSink>> sinks_;
  std::vector<std::unique_ptr<Fleet>> fleets_;
  std::mutex mutex_;
  // Guarded by mutex_.
  std::vector<std::uint64_t> written_;  // keys of each load that its prefill wrote
  std::optional<Error> failure_;        // the first
};

FleetGroup::FleetGroup(FleetGroupConfig config)
    : impl_(std::make_unique<Impl>(std::move(config))) {}
FleetGroup::~FleetGroup() = default;
Status FleetGroup::connect() { return impl_->connect(); }
Status FleetGroup::prefill(const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  return impl_->prefill(progress);
}
LoadSpans FleetGroup::run(const LoadWindows& windows) { return impl_->run(windows); }
Result<std::uint64_t> FleetGroup::count_keys() const { return impl_->count_keys(); }
void FleetGroup::stop() { impl_->stop(); }

}  // namespace headroom::load
