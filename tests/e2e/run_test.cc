// Whole runs against real engines: what they leave is complete, adds up, and agrees with the
// engine.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/summary.h"
#include "store/run_reader.h"
#include "tests/e2e/harness.h"

namespace headroom::e2e {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;

class RunTest : public EngineTest {};
HEADROOM_FOR_EACH_ENGINE(RunTest);

void expect_everything_taken_down(const record::Run& run) {
  std::vector<std::string> proved;
  for (const record::Receipt& receipt : run.receipts) {
    EXPECT_TRUE(receipt.proved) << receipt.what << ": " << receipt.evidence;
    proved.push_back(receipt.what);
  }
  EXPECT_THAT(proved, IsSupersetOf({"process gone", "port closed", "directory removed"}));
}

void expect_phases_in_order(const record::Run& run) {
  Nanos last{0};
  for (const record::PhaseSpan& span : run.phases) {
    EXPECT_GE(span.begin, last) << record::phase_name(span.phase);
    ASSERT_TRUE(span.end) << record::phase_name(span.phase);
    EXPECT_GE(*span.end, span.begin) << record::phase_name(span.phase);
    last = span.begin;
  }
  for (const record::Phase phase : {record::Phase::kMeasure, record::Phase::kVerify}) {
    EXPECT_NE(run.phase(phase), nullptr) << record::phase_name(phase);
  }
}

// Memory fills, then evictions begin: on Valkey 9 a key of 44 bytes with a value of 1,024 takes
// 1,371.5 bytes, and the first eviction comes when that many bytes times the keys fill maxmemory.
void expect_known_bytes_per_key(const record::Run& run, const analysis::Summary& summary) {
  constexpr double kBytesPerKey = 1371.5;
  constexpr double kMaxmemory = 32.0 * 1024 * 1024;
  ASSERT_TRUE(summary.bytes_per_key);
  EXPECT_NEAR(*summary.bytes_per_key, kBytesPerKey, 0.01 * kBytesPerKey);

  const auto keys = points(run, "CurrItems");
  const auto used = points(run, "BytesUsedForCache");
  const auto evictions = points(run, "Evictions");
  ASSERT_EQ(keys.size(), evictions.size());
  const double empty = used.front().value;
  const auto full = std::ranges::find_if(keys, [&](const record::Point& point) {
    return empty + point.value * kBytesPerKey >= 0.99 * kMaxmemory;
  });
  const auto evicting =
      std::ranges::find_if(evictions, [](const record::Point& point) { return point.value > 0; });
  ASSERT_NE(full, keys.end());
  ASSERT_NE(evicting, evictions.end());
  EXPECT_LE(std::abs((full - keys.begin()) - (evicting - evictions.begin())), 1)
      << "full at " << full->time.count() << " ns, evicting at " << evicting->time.count() << " ns";
}

TEST_P(RunTest, FillsMemoryUntilItEvictsAndSaysSo) {
  const std::string file = path("boundary.run");
  const Finished run_ended =
      run_headroom({"run",
                    local_scenario(engine(),
                                   "maxmemory = \"32MiB\"\n"
                                   "[workload]\nvalue_size = \"1KiB\"\nratio = \"1:2\"\n"
                                   "[load]\nworkers = 3\nconnections = 2\n"
                                   "[timing]\nmeasure = \"8s\"\nsample_interval = \"250ms\"\n"),
                    "-o", file},
                   options());
  ASSERT_EQ(run_ended.exit_code, 0) << run_ended.err;
  EXPECT_THAT(run_ended.out, HasSubstr("boundary"));
  EXPECT_LT(run_ended.took, 8s + 2s + 5s);

  const Result<store::Verification> verification = store::verify_run(file);
  ASSERT_TRUE(verification);
  EXPECT_EQ(verification->state, store::SealState::kSealed);

  const record::Run run = read(file);
  EXPECT_EQ(run.end, record::RunEnd::kComplete);
  expect_phases_in_order(run);
  expect_everything_taken_down(run);
  EXPECT_EQ(total(run, "GET").completed(), total(run, "GET").sent) << story(run);

  const analysis::Summary summary = analysis::summarize(run);
  EXPECT_EQ(summary.regime.regime, analysis::Regime::kBoundary) << summary.regime.evidence;
  EXPECT_EQ(summary.configured_slots, 6U);
  EXPECT_TRUE(summary.first_eviction);
  EXPECT_GT(summary.measure.evictions.value_or(0), 0);
  ASSERT_TRUE(summary.measure.hit_ratio_client && summary.measure.hit_ratio_engine);
  EXPECT_NEAR(*summary.measure.hit_ratio_client, *summary.measure.hit_ratio_engine, 0.01);
  EXPECT_TRUE(summary.measure.engine_cpu_main_thread);
}

TEST_P(RunTest, FindsTheKnownMemoryOfAKeyAndTheCliffItImplies) {
  if (!is_valkey()) GTEST_SKIP() << "the reference was measured on Valkey 9";
  const std::string file = path("memory.run");
  // Nine million keys of one worker: nine in ten have seven digits and so 44 bytes.
  const Finished run_ended =
      run_headroom({"run",
                    local_scenario(engine(),
                                   "maxmemory = \"32MiB\"\n"
                                   "[workload]\nvalue_size = \"1024B\"\nratio = \"1:1\"\n"
                                   "keys = 9000000\n"
                                   "[load]\nworkers = 1\nconnections = 2\n"
                                   "[timing]\nmeasure = \"6s\"\nsample_interval = \"250ms\"\n"),
                    "-o", file},
                   options());
  ASSERT_EQ(run_ended.exit_code, 0) << run_ended.err;
  const record::Run run = read(file);
  expect_known_bytes_per_key(run, analysis::summarize(run));
}

TEST_P(RunTest, SendsExactlyWhatTheEngineCounts) {
  Result<Engine> server = Engine::start(engine());
  ASSERT_TRUE(server) << server.error().message;
  const std::string file = path("conservation.run");
  const Finished run_ended = run_headroom(
      {"run",
       endpoint_scenario(server->address(),
                         "[workload]\nkeys = 20000\nvalue_size = \"100B\"\nratio = \"1:3\"\n"
                         "prefill = true\n"
                         "[load]\nworkers = 2\nconnections = 5\npipeline = 8\n"
                         "[timing]\nwarmup = \"1s\"\nmeasure = \"2s\"\n"),
       "-o", file, "--quiet"},
      options());
  ASSERT_EQ(run_ended.exit_code, 0) << run_ended.err;
  const record::Run run = read(file);
  for (const auto& [operation, command] :
       std::map<std::string, std::string>{{"SET", "set"}, {"GET", "get"}}) {
    const record::OperationCounts counts = total(run, operation);
    EXPECT_GT(counts.sent, 0U) << operation;
    EXPECT_EQ(counts.sent, counts.total()) << operation << " sent, against all outcomes";
    EXPECT_EQ(counts.sent, server->calls(command)) << operation << " sent, against commandstats";
    std::uint64_t by_worker = 0;
    const auto index =
        std::ranges::find(run.header.operations, operation) - run.header.operations.begin();
    for (const record::WorkerCounts& worker : run.workers) {
      by_worker += worker.counts.at(static_cast<std::size_t>(index)).sent;
    }
    EXPECT_EQ(counts.sent, by_worker) << operation << " of the run, against that of its workers";
  }
  EXPECT_EQ(server->keys(), 20000U);
  EXPECT_EQ(total(run, "GET").of(record::Outcome::kMiss), 0U);  // all keys were written before
}

TEST_P(RunTest, AgreesWithTheEngineOfALocalNodeOnEveryCommand) {
  const std::string file = path("local.run");
  const Finished run_ended = run_headroom(
      {"run",
       local_scenario(engine(),
                      "[workload]\nkeys = 3000\nprefill = true\n"
                      "[load]\nworkers = 2\n[timing]\nwarmup = \"1s\"\nmeasure = \"2s\"\n"),
       "-o", file, "--quiet"},
      options());
  ASSERT_EQ(run_ended.exit_code, 0) << run_ended.err;
  const record::Run run = read(file);
  EXPECT_EQ(static_cast<double>(total(run, "GET").sent),
            points(run, "command_calls", "get").back().value);
  EXPECT_EQ(static_cast<double>(total(run, "SET").sent),
            points(run, "command_calls", "set").back().value);
  const analysis::Summary summary = analysis::summarize(run);
  EXPECT_TRUE(summary.conservation.client_adds_up);
  EXPECT_EQ(summary.conservation.engine_agrees, true);
  EXPECT_EQ(summary.regime.regime, analysis::Regime::kHeadroom) << summary.regime.evidence;
}

// S uniform draws out of K keys leave K(1 - e^(-S/K)) of them distinct. Connections that shared a
// random stream would leave far fewer.
TEST_P(RunTest, StoresAsManyDistinctKeysAsIndependentStreamsWould) {
  Result<Engine> server = Engine::start(engine());
  ASSERT_TRUE(server) << server.error().message;
  constexpr std::uint64_t kWorkers = 3;
  constexpr std::uint64_t kKeysPerWorker = 40'000;
  const std::string file = path("distinct.run");
  const Finished run_ended = run_headroom(
      {"run",
       endpoint_scenario(server->address(),
                         fmt::format("[workload]\nkeys = {}\nvalue_size = \"10B\"\n"
                                     "ratio = \"1:0\"\n[load]\nworkers = {}\nconnections = 4\n"
                                     "[timing]\nmeasure = \"2s\"\n",
                                     kWorkers * kKeysPerWorker, kWorkers)),
       "-o", file, "--quiet"},
      options());
  ASSERT_EQ(run_ended.exit_code, 0) << run_ended.err;
  const record::Run run = read(file);
  // Each worker has its own part of the keys, and its own speed.
  std::map<std::uint32_t, double> sets;
  for (const record::WorkerCounts& worker : run.workers) {
    sets[worker.worker] += static_cast<double>(worker.counts.at(0).of(record::Outcome::kOk));
  }
  ASSERT_EQ(sets.size(), kWorkers);
  double expected = 0;
  constexpr auto kKeys = static_cast<double>(kKeysPerWorker);
  for (const auto& [worker, count] : sets) expected += kKeys * (1 - std::exp(-count / kKeys));
  ASSERT_GT(expected, 0.2 * kWorkers * kKeys) << "too few requests to tell";
  EXPECT_NEAR(static_cast<double>(server->keys()), expected, 0.01 * expected);
}

}  // namespace
}  // namespace headroom::e2e
