// Traces that are replayed against a scripted server.
#include <string>

#include "tests/support/fleet_fixture.h"

namespace headroom::load {
namespace {

using scenario::TraceFormat;
using scenario::TraceTiming;

class FleetReplayTest : public FleetTest {
 protected:
  void replay(const std::string& text, TraceTiming timing,
              TraceFormat format = TraceFormat::kMonitor) {
    scenario::Trace& trace = config_.workload.trace;
    trace.file = (dir_->path() / "trace").string();
    trace.format = format;
    trace.timing = timing;
    ASSERT_TRUE(write_file(trace.file, text));
    config_.workload.set_weight = config_.workload.get_weight = 0;
    config_.keys = 0;
    auto summary = scan_trace(trace, 0);
    ASSERT_TRUE(summary) << summary.error().message;
    config_.trace = *summary;
    names_ = config_.trace->verbs;
    connect();
  }
  [[nodiscard]] std::vector<record::OperationCounts> sums() const {
    std::vector<record::OperationCounts> result(names_.size());
    for (const auto& interval : sink_.content().intervals) {
      for (std::size_t i = 0; i < result.size(); ++i) result[i].add(interval.counts[i]);
    }
    return result;
  }
  [[nodiscard]] std::uint64_t all(std::uint64_t (*of)(const record::OperationCounts&)) const {
    std::uint64_t sum = 0;
    for (const auto& counts : sums()) sum += of(counts);
    return sum;
  }
  [[nodiscard]] std::uint64_t sent_of_trace() const {
    return all([](const record::OperationCounts& counts) { return counts.sent; });
  }
  [[nodiscard]] std::uint64_t unsent() const {
    return all([](const record::OperationCounts& counts) { return counts.of(Outcome::kUnsent); });
  }
  [[nodiscard]] std::uint64_t due() const {
    std::uint64_t sum = 0;
    for (const auto& interval : sink_.content().intervals)
      sum += interval.health.schedule ? interval.health.schedule->due : 0;
    return sum;
  }

  Result<TempDir> dir_ = TempDir::create("replay-test");
  std::vector<std::string> names_;
};

// INCR of a key of each client: who reorders them would be seen in the replies.
std::string increments(int requests, int clients, double gap_s) {
  std::string text;
  for (int i = 0; i < requests; ++i) {
    text += fmt::format("{:.6f} [0 10.0.0.1:{}] \"SET\" \"client{}\" \"{}\"\n", 100 + i * gap_s,
                        1000 + i % clients, i % clients, i);
  }
  return text;
}

TEST_F(FleetReplayTest, SendsEachRequestOnceAndEndsWithTheLastReply) {
  serve({});
  config_.load = {2, 3, 2, 5s, 5s};
  replay(increments(5'000, 17, 0.001), TraceTiming::kFast);
  const LoadSpans spans = run(0s, 600s);
  EXPECT_FALSE(spans.stopped_early);
  EXPECT_LT(spans.measure_end, windows_.measure_end);
  EXPECT_EQ(sent_of_trace(), 5'000U);
  EXPECT_EQ(server_->observed().count("SET"), 5'000U);
  EXPECT_EQ(sums()[0].of(Outcome::kOk), 5'000U);
  EXPECT_EQ(due(), 0U);  // nobody said when
}

TEST_F(FleetReplayTest, KeepsTheOrderOfEachClient) {
  serve({});
  config_.load = {2, 2, 4, 5s, 5s};
  config_.load.request_log = 1.0;
  replay(increments(2'000, 9, 0.0001), TraceTiming::kFast);
  run(0s, 600s);
  // The log of a connection is in the order of its replies, which is that of its requests.
  std::map<std::string, std::pair<std::uint32_t, std::uint32_t>> place;
  std::map<std::string, Nanos> last;
  std::size_t logged = 0;
  for (const auto& interval : sink_.content().intervals) {
    for (const record::RequestRecord& request : interval.logged) {
      ++logged;
      const std::pair where{request.worker, request.connection};
      EXPECT_EQ(place.emplace(request.key, where).first->second, where);
      EXPECT_GE(request.sent, last[request.key]);
      last[request.key] = request.sent;
      EXPECT_TRUE(request.value_bytes);
    }
  }
  EXPECT_EQ(logged, 2'000U);
  EXPECT_EQ(place.size(), 9U);
}

TEST_F(FleetReplayTest, KeepsTheTimesOfTheTrace) {
  serve({});
  config_.load = {2, 2, 1, 5s, 5s};
  replay(increments(501, 10, 0.002), TraceTiming::kOriginal);
  run(0s, 600s);
  EXPECT_EQ(sent_of_trace(), 501U);
  EXPECT_EQ(due(), 501U);
  // The last of them is due after exactly a second.
  const auto log = server_->observed().log;
  const auto is_set = [](const scripted::Served& served) { return served.command == "SET"; };
  const auto first = std::ranges::find_if(log, is_set);
  const auto last = std::find_if(log.rbegin(), log.rend(), is_set);
  ASSERT_NE(first, log.end());
  EXPECT_GE(last->arrived - first->arrived, 990ms);
  stats::Histogram response;
  for (const auto& interval : sink_.content().intervals) {
    for (const auto& series : interval.latencies) {
      if (series.key.kind == record::LatencyKind::kResponse) response.merge(series.histogram);
    }
  }
  EXPECT_EQ(response.count(), 501U);
}

TEST_F(FleetReplayTest, TwiceAsFastTakesHalfTheTime) {
  serve({});
  config_.workload.trace.speed = 10;
  replay(increments(301, 3, 0.01), TraceTiming::kScaled);
  const LoadSpans spans = run(0s, 600s);
  EXPECT_EQ(sent_of_trace(), 301U);
  EXPECT_GE(spans.measure_end - windows_.measure_begin, 300ms);
  EXPECT_LT(spans.measure_end - windows_.measure_begin, 3s);
}

TEST_F(FleetReplayTest, WhatIsDueAndNotSentWhenTheWindowClosesIsUnsent) {
  Script script;
  script.on({"SET"}).delay(50ms);
  serve(std::move(script));
  config_.load = {1, 1, 1, 5s, 5s};
  replay(increments(10'000, 1, 0.001), TraceTiming::kOriginal);
  run(0s, 1s);
  EXPECT_EQ(due(), sent_of_trace() + unsent());
  // One every millisecond, from 0 on; the last due before the window closes.
  EXPECT_EQ(due(), 1'000U);
  EXPECT_GT(unsent(), 900U);
}

TEST_F(FleetReplayTest, BeginsAgainIfAskedTo) {
  serve({});
  config_.workload.trace.loop = true;
  replay(increments(50, 3, 0.001), TraceTiming::kFast);
  run_until(seen("SET", 500));
  EXPECT_GE(sent_of_trace(), 500U);
}

TEST_F(FleetReplayTest, ValuesOfATableAreMadeUpBySize) {
  serve({});
  config_.load.fine_splits = true;
  std::string table = "op,key,size\n";
  for (int i = 0; i < 100; ++i) table += fmt::format("set,k{},{}\nget,k{},\n", i, 20 * i, i);
  table += "set,large,100000\nget,large,\n";
  replay(table, TraceTiming::kFast, TraceFormat::kCsv);
  run(0s, 600s);
  EXPECT_EQ(names_, (std::vector<std::string>{"GET", "SET"}));
  EXPECT_EQ(sums()[0].of(Outcome::kHit), 101U);  // each key is set before it is read
  EXPECT_EQ(sums()[1].of(Outcome::kOk), 101U);
  std::map<std::uint64_t, std::uint64_t> found;
  for (const auto& interval : sink_.content().intervals) {
    for (const auto& series : interval.splits)
      if (series.key.latency.operation == 0) found[series.key.part] += series.histogram.count();
  }
  EXPECT_EQ(found[64], 4U);  // 0, 20, 40, 60
  EXPECT_EQ(found[131'072], 1U);
}

TEST_F(FleetReplayTest, GoesOnAfterALostConnection) {
  Script script;
  script.on({"SET"}).nth(100).disconnect_before();
  serve(std::move(script));
  config_.load = {1, 2, 2, 5s, 5s};
  replay(increments(1'000, 10, 0.0001), TraceTiming::kOriginal);
  run(0s, 600s);
  EXPECT_GT(all([](const record::OperationCounts& c) { return c.of(Outcome::kLost); }), 0U);
  EXPECT_EQ(due(), 1'000U);
  EXPECT_EQ(sent_of_trace() + unsent(), 1'000U);
  EXPECT_EQ(all([](const record::OperationCounts& c) { return c.total(); }), 1'000U);
}

}  // namespace
}  // namespace headroom::load
