// A fleet against servers that are slow, silent, wrong or gone.
#include <string>
#include <vector>

#include "load/worker.h"
#include "tests/support/fleet_fixture.h"

namespace headroom::load {
namespace {

using testing::AllOf;
using testing::Ge;
using testing::HasSubstr;
using testing::Le;

TEST_F(FleetTest, ASilentServerStillGetsItsIntervalsOnTimeAndTheRunEnds) {
  Script script;
  script.on({"GET", "SET"}).never_answer();
  serve(std::move(script));
  config_.load = {2, 2, 3, 5s, 60s};
  connect();
  const auto two_measured = [](const RecordingSink::Content& content) {
    return std::count_if(content.intervals.begin(), content.intervals.end(),
                         [](const auto& interval) {
                           return interval.interval.phase == Phase::kMeasure;
                         }) >= 2;
  };
  const LoadSpans spans = run_until([&] { return sink_.wait_until(two_measured, kSoon); }, 200ms);
  expect_complete_intervals(Phase::kMeasure, windows_.measure_begin, spans.measure_end);
  EXPECT_GE(spans.drain_end, spans.measure_end + 200ms);
  EXPECT_EQ(sent(), 12U);
  EXPECT_EQ(total(Outcome::kLost), 12U);
  expect_conservation();
  std::uint64_t in_flight = 0;
  for (const auto& interval : sink_.content().intervals) {
    if (interval.interval.end == spans.measure_end) in_flight += interval.health.in_flight;
  }
  EXPECT_EQ(in_flight, 12U);
  const auto content = sink_.content();
  ASSERT_EQ(content.count(record::WarningKind::kInFlightAtEnd), 1U);
  EXPECT_THAT(content.warnings[0].text, HasSubstr("12 requests"));
}

TEST_F(FleetTest, APrefillOfASilentServerEndsSoonAfterItIsStopped) {
  Script script;
  script.on({"SET"}).from(20).never_answer();
  serve(std::move(script));
  config_.workload.prefill = true;
  config_.load = {1, 1, 1, 5s, 3600s};
  connect();
  auto prefilling = std::async(std::launch::async, [&] { return fleet().prefill({}); });
  EXPECT_TRUE(server_->wait_until(seen("SET", 21), kSoon));
  fleet().stop();
  ASSERT_EQ(prefilling.wait_for(kSoon), std::future_status::ready);
  const Status status = prefilling.get();
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("of 100 keys were written"));
  EXPECT_GT(total(Outcome::kLost), 0U);
  expect_conservation();
}

TEST_F(FleetTest, APrefillThatWasRefusedDoesNotWaitForTheSilentRest) {
  Script script;
  script.on({"SET"}).nth(20).error("ERR no");
  script.on({"SET"}).from(21).never_answer();
  serve(std::move(script));
  config_.workload.prefill = true;
  config_.load = {1, 1, 1, 5s, 3600s};
  connect();
  auto prefilling = std::async(std::launch::async, [&] { return fleet().prefill({}); });
  ASSERT_EQ(prefilling.wait_for(kSoon), std::future_status::ready);
  EXPECT_THAT(prefilling.get().error().message, HasSubstr("was refused"));
  expect_conservation();
}

TEST(InFlightAtEnd, IsOverdueWhenItWaitedLongerThanTheUsualTail) {
  EXPECT_FALSE((InFlightAtEnd{0, 0ms, 1ms}).overdue());
  EXPECT_FALSE((InFlightAtEnd{50, 99ms, 1ms}).overdue());
  EXPECT_TRUE((InFlightAtEnd{50, 100ms, 1ms}).overdue());
  EXPECT_FALSE((InFlightAtEnd{50, 199ms, 20ms}).overdue());
  EXPECT_TRUE((InFlightAtEnd{50, 200ms, 20ms}).overdue());
  // Nothing at all was answered in the last interval.
  EXPECT_TRUE((InFlightAtEnd{1, 100ms, std::nullopt}).overdue());
}

TEST_F(FleetTest, EachReplyOfAPipelineHasItsOwnLatency) {
  Script script;
  std::vector<Nanos> delays;
  for (int i = 1; i <= 16; ++i) delays.push_back(i * 2ms);
  script.on({"GET"}).delays(delays);
  serve(std::move(script));
  config_.load = {1, 1, 16, 5s, 5s};
  config_.workload.set_weight = 0;
  connect();
  run_until(seen("GET", 200));
  expect_conservation();
  // Against the server's own log: replies come in order, and none is earlier than the server says.
  std::vector<Nanos> added;
  for (const scripted::Served& served : server_->observed().log) {
    if (served.command == "GET") added.push_back(served.added().value());
  }
  std::sort(added.begin(), added.end());
  const stats::Histogram seen = latencies(Outcome::kMiss);
  ASSERT_EQ(seen.count(), added.size());
  for (const double q : {0.0, 0.1, 0.25, 0.5, 0.75}) {
    const auto rank = static_cast<std::size_t>(q * static_cast<double>(added.size() - 1));
    // The lower bound is the truth; 0.1 % is the histogram's.
    EXPECT_GE(static_cast<double>(seen.quantile(q)->count()),
              static_cast<double>(added[rank].count()) * 0.999)
        << q;
  }
  // One time for all of a batch, as some tools have it, would leave nothing this short.
  EXPECT_LT(*seen.min(), 8ms);
  EXPECT_GE(*seen.max(), 16ms);
}

TEST_F(FleetTest, FragmentedRepliesAreTimedByTheirLastByte) {
  Script script;
  script.on({"GET"}).fragments({1, 5, 20}, 2ms);
  serve(std::move(script));
  config_.workload.prefill = true;
  config_.workload.set_weight = 0;
  config_.load.pipeline = 2;
  connect();
  ASSERT_TRUE(fleet().prefill({}));
  run_until(seen("GET", 20));
  expect_conservation();
  EXPECT_GT(total(Outcome::kHit), 10U);
  EXPECT_GE(*latencies(Outcome::kHit).min(), 6ms);
}

TEST_F(FleetTest, ErrorRepliesAndRejectionsAreOutcomesOfTheirOwn) {
  Script script;
  script.on({"SET"}).every(2).error("OOM command not allowed when used memory > 'maxmemory'.");
  script.on({"GET"}).every(3).error("ERR something else");
  serve(std::move(script));
  config_.load.connections = 2;
  connect();
  run_until(seen("SET", 10));
  expect_conservation();
  const auto sums = totals();
  const auto observed = server_->observed();
  EXPECT_EQ(sums[0].of(Outcome::kRejected), (observed.count("SET") + 1) / 2);
  EXPECT_EQ(sums[0].of(Outcome::kError), 0U);
  EXPECT_EQ(sums[1].of(Outcome::kError), (observed.count("GET") + 2) / 3);
  // Each kind is told once, not once per reply.
  EXPECT_EQ(sink_.content().count(EventKind::kNote), 2U);
  EXPECT_THAT(texts(EventKind::kNote), HasSubstr("GET was answered with: ERR something else"));
}

TEST_F(FleetTest, ATimeoutClosesTheConnectionAndLosesWhatWasBehindIt) {
  Script script;
  script.on({"GET"}).on_connection(0).nth(5).never_answer();
  serve(std::move(script));
  config_.workload.set_weight = 0;
  config_.load = {1, 1, 4, 5s, 300ms};
  connect();
  run_until(seen("GET", 20));
  expect_conservation();
  EXPECT_EQ(total(Outcome::kTimeout), 1U);
  EXPECT_EQ(total(Outcome::kLost), 3U);
  EXPECT_EQ(health(&record::WorkerHealth::connections_lost), 1U);
  EXPECT_EQ(health(&record::WorkerHealth::connections_opened), 2U);
  EXPECT_THAT(texts(EventKind::kConnectionLost),
              AllOf(HasSubstr("no reply within 300ms"), HasSubstr("3 requests were lost")));
  EXPECT_EQ(sink_.content().count(EventKind::kReconnected), 1U);
}

TEST_F(FleetTest, BrokenConnectionsLoseTheirRequestsAndAreOpenedAgain) {
  Script script;
  script.on({"GET"}).every(97).disconnect_before();
  script.on({"GET"}).from(40).every(89).disconnect_within(3);
  script.on({"SET"}).every(53).disconnect_after();
  serve(std::move(script));
  config_.load = {2, 3, 5, 5s, 5s};
  connect();
  run_until([](const scripted::Observed& observed) { return observed.connections > 25; });
  expect_conservation();
  EXPECT_GT(total(Outcome::kLost), 0U);
  const std::uint64_t lost = health(&record::WorkerHealth::connections_lost);
  EXPECT_GT(lost, 15U);
  EXPECT_THAT(health(&record::WorkerHealth::connections_opened), AllOf(Ge(lost), Le(lost + 6)));
  // The server may have executed what is counted as lost, never what was not sent.
  EXPECT_LE(server_->observed().count("GET"), totals()[1].sent);
  // Events are the first few of each worker; the rest is summed up.
  EXPECT_LE(sink_.content().count(EventKind::kConnectionLost), 10U);
}

TEST_F(FleetTest, AMalformedReplyClosesTheConnectionAndSaysWhatCame) {
  Script script;
  script.on({"GET"}).nth(3).raw("$5\r\nhello world\r\n");
  serve(std::move(script));
  config_.workload.set_weight = 0;
  connect();
  run_until(seen("GET", 20));
  expect_conservation();
  EXPECT_EQ(total(Outcome::kLost), 1U);
  EXPECT_THAT(texts(EventKind::kConnectionLost), AllOf(HasSubstr("no RESP"), HasSubstr("world")));
}

TEST_F(FleetTest, AReplyThatNobodyAskedForIsNotTakenForAnAnswer) {
  Script script;
  script.on({"GET"}).nth(3).raw("$-1\r\n$-1\r\n");
  serve(std::move(script));
  config_.workload.set_weight = 0;
  connect();
  run_until(seen("GET", 20));
  expect_conservation();
  EXPECT_EQ(total(Outcome::kMiss) + total(Outcome::kLost), sent());
  EXPECT_EQ(health(&record::WorkerHealth::connections_lost), 1U);
}

TEST_F(FleetTest, ConnectionsLostBeforeTheRunAreOpenedAgainByIt) {
  Script script;
  script.on({"SET"}).nth(99).disconnect_after();
  serve(std::move(script));
  config_.workload.prefill = true;
  connect();
  // The last key's reply comes whole, so the prefill succeeds or fails by which is noticed first:
  // the reply, or that the connection is gone.
  (void)fleet().prefill({});
  run_until(seen("GET", 5));
  expect_conservation();
  EXPECT_GT(totals({Phase::kMeasure, Phase::kDrain})[1].completed(), 0U);
}

}  // namespace
}  // namespace headroom::load
