#include "store/run_samples.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "scenario/parse.h"
#include "scenario/print.h"

namespace headroom::store {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint32_t kWorkers = 9;

void must(const Status& status) { check(status.has_value(), "a write of the test's"); }

stats::Histogram histogram_of(std::initializer_list<Nanos> values) {
  stats::Histogram histogram;
  for (const Nanos value : values) histogram.record(value);
  return histogram;
}

record::OperationCounts counts_of(std::uint64_t start) {
  record::OperationCounts counts;
  counts.sent = start;
  for (std::size_t i = 0; i < counts.outcomes.size(); ++i) counts.outcomes[i] = start * 100 + i;
  return counts;
}

record::Interval interval_of(record::Phase phase, std::int64_t index, Nanos begin, Nanos length) {
  return {.phase = phase, .index = index, .begin = begin, .end = begin + length};
}

record::MergedInterval merged_interval(const record::Interval& interval, std::uint64_t start) {
  record::MergedInterval merged;
  merged.interval = interval;
  merged.workers = 2;
  merged.counts = {counts_of(start), {}};
  merged.latencies = {
      {{0, record::Outcome::kOk, record::LatencyKind::kService},
       histogram_of({Nanos{1}, microseconds{70}, microseconds{start}, std::chrono::hours{2}})},
      {{1, record::Outcome::kHit, record::LatencyKind::kService}, histogram_of({milliseconds{3}})},
      {{1, record::Outcome::kHit, record::LatencyKind::kResponse}, histogram_of({seconds{3}})}};
  merged.connects = {
      {{record::ConnectStep::kConnect, false}, histogram_of({microseconds{90}, microseconds{91}})},
      {{record::ConnectStep::kTls, true}, histogram_of({milliseconds{1}})},
      {{record::ConnectStep::kGreeting, true}, histogram_of({microseconds{start}})}};
  merged.cache_aside = record::CacheAside{9,
                                          2,
                                          3,
                                          4,
                                          histogram_of({milliseconds{2}, milliseconds{3}}),
                                          histogram_of({milliseconds{4}, seconds{5}})};
  record::NodeCounts busy{counts_of(start + 1), 3, 4, 5};
  merged.nodes = {{"127.0.0.1:7000", busy, histogram_of({microseconds{70}, microseconds{start}}),
                   histogram_of({milliseconds{3}})},
                  {"[::1]:7001", {counts_of(start + 2), 0, 0, start}, {}, {}}};
  merged.outages = {{"127.0.0.1:7000", 1, interval.begin, interval.end, "[::1]:7001"},
                    {"[::1]:7001", 0, interval.begin + Nanos{1}, std::nullopt, ""}};
  return merged;
}

record::WorkerCounts worker_counts(const record::Interval& interval, std::uint32_t worker) {
  return {
      .worker = worker,
      .interval = interval,
      .counts = {counts_of(worker + 1), counts_of(0)},
      .health = {.cpu = milliseconds{worker + 2},
                 .loop_lag_max = microseconds{worker + 3},
                 .loops = 4,
                 .bytes_sent = 5,
                 .bytes_received = std::uint64_t{1} << 62U,
                 .connections_opened = 7,
                 .connections_lost = 8,
                 .connections_refused = 9,
                 .connections_renewed = 11,
                 .connections_idle = 12,
                 .in_flight = 10,
                 .schedule = record::ScheduleHealth{
                     .due = worker + 11U, .late = 12, .backlog = 13, .lag_max = microseconds{14}}}};
}

void add_load(record::Run& run) {
  const Nanos begin = seconds{2};
  const auto first = interval_of(record::Phase::kMeasure, 0, begin, seconds{1});
  const auto second =
      interval_of(record::Phase::kMeasure, 1, begin + seconds{1}, Nanos{499'999'999});
  run.intervals = {merged_interval(first, 5), merged_interval(second, 6)};
  for (const record::Interval& interval : {first, second}) {
    for (const std::uint32_t worker : {0U, 1U}) {
      run.workers.push_back(worker_counts(interval, worker));
    }
  }
  run.workers.back().health.schedule.reset();  // as in closed loop
  record::WorkerWindow window;
  window.worker = 1;
  window.phase = record::Phase::kMeasure;
  window.latencies = {{{1, record::Outcome::kMiss, record::LatencyKind::kService},
                       histogram_of({microseconds{80}, microseconds{81}})}};
  window.loop_lag = histogram_of({Nanos{900}});
  window.schedule_lag = histogram_of({microseconds{20}, microseconds{30}});
  run.worker_windows = {window, {}};
  run.worker_windows[1].phase = record::Phase::kDrain;
}

}  // namespace

record::RunHeader sample_header() {
  record::RunHeader header;
  header.run_id = "0123456789abcdef";
  header.started = {std::chrono::nanoseconds{1'780'000'000'123'456'789}};
  auto scenario = scenario::parse_scenario("name = \"sample\"\nload.workers = 9\n", "sample.toml");
  check(scenario.has_value(), "the sample's scenario is valid");
  header.scenario = *scenario;
  header.scenario_toml = scenario::print_scenario(*scenario);
  header.operations = {"SET", "GET"};
  header.command_line = "headroom run 'it''s \"odd\".toml'";
  header.tool_version = "0.1.0-test";
  return header;
}

std::vector<record::RequestRecord> sample_requests() {
  return {{.sent = seconds{3},
           .worker = 8,
           .connection = 2,
           .operation = 1,
           .outcome = record::Outcome::kHit,
           .key = "key ✓",
           .value_bytes = 100,
           .service = milliseconds{70},
           .response = milliseconds{90}},
          {.sent = seconds{2}, .outcome = record::Outcome::kTimeout, .key = "k"}};
}

record::Run sample_run() {
  record::Run run;
  run.header = sample_header();
  run.facts = {{"engine.version", "9.1.2"}, {"empty", ""}, {"nul", std::string("a\0b", 3)}};
  Nanos at{0};
  for (const record::Phase phase : record::kPhases) {
    run.phases.push_back({phase, at, at + milliseconds{700}});
    at += milliseconds{700};
  }
  run.phases.back().end.reset();
  add_load(run);
  const record::LatencyKey hit{1, record::Outcome::kHit, record::LatencyKind::kService};
  run.splits = {{{record::Split::kValueSize, 128, hit}, histogram_of({seconds{1}})},
                {{record::Split::kKeys, record::kHotKeys, hit},
                 histogram_of({milliseconds{1}, milliseconds{2}})}};
  run.slowest = sample_requests();
  const auto catalogue = record::metric_catalogue();
  run.metrics = {
      {std::string(catalogue[0].name), "", {{seconds{1}, 0.0}, {seconds{2}, 67'108'864.0}}},
      {std::string(catalogue[0].name), "", {{seconds{2}, 4.5}}, "127.0.0.1:6401"},
      {std::string(catalogue[1].name), "get", {{seconds{2}, 0.1}}},
      {std::string(catalogue[1].name), "set", {{seconds{2}, -1e300}, {seconds{3}, 1e15 + 1}}},
      {std::string(catalogue[1].name), "get", {{seconds{2}, 6}}, "127.0.0.1:6401"}};
  run.members = {{"127.0.0.1:6401", 1, record::MemberRole::kPrimary},
                 {"127.0.0.1:6402", 1, record::MemberRole::kReplica}};
  for (int kind = 0; record::event_from_value(kind); ++kind) {
    run.events.push_back({seconds{kind}, *record::event_from_value(kind), "what\nhappened ✓"});
  }
  for (const record::WarningInfo& info : record::warning_catalogue()) {
    run.warnings.push_back({info.kind, "seen: 3 of 4"});
  }
  run.receipts = {{seconds{8}, "process gone", "pid 4711: no such process", true},
                  {seconds{9}, "port closed", "", false}};
  return run;
}

void write_run(RunWriter& writer, const record::Run& run) {
  for (const auto& [key, value] : run.facts) must(writer.fact(key, value));
  for (const record::PhaseSpan& span : run.phases) {
    must(writer.phase_began(span.phase, span.begin));
    if (span.end) must(writer.phase_ended(span.phase, *span.end));
  }
  // Workers are heard before all of them can be merged.
  for (const record::WorkerCounts& counts : run.workers) must(writer.worker_counts(counts));
  for (const record::MergedInterval& interval : run.intervals) must(writer.interval(interval));
  for (const record::WorkerWindow& window : run.worker_windows) must(writer.worker_window(window));
  for (const record::Member& member : run.members) must(writer.member(member));
  for (const record::SplitSeries& series : run.splits) must(writer.split_latency(series));
  for (const record::RequestRecord& request : run.slowest) must(writer.slow_request(request));
  for (const record::RequestRecord& request : sample_requests())
    must(writer.logged_request(request));
  for (const record::MetricSeries& series : run.metrics) {
    for (const record::Point& point : series.points) {
      must(writer.samples(
          {point.time, {{record::metric(series.metric), series.label, point.value}}, series.node}));
    }
  }
  for (const record::Event& event : run.events) must(writer.event(event));
  for (const record::Warning& warning : run.warnings) must(writer.warning(warning));
  for (const record::Receipt& receipt : run.receipts) must(writer.receipt(receipt));
  must(writer.commit());
}

namespace {

void expect_same_latencies(const std::vector<record::LatencySeries>& actual,
                           const std::vector<record::LatencySeries>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    EXPECT_EQ(actual[i].key, expected[i].key);
    EXPECT_EQ(actual[i].histogram, expected[i].histogram);
  }
}

void expect_same_connects(const std::vector<record::ConnectSeries>& actual,
                          const std::vector<record::ConnectSeries>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    EXPECT_EQ(actual[i].key, expected[i].key);
    EXPECT_EQ(actual[i].histogram, expected[i].histogram);
  }
}

void expect_same_fills(const std::optional<record::CacheAside>& actual,
                       const std::optional<record::CacheAside>& expected) {
  ASSERT_EQ(actual.has_value(), expected.has_value());
  if (!actual) return;
  EXPECT_EQ(actual->begun, expected->begun);
  EXPECT_EQ(actual->filled, expected->filled);
  EXPECT_EQ(actual->failed, expected->failed);
  EXPECT_EQ(actual->abandoned, expected->abandoned);
  EXPECT_EQ(actual->service, expected->service);
  EXPECT_EQ(actual->response, expected->response);
}

void expect_same_nodes(const std::vector<record::NodeSeries>& actual,
                       const std::vector<record::NodeSeries>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    EXPECT_EQ(actual[i].node, expected[i].node);
    EXPECT_EQ(actual[i].counts, expected[i].counts);
    EXPECT_EQ(actual[i].service, expected[i].service);
    EXPECT_EQ(actual[i].response, expected[i].response);
  }
}

void expect_same_header(const record::RunHeader& actual, const record::RunHeader& expected) {
  EXPECT_EQ(actual.run_id, expected.run_id);
  EXPECT_EQ(actual.started, expected.started);
  EXPECT_EQ(actual.scenario_toml, expected.scenario_toml);
  EXPECT_EQ(scenario::print_scenario(actual.scenario), scenario::print_scenario(expected.scenario));
  EXPECT_EQ(actual.operations, expected.operations);
  EXPECT_EQ(actual.command_line, expected.command_line);
  EXPECT_EQ(actual.tool_version, expected.tool_version);
}

void expect_same_load(const record::Run& actual, const record::Run& expected) {
  ASSERT_EQ(actual.intervals.size(), expected.intervals.size());
  for (std::size_t i = 0; i < actual.intervals.size(); ++i) {
    EXPECT_EQ(actual.intervals[i].interval, expected.intervals[i].interval);
    EXPECT_EQ(actual.intervals[i].counts, expected.intervals[i].counts);
    EXPECT_EQ(actual.intervals[i].workers, expected.intervals[i].workers);
    expect_same_latencies(actual.intervals[i].latencies, expected.intervals[i].latencies);
    expect_same_connects(actual.intervals[i].connects, expected.intervals[i].connects);
    expect_same_fills(actual.intervals[i].cache_aside, expected.intervals[i].cache_aside);
    expect_same_nodes(actual.intervals[i].nodes, expected.intervals[i].nodes);
    EXPECT_EQ(actual.intervals[i].outages, expected.intervals[i].outages);
  }
  ASSERT_EQ(actual.splits.size(), expected.splits.size());
  for (std::size_t i = 0; i < actual.splits.size(); ++i) {
    EXPECT_EQ(actual.splits[i].key, expected.splits[i].key);
    EXPECT_EQ(actual.splits[i].histogram, expected.splits[i].histogram);
  }
  EXPECT_EQ(actual.slowest, expected.slowest);
  ASSERT_EQ(actual.workers.size(), expected.workers.size());
  for (std::size_t i = 0; i < actual.workers.size(); ++i) {
    const record::WorkerCounts& a = actual.workers[i];
    const record::WorkerCounts& e = expected.workers[i];
    EXPECT_EQ(a.worker, e.worker);
    EXPECT_EQ(a.interval, e.interval);
    EXPECT_EQ(a.counts, e.counts);
    EXPECT_EQ(a.health.cpu, e.health.cpu);
    EXPECT_EQ(a.health.loop_lag_max, e.health.loop_lag_max);
    EXPECT_EQ(a.health.loops, e.health.loops);
    EXPECT_EQ(a.health.bytes_sent, e.health.bytes_sent);
    EXPECT_EQ(a.health.bytes_received, e.health.bytes_received);
    EXPECT_EQ(a.health.connections_opened, e.health.connections_opened);
    EXPECT_EQ(a.health.connections_lost, e.health.connections_lost);
    EXPECT_EQ(a.health.connections_refused, e.health.connections_refused);
    EXPECT_EQ(a.health.connections_renewed, e.health.connections_renewed);
    EXPECT_EQ(a.health.connections_idle, e.health.connections_idle);
    EXPECT_EQ(a.health.in_flight, e.health.in_flight);
    EXPECT_EQ(a.health.schedule, e.health.schedule);
  }
  ASSERT_EQ(actual.worker_windows.size(), expected.worker_windows.size());
  for (std::size_t i = 0; i < actual.worker_windows.size(); ++i) {
    EXPECT_EQ(actual.worker_windows[i].worker, expected.worker_windows[i].worker);
    EXPECT_EQ(actual.worker_windows[i].phase, expected.worker_windows[i].phase);
    EXPECT_EQ(actual.worker_windows[i].loop_lag, expected.worker_windows[i].loop_lag);
    EXPECT_EQ(actual.worker_windows[i].schedule_lag, expected.worker_windows[i].schedule_lag);
    expect_same_latencies(actual.worker_windows[i].latencies, expected.worker_windows[i].latencies);
  }
}

void expect_same_metrics(const record::Run& actual, const record::Run& expected) {
  ASSERT_EQ(actual.metrics.size(), expected.metrics.size());
  for (std::size_t i = 0; i < actual.metrics.size(); ++i) {
    EXPECT_EQ(actual.metrics[i].metric, expected.metrics[i].metric);
    EXPECT_EQ(actual.metrics[i].label, expected.metrics[i].label);
    EXPECT_EQ(actual.metrics[i].node, expected.metrics[i].node);
    ASSERT_EQ(actual.metrics[i].points.size(), expected.metrics[i].points.size());
    for (std::size_t j = 0; j < actual.metrics[i].points.size(); ++j) {
      EXPECT_EQ(actual.metrics[i].points[j].time, expected.metrics[i].points[j].time);
      EXPECT_EQ(actual.metrics[i].points[j].value, expected.metrics[i].points[j].value);
    }
  }
}

void expect_same_remarks(const record::Run& actual, const record::Run& expected) {
  ASSERT_EQ(actual.events.size(), expected.events.size());
  for (std::size_t i = 0; i < actual.events.size(); ++i) {
    EXPECT_EQ(actual.events[i].time, expected.events[i].time);
    EXPECT_EQ(actual.events[i].kind, expected.events[i].kind);
    EXPECT_EQ(actual.events[i].text, expected.events[i].text);
  }
  ASSERT_EQ(actual.warnings.size(), expected.warnings.size());
  for (std::size_t i = 0; i < actual.warnings.size(); ++i) {
    EXPECT_EQ(actual.warnings[i].kind, expected.warnings[i].kind);
    EXPECT_EQ(actual.warnings[i].text, expected.warnings[i].text);
  }
  ASSERT_EQ(actual.receipts.size(), expected.receipts.size());
  for (std::size_t i = 0; i < actual.receipts.size(); ++i) {
    EXPECT_EQ(actual.receipts[i].time, expected.receipts[i].time);
    EXPECT_EQ(actual.receipts[i].what, expected.receipts[i].what);
    EXPECT_EQ(actual.receipts[i].evidence, expected.receipts[i].evidence);
    EXPECT_EQ(actual.receipts[i].proved, expected.receipts[i].proved);
  }
}

}  // namespace

void expect_same_run(const record::Run& actual, const record::Run& expected) {
  expect_same_header(actual.header, expected.header);
  EXPECT_EQ(actual.facts, expected.facts);
  ASSERT_EQ(actual.phases.size(), expected.phases.size());
  for (std::size_t i = 0; i < actual.phases.size(); ++i) {
    EXPECT_EQ(actual.phases[i].phase, expected.phases[i].phase);
    EXPECT_EQ(actual.phases[i].begin, expected.phases[i].begin);
    EXPECT_EQ(actual.phases[i].end, expected.phases[i].end);
  }
  expect_same_load(actual, expected);
  EXPECT_EQ(actual.members, expected.members);
  expect_same_metrics(actual, expected);
  expect_same_remarks(actual, expected);
  EXPECT_EQ(actual.end, expected.end);
  EXPECT_EQ(actual.end_reason, expected.end_reason);
}

ScratchDirectory::ScratchDirectory() {
  std::string name = (std::filesystem::temp_directory_path() / "store-test-XXXXXX").string();
  check(::mkdtemp(name.data()) != nullptr, "make a scratch directory");
  path_ = name;
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::vector<std::string> ScratchDirectory::names() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path_)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

RunWriter must_create(const std::filesystem::path& path, const record::RunHeader& header) {
  auto writer = RunWriter::create(path, header);
  if (!writer) ADD_FAILURE() << writer.error().message;
  check(writer.has_value(), "create a run file");
  return std::move(*writer);
}

void make_sealed_run(const std::filesystem::path& path) {
  RunWriter writer = must_create(path);
  write_run(writer, sample_run());
  must(writer.seal(record::RunEnd::kComplete, "all phases done"));
}

BusySeconds::BusySeconds(std::uint64_t seed) : random_(seed) {
  constexpr std::size_t kPoints = std::size_t{1} << 16U;
  constexpr double kMedianNs = 300'000;
  constexpr double kSigma = 0.3;
  // Box and Muller's transform of random numbers; sorting is not needed to draw from them.
  for (std::size_t i = 0; i < kPoints; ++i) {
    const double radius = std::sqrt(-2 * std::log(1 - random_.uniform()));
    const double normal = radius * std::cos(2 * 3.14159265358979 * random_.uniform());
    double value = kMedianNs * std::exp(kSigma * normal);
    if (random_.below(500) == 0) value *= 1 - 5 * std::log(1 - random_.uniform());
    quantiles_ns_.push_back(value);
  }
}

Nanos BusySeconds::latency() {
  const double base = quantiles_ns_[random_.below(quantiles_ns_.size())];
  const double drift = 1 + 0.05 * std::sin(static_cast<double>(second_) / 60);
  return Nanos{std::llround(base * drift * (0.99 + 0.02 * random_.uniform()))};
}

std::vector<record::WorkerCounts> BusySeconds::workers(const record::Interval& interval) {
  std::vector<record::WorkerCounts> all;
  for (std::uint32_t worker = 0; worker < kWorkers; ++worker) {
    record::WorkerCounts one;
    one.worker = worker;
    one.interval = interval;
    one.counts.resize(2);
    const std::uint64_t sets = 520 + random_.below(70);
    const std::uint64_t gets = 4'900 + random_.below(200);
    const std::uint64_t misses = gets / 10 + random_.below(20);
    one.counts[0].sent = sets;
    one.counts[0].outcomes[static_cast<std::size_t>(record::Outcome::kOk)] = sets;
    one.counts[1].sent = gets;
    one.counts[1].outcomes[static_cast<std::size_t>(record::Outcome::kHit)] = gets - misses;
    one.counts[1].outcomes[static_cast<std::size_t>(record::Outcome::kMiss)] = misses;
    one.health = {.cpu = Nanos{150'000'000 + static_cast<std::int64_t>(random_.below(50'000'000))},
                  .loop_lag_max = Nanos{static_cast<std::int64_t>(random_.below(4'000'000))},
                  .loops = 4'000 + random_.below(1'000),
                  .bytes_sent = sets * 1'104 + gets * 64,
                  .bytes_received = sets * 5 + (gets - misses) * 1'034 + misses * 5,
                  .in_flight = 2};
    all.push_back(std::move(one));
  }
  return all;
}

record::SampleBatch BusySeconds::samples(Nanos time) {
  const auto catalogue = record::metric_catalogue();
  levels_.resize(catalogue.size() + 16);
  record::SampleBatch batch{time, {}};
  // Counters of seconds and of events, gauges that move and gauges that rest, as on a real node
  // that is nobody's replica.
  static constexpr std::array<std::string_view, 3> kOfReplicas = {
      "ReplicationLag", "replication_lag_bytes", "MasterLinkHealthStatus"};
  for (record::MetricId id = 0; id < catalogue.size(); ++id) {
    const record::MetricInfo& info = catalogue[id];
    if (std::ranges::find(kOfReplicas, info.name) != kOfReplicas.end()) continue;
    if (info.name == "command_latency_count") continue;  // at the edges of the window only
    const bool labelled = info.name.starts_with("command_");
    for (std::size_t label = 0; label < (labelled ? 3U : 1U); ++label) {
      double& level = levels_[labelled ? catalogue.size() + label : id];
      if (info.unit == "seconds") {
        level += std::round(random_.uniform() * 1e6) / 1e6;
      } else if (info.kind == record::MetricKind::kCounter) {
        if (id % 2 == 0) level += static_cast<double>(random_.below(60'000));
      } else if (info.unit == "flag") {
        level = info.name == "IsMaster" ? 1 : 0;
      } else if (id % 2 == 0) {
        level = static_cast<double>(400'000'000 + random_.below(4'000'000));
      }
      static constexpr const char* kCommands[] = {"get", "set", "info"};
      batch.samples.push_back({id, labelled ? kCommands[label] : "", level});
    }
  }
  return batch;
}

Status BusySeconds::write_next(RunWriter& writer) {
  record::MergedInterval merged;
  merged.interval = interval_of(record::Phase::kMeasure, second_,
                                seconds{second_} + Nanos{5'123'456'789}, seconds{1});
  merged.workers = kWorkers;
  merged.counts.resize(2);
  for (const record::WorkerCounts& worker : workers(merged.interval)) {
    for (std::size_t i = 0; i < 2; ++i) merged.counts[i].add(worker.counts[i]);
    if (Status written = writer.worker_counts(worker); !written) return written;
  }
  const auto histogram = [&](std::uint16_t operation, record::Outcome outcome) {
    stats::Histogram result;
    for (std::uint64_t i = merged.counts[operation].of(outcome); i > 0; --i) {
      result.record(latency());
    }
    merged.latencies.push_back(
        {{operation, outcome, record::LatencyKind::kService}, std::move(result)});
  };
  histogram(0, record::Outcome::kOk);
  histogram(1, record::Outcome::kHit);
  histogram(1, record::Outcome::kMiss);
  if (Status written = writer.interval(merged); !written) return written;
  const Nanos jitter{static_cast<std::int64_t>(random_.below(1'000'000))};
  ++second_;
  return writer.samples(samples(merged.interval.end + jitter));
}

}  // namespace headroom::store
