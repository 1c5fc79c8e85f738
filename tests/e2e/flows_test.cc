// Cache-aside, traces and single requests, against real engines.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include "analysis/summary.h"
#include "tests/e2e/harness.h"
#include "tests/support/raw_client.h"

namespace headroom::e2e {
namespace {

using namespace std::chrono_literals;
using headroom::testing::RawClient;
using ::testing::HasSubstr;
using ::testing::Not;

class FlowsTest : public EngineTest {
 protected:
  record::Run run_local(const std::string& toml, const std::string& name = "flow.run") {
    const std::string file = path(name);
    const Finished ended =
        run_headroom({"run", local_scenario(engine(), toml), "-o", file, "--quiet"}, options());
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    out_ = ended.out;
    return read(file);
  }

  std::string out_;
};
HEADROOM_FOR_EACH_ENGINE(FlowsTest);

// A key that is asked for L times a second lives for T after each fill, then misses once, and again
// while the backend is asked for D: of all its requests L T / (1 + L D + L T) hit.
TEST_P(FlowsTest, CacheAsideHitsAsOftenAsTheoryOfExpirySays) {
  const record::Run run = run_local(
      "[workload]\nkeys = 1500\nkey_space = \"shared\"\nratio = \"0:1\"\nttl = \"1s\"\n"
      "value_size = \"100B\"\n"
      "[workload.cache_aside]\nbackend_time = \"exponential(20ms)\"\n"
      "[load]\nworkers = 2\nconnections = 20\npipeline = 4\nrate = 3000\narrivals = \"poisson\"\n"
      "[timing]\nwarmup = \"3s\"\nmeasure = \"4s\"\n");
  const analysis::Summary summary = analysis::summarize(run);
  ASSERT_TRUE(summary.cache_aside);
  EXPECT_EQ(summary.conservation.engine_agrees, true) << story(run);
  EXPECT_TRUE(summary.conservation.client_adds_up);
  EXPECT_GT(summary.cache_aside->filled, 2'000U);
  EXPECT_EQ(summary.cache_aside->failed, 0U);
  constexpr double kPerKey = 2;
  constexpr double kBackend = 0.020;
  EXPECT_NEAR(*summary.measure.hit_ratio_client, kPerKey / (1 + kPerKey * kBackend + kPerKey),
              0.04);
  const auto waits = std::ranges::find_if(
      summary.measure.latencies, [](const auto& row) { return row.operation == "cache-aside"; });
  ASSERT_NE(waits, summary.measure.latencies.end());
  // The mean of what was drawn, and what both round trips and late timers add.
  EXPECT_GE(*waits->mean_ns, 18e6);
  EXPECT_LE(*waits->mean_ns, 40e6) << story(run);
  EXPECT_THAT(out_, HasSubstr("cache-aside"));
}

// Without expiry nor eviction the cache fills once, and then all hits.
TEST_P(FlowsTest, CacheAsideFillsAColdCacheOnce) {
  const record::Run run = run_local(
      "[workload]\nkeys = 400\nratio = \"0:1\"\nvalue_size = \"range(100B, 2KiB)\"\n"
      "[workload.cache_aside]\nbackend_time = \"1ms\"\n"
      "[load]\nconnections = 4\n[timing]\nwarmup = \"2s\"\nmeasure = \"1s\"\n");
  const analysis::Summary summary = analysis::summarize(run);
  EXPECT_EQ(summary.measure.hit_ratio_client, 1.0);
  EXPECT_EQ(summary.cache_aside->begun, 0U);
  EXPECT_EQ(points(run, "CurrItems").back().value, 400);
  EXPECT_FALSE(run.splits.empty());
}

TEST_P(FlowsTest, KeepsAndExportsSingleRequests) {
  const std::string file = path("log.run");
  const Finished ended = run_headroom(
      {"run",
       local_scenario(engine(),
                      "[workload]\nkeys = 1000\nprefill = true\nkey_distribution = \"zipf(1.1)\"\n"
                      "value_size = \"list(40B:1, 4KiB:1)\"\n"
                      "[load]\nworkers = 2\nrequest_log = 0.1\n[timing]\nmeasure = \"1s\"\n"),
       "-o", file, "--quiet"},
      options());
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("SLOWEST REQUESTS"));
  EXPECT_THAT(ended.out, HasSubstr("HOT AND COLD KEYS"));
  EXPECT_THAT(ended.out, HasSubstr("BY VALUE SIZE"));
  const record::Run run = read(file);
  EXPECT_EQ(run.slowest.size(), record::kSlowestKept);
  EXPECT_TRUE(run.facts.contains("workload.hot_keys.GET"));
  const Finished exported = run_headroom({"export", file, "--requests", "csv"}, options());
  ASSERT_EQ(exported.exit_code, 0) << exported.err;
  EXPECT_TRUE(exported.out.starts_with("sent_s,operation,outcome,key,value_bytes,service_ns,"));
  const auto lines = static_cast<double>(std::ranges::count(exported.out, '\n')) - 1;
  const record::PhaseSpan& measure = *run.phase(record::Phase::kMeasure);
  double requests = 0;
  for (const record::MergedInterval& interval : run.intervals) {
    if (interval.interval.begin < measure.begin || interval.interval.end > *measure.end) continue;
    for (const auto& counts : interval.counts) requests += static_cast<double>(counts.total());
  }
  EXPECT_NEAR(lines, requests / 10, 5 * std::sqrt(requests / 10) + 1);
  const Finished none =
      run_headroom({"export", path("log.run"), "--requests", "csv", "--format", "json"}, options());
  EXPECT_EQ(none.exit_code, 2);
}

// What MONITOR prints of a server until end() is called.
class Monitor {
 public:
  explicit Monitor(const net::Address& address) : client_(RawClient::connect(address)) {
    EXPECT_TRUE(client_) << client_.error().message;
    EXPECT_EQ(client_->ask({"MONITOR"}, "+OK\r\n"), "+OK\r\n");
    thread_ = std::thread([this] {
      while (!text_.ends_with(kLast)) {
        const std::string next = client_->read(1);
        if (next.empty()) break;
        text_ += next;
      }
    });
  }
  ~Monitor() {
    if (thread_.joinable()) thread_.join();
  }
  [[nodiscard]] std::string end(const net::Address& address) {
    auto other = RawClient::connect(address);
    EXPECT_EQ(other->ask({"ECHO", "the last"}, "$8\r\nthe last\r\n"), "$8\r\nthe last\r\n");
    thread_.join();
    EXPECT_TRUE(text_.ends_with(kLast));
    return text_;
  }

 private:
  static constexpr std::string_view kLast = "\"ECHO\" \"the last\"\r\n";
  Result<RawClient> client_;
  std::string text_;
  std::thread thread_;
};

TEST_P(FlowsTest, WhatMonitorSawIsReplayedCommandForCommand) {
  Result<Engine> recorded = Engine::start(engine());
  Result<Engine> replayed = Engine::start(engine());
  ASSERT_TRUE(recorded && replayed);
  const std::string trace = path("monitor.txt").string();
  {
    Monitor monitor(recorded->address());
    const Finished ended = run_headroom(
        {"run",
         endpoint_scenario(recorded->address(),
                           "[workload]\nkeys = 300\nvalue_size = \"range(10B, 3KiB)\"\n"
                           "ttl = \"1h\"\n"
                           "[[workload.command]]\ncommand = \"SET __key__ __data__\"\n"
                           "[[workload.command]]\ncommand = \"GET __key__\"\nweight = 3\n"
                           "[[workload.command]]\ncommand = \"INCR c:__key__\"\n"
                           "[[workload.command]]\ncommand = \"LPUSH l __data__\"\n"
                           "[load]\nworkers = 2\nconnections = 3\npipeline = 2\nrequests = 3000\n"
                           "[timing]\nmeasure = \"20s\"\n"),
         "-o", path("recorded.run"), "--quiet"},
        options());
    ASSERT_EQ(ended.exit_code, 0) << ended.err;
    ASSERT_TRUE(write_file(trace, monitor.end(recorded->address())));
  }
  const std::string replay = fmt::format(
      "[workload.trace]\nfile = \"{}\"\ntiming = \"fast\"\n"
      "[load]\nworkers = 2\nconnections = 4\npipeline = 3\n[timing]\nmeasure = \"30s\"\n",
      trace);
  const std::string scenario = endpoint_scenario(replayed->address(), replay);
  const Finished plan = run_headroom({"run", scenario, "--dry-run"}, options());
  EXPECT_EQ(plan.exit_code, 0) << plan.err;
  EXPECT_THAT(plan.out, HasSubstr("replay monitor.txt as fast as possible: "));
  const std::string file = path("replayed.run");
  const Finished ended = run_headroom({"run", scenario, "-o", file, "--quiet"}, options());
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const record::Run run = read(file);
  for (const char* command : {"set", "get", "incr", "lpush"})
    EXPECT_EQ(replayed->calls(command), recorded->calls(command)) << command;
  EXPECT_EQ(replayed->keys(), recorded->keys());
  EXPECT_EQ(total(run, "GET").sent + total(run, "SET").sent + total(run, "INCR").sent +
                total(run, "LPUSH").sent,
            3000U);
  EXPECT_EQ(total(run, "LPUSH").of(record::Outcome::kOk), total(run, "LPUSH").sent);
  EXPECT_LT(*run.phase(record::Phase::kMeasure)->end - run.phase(record::Phase::kMeasure)->begin,
            20s);
}

TEST_P(FlowsTest, ATableIsReplayedAtItsTimes) {
  std::string table = "time,op,key,size,ttl\n";
  for (int i = 0; i < 600; ++i) {
    table += i % 3 == 0 ? fmt::format("{:.3f},set,k{},{},60\n", i * 0.003, i / 3, 50 + i)
                        : fmt::format("{:.3f},get,k{},,\n", i * 0.003, i / 3);
  }
  ASSERT_TRUE(write_file(path("trace.csv"), table));
  const record::Run run =
      run_local(fmt::format("[workload.trace]\nfile = \"{}\"\nformat = \"csv\"\n"
                            "[load]\nworkers = 2\nconnections = 2\n[timing]\nmeasure = \"20s\"\n",
                            path("trace.csv").string()));
  EXPECT_EQ(total(run, "GET").of(record::Outcome::kHit), 400U) << story(run);
  EXPECT_EQ(total(run, "SET").of(record::Outcome::kOk), 200U);
  const analysis::Summary summary = analysis::summarize(run);
  ASSERT_TRUE(summary.schedule);
  EXPECT_EQ(summary.schedule->due, 600U);
  EXPECT_EQ(summary.conservation.engine_agrees, true);
  const auto& measure = *run.phase(record::Phase::kMeasure);
  EXPECT_GE(*measure.end - measure.begin, 1790ms);
  EXPECT_LT(*measure.end - measure.begin, 10s);
  EXPECT_THAT(run.facts.at("workload.trace"), HasSubstr("600 requests over 1.80 s (334/s)"));
}

class TraceFaults : public Test {};

TEST_F(TraceFaults, ABadLineEndsTheRunBeforeItBegins) {
  ASSERT_TRUE(write_file(path("bad.csv"), "op,key,time\nget,a,0\nfetch,b,1\n"));
  for (const char* mode : {"--dry-run", "--quiet"}) {
    const Finished ended = run_headroom(
        {"run", scenario("[workload.trace]\nfile = \"bad.csv\"\nformat = \"csv\"\n"), mode},
        options());
    EXPECT_EQ(ended.exit_code, 2) << mode;
    ASSERT_EQ(error_lines(ended).size(), 1U);
    EXPECT_THAT(ended.err, HasSubstr("bad.csv:3: has the unknown op \"fetch\""));
    EXPECT_THAT(ended.out, Not(HasSubstr("measure")));
  }
}

}  // namespace
}  // namespace headroom::e2e
