// Makes records of runs whose truth is known, for the tests of analysis and report. Header only, so
// that a test may use it with nothing but the libraries it tests.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "record/run.h"

namespace headroom::testing {

// What one worker's load is in one second; the builder multiplies it by the workers.
struct LoadSecond {
  std::uint64_t sets = 100;
  std::uint64_t hits = 900;
  std::uint64_t misses = 100;
  Nanos set_latency = std::chrono::microseconds{120};
  Nanos get_latency = std::chrono::microseconds{100};
  double worker_cpu_ratio = 0.30;
  // In open loop (RunBuilder::asked).
  std::uint64_t due = 0;
  std::uint64_t late = 0;
  std::uint64_t unsent = 0;  // GETs, due for unsent_age when they were given up
  Nanos unsent_age{0};
  Nanos waited{0};  // every request, from intended time to send
};

// A run of a local node: a sample a second from -0.5 s before the load on, exact at the boundaries.
// Defaults describe a quiet run; every member of the chain changes one thing. Times are run time.
class RunBuilder {
 public:
  static constexpr Nanos kLoadBegin = std::chrono::seconds{2};

  RunBuilder() {
    run_.header.run_id = "00112233445566778899aabbccddeeff";
    run_.header.started = WallTime{std::chrono::seconds{1'780'000'000}};
    run_.header.operations = {"SET", "GET"};
    run_.header.command_line = "headroom run made-up.toml";
    run_.header.tool_version = "0.1.0";
    run_.header.scenario_toml = "name = \"made-up\"\n";
    scenario::Scenario& scenario = run_.header.scenario;
    scenario.name = "made-up";
    scenario.seed = 1;
    scenario.target.maxmemory_bytes = 64U << 20U;
    scenario.target.maxmemory_policy = "allkeys-lru";
    scenario.workload.value_size = 1024U;
    scenario.workload.set_weight = 1;
    scenario.workload.get_weight = 10;
    scenario.load.workers = 3;
    scenario.load.connections = 2;
    scenario.load.pipeline = 1;
    scenario.timing.drain = std::chrono::seconds{2};
    scenario.timing.sample_interval = std::chrono::seconds{1};
    run_.facts = {{"engine.name", "valkey"}, {"engine.version", "9.1.2"}, {"host.cpus", "2"}};
    run_.end = record::RunEnd::kComplete;
  }

  RunBuilder& workers(std::uint32_t count) {
    run_.header.scenario.load.workers = count;
    return *this;
  }
  RunBuilder& warmup(std::int64_t seconds) {
    warmup_seconds_ = seconds;
    return *this;
  }
  RunBuilder& measure(std::int64_t seconds) {
    measure_seconds_ = seconds;
    return *this;
  }
  // Makes it an open loop; the load says what was due.
  RunBuilder& asked(std::uint64_t per_s) {
    run_.header.scenario.load.rate = scenario::ConstantRate{per_s};
    return *this;
  }
  // The load of second `i` of warm-up and measure counted together.
  RunBuilder& load(std::function<LoadSecond(std::int64_t)> load) {
    load_ = std::move(load);
    return *this;
  }
  // A metric's value as a function of seconds since the load began (negative before it).
  RunBuilder& metric(const std::string& name, std::function<double(double)> value,
                     const std::string& label = "") {
    without(name, label);
    metrics_.push_back({name, label, std::move(value)});
    return *this;
  }
  RunBuilder& without(const std::string& name, const std::string& label = "") {
    std::erase_if(metrics_, [&](const Metric& m) { return m.name == name && m.label == label; });
    return *this;
  }
  RunBuilder& without_telemetry() {
    metrics_.clear();
    return *this;
  }
  // Leaves out the samples in [from, to), seconds since the load began.
  RunBuilder& hole(double from, double to) {
    holes_.emplace_back(from, to);
    return *this;
  }
  // The process died after this many seconds of warm-up and measure: no later record, no seal.
  RunBuilder& killed_after(std::int64_t seconds) {
    killed_after_ = seconds;
    run_.end.reset();
    return *this;
  }
  // A last look at the run, for what the chain does not cover.
  RunBuilder& edit(std::function<void(record::Run&)> change) {
    edits_.push_back(std::move(change));
    return *this;
  }

  [[nodiscard]] record::Run build() {
    scenario::Timing& timing = run_.header.scenario.timing;
    timing.warmup = std::chrono::seconds{warmup_seconds_};
    timing.measure = std::chrono::seconds{measure_seconds_};
    add_phases();
    for (std::int64_t second = 0; second < load_seconds(); ++second) add_second(second);
    if (run_.end) add_worker_windows();
    add_samples();
    for (const auto& change : edits_) change(run_);
    return std::move(run_);
  }

 private:
  struct Metric {
    std::string name;
    std::string label;
    std::function<double(double)> value;
  };

  [[nodiscard]] static double seconds_of(Nanos offset) {
    return std::chrono::duration<double>(offset).count();
  }
  [[nodiscard]] static std::function<double(double)> rate(double per_second) {
    return [per_second](double t) { return per_second * std::max(0.0, t); };
  }
  [[nodiscard]] std::int64_t planned_seconds() const { return warmup_seconds_ + measure_seconds_; }
  [[nodiscard]] std::int64_t load_seconds() const {
    return killed_after_ < 0 ? planned_seconds() : std::min(killed_after_, planned_seconds());
  }
  [[nodiscard]] Nanos measure_begin() const {
    return kLoadBegin + std::chrono::seconds{warmup_seconds_};
  }
  [[nodiscard]] Nanos load_end() const {
    return kLoadBegin + std::chrono::seconds{planned_seconds()};
  }

  void add_phases() {
    using record::Phase;
    const auto add = [&](Phase phase, Nanos begin, Nanos end) {
      if (begin >= end) return;
      const Nanos died = kLoadBegin + std::chrono::seconds{load_seconds()};
      if (run_.end)
        run_.phases.push_back({phase, begin, end});
      else if (begin <= died)
        run_.phases.push_back({phase, begin, end < died ? std::optional{end} : std::nullopt});
    };
    add(Phase::kProvision, Nanos{0}, std::chrono::seconds{1});
    add(Phase::kConnect, std::chrono::seconds{1}, kLoadBegin);
    add(Phase::kWarmup, kLoadBegin, measure_begin());
    add(Phase::kMeasure, measure_begin(), load_end());
    if (!run_.end) return;
    add(Phase::kDrain, load_end(), load_end() + std::chrono::milliseconds{1});
    add(Phase::kTeardown, load_end() + std::chrono::seconds{1},
        load_end() + std::chrono::seconds{2});
  }

  void add_second(std::int64_t second) {
    using record::Outcome;
    const LoadSecond load = load_(second);
    const bool warming = second < warmup_seconds_;
    record::Interval interval;
    interval.phase = warming ? record::Phase::kWarmup : record::Phase::kMeasure;
    interval.index = warming ? second : second - warmup_seconds_;
    interval.begin = kLoadBegin + std::chrono::seconds{second};
    interval.end = interval.begin + record::kIntervalLength;

    std::vector<record::OperationCounts> counts(2);
    counts[0].sent = load.sets;
    counts[0].outcomes[static_cast<std::size_t>(Outcome::kOk)] = load.sets;
    counts[1].sent = load.hits + load.misses;
    counts[1].outcomes[static_cast<std::size_t>(Outcome::kHit)] = load.hits;
    counts[1].outcomes[static_cast<std::size_t>(Outcome::kMiss)] = load.misses;
    counts[1].outcomes[static_cast<std::size_t>(Outcome::kUnsent)] = load.unsent;
    const bool open = run_.header.scenario.load.rate.has_value();

    const std::uint32_t workers = run_.header.scenario.load.workers;
    record::MergedInterval merged{interval, std::vector<record::OperationCounts>(2), {}, workers};
    for (std::uint32_t worker = 0; worker < workers; ++worker) {
      record::WorkerCounts own{worker, interval, counts, {}};
      own.health.cpu = Nanos{static_cast<std::int64_t>(load.worker_cpu_ratio * 1e9)};
      own.health.loop_lag_max = std::chrono::microseconds{50};
      own.health.loops = load.sets + load.hits + load.misses;
      if (open) own.health.schedule = {load.due, load.late, load.late, load.waited};
      run_.workers.push_back(own);
      for (std::size_t i = 0; i < counts.size(); ++i) merged.counts[i].add(counts[i]);
    }
    const auto add_latency = [&](record::LatencyKey key, Nanos latency, std::uint64_t times) {
      if (times == 0) return;
      record::LatencySeries series{key, {}};
      series.histogram.record(latency, times * workers);
      merged.latencies.push_back(std::move(series));
    };
    const auto add_latencies = [&](record::LatencyKind kind, Nanos waited) {
      add_latency({0, Outcome::kOk, kind}, waited + load.set_latency, load.sets);
      add_latency({1, Outcome::kHit, kind}, waited + load.get_latency, load.hits);
      add_latency({1, Outcome::kMiss, kind}, waited + load.get_latency, load.misses);
    };
    add_latencies(record::LatencyKind::kService, Nanos{0});
    if (open) {
      add_latencies(record::LatencyKind::kResponse, load.waited);
      add_latency({1, Outcome::kUnsent, record::LatencyKind::kResponse}, load.unsent_age,
                  load.unsent);
    }
    run_.intervals.push_back(std::move(merged));
  }

  void add_worker_windows() {
    for (std::uint32_t worker = 0; worker < run_.header.scenario.load.workers; ++worker) {
      record::WorkerWindow window{worker, record::Phase::kMeasure, {}, {}, {}};
      for (const record::WorkerCounts& counts : run_.workers) {
        if (counts.worker == worker && counts.interval.phase == record::Phase::kMeasure)
          window.loop_lag.record(std::chrono::microseconds{5}, counts.health.loops);
        if (counts.worker == worker && counts.health.schedule)
          window.schedule_lag.record(counts.health.schedule->lag_max, counts.counts[1].sent);
      }
      run_.worker_windows.push_back(std::move(window));
    }
  }

  void add_samples() {
    std::vector<Nanos> times;
    const Nanos end = kLoadBegin + std::chrono::seconds{load_seconds()};
    const Nanos half = std::chrono::milliseconds{500};
    for (Nanos t = kLoadBegin - half; t <= end; t += std::chrono::seconds{1}) times.push_back(t);
    for (const Nanos boundary : {measure_begin(), end, end + std::chrono::milliseconds{2}}) {
      if (run_.end || boundary <= end) times.push_back(boundary);
    }
    std::ranges::sort(times);
    times.erase(std::unique(times.begin(), times.end()), times.end());
    for (const Metric& metric : metrics_) {
      record::MetricSeries series{metric.name, metric.label, {}};
      for (const Nanos time : times) {
        // The engine rests when the load has ended.
        const double t =
            std::min(seconds_of(time - kLoadBegin), static_cast<double>(planned_seconds()));
        const bool lost = std::ranges::any_of(
            holes_, [t](const auto& hole) { return t >= hole.first && t < hole.second; });
        if (!lost) series.points.push_back({time, metric.value(t)});
      }
      run_.metrics.push_back(std::move(series));
    }
  }

  record::Run run_;
  std::int64_t warmup_seconds_ = 0;
  std::int64_t measure_seconds_ = 40;
  std::int64_t killed_after_ = -1;
  std::function<LoadSecond(std::int64_t)> load_ = [](std::int64_t) { return LoadSecond{}; };
  std::vector<std::pair<double, double>> holes_;
  std::vector<std::function<void(record::Run&)>> edits_;
  std::vector<Metric> metrics_ = {
      {"BytesUsedForCache", "", [](double t) { return 2e6 + 411'450.0 * std::max(0.0, t); }},
      {"maxmemory", "", [](double) { return 64.0 * 1024 * 1024; }},
      {"CurrItems", "", rate(300)},
      {"Evictions", "", [](double) { return 0.0; }},
      {"Reclaimed", "", [](double) { return 0.0; }},
      {"CacheHits", "", rate(2'700)},
      {"CacheMisses", "", rate(300)},
      {"MemoryFragmentationRatio", "", [](double) { return 1.05; }},
      {"used_memory_dataset", "", rate(400'000)},
      {"process_rss_bytes", "", [](double t) { return 9e6 + 420'000.0 * std::max(0.0, t); }},
      {"process_swap_bytes", "", [](double) { return 0.0; }},
      {"used_cpu_user_seconds", "", rate(0.20)},
      {"used_cpu_sys_seconds", "", rate(0.25)},
      {"used_cpu_user_main_thread_seconds", "", rate(0.18)},
      {"used_cpu_sys_main_thread_seconds", "", rate(0.22)},
      {"host_cpu_busy_seconds", "", rate(1.2)},
      {"host_cpu_total_seconds", "", rate(2)},
      {"host_cpus", "", [](double) { return 2.0; }},
      {"engine_uptime_seconds", "", [](double t) { return t + 10; }},
      {"command_calls", "set", rate(300)},
      {"command_calls", "get", rate(3'000)},
  };
};

}  // namespace headroom::testing
