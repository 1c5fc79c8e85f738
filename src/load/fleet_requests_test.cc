// load.requests: a load that ends when all of them were sent and answered.
#include <string>

#include "tests/support/fleet_fixture.h"

namespace headroom::load {
namespace {

using testing::AllOf;
using testing::Ge;
using testing::Gt;
using testing::Lt;

class FleetRequestsTest : public FleetTest {
 protected:
  // Requests begun in measure, by worker.
  [[nodiscard]] std::vector<std::uint64_t> sent_by_worker() const {
    std::vector<std::uint64_t> sums(config_.load.workers);
    for (const auto& interval : sink_.content().intervals) {
      if (interval.interval.phase != Phase::kMeasure) continue;
      for (const auto& counts : interval.counts) sums[interval.worker] += counts.sent;
    }
    return sums;
  }
};

TEST_F(FleetRequestsTest, SendsExactlyAsManyAndEndsWithTheLastReply) {
  serve(Script());
  config_.load = {2, 3, 4, 5s, 5s};
  config_.load.requests = 1'003;
  connect();
  const LoadSpans spans = run(0s, 600s);
  EXPECT_FALSE(spans.stopped_early);
  EXPECT_THAT(spans.measure_end, AllOf(Gt(windows_.measure_begin), Lt(now())));
  EXPECT_EQ(sent(), 1'003U);
  EXPECT_EQ(server_->observed().count("SET") + server_->observed().count("GET"), 1'003U);
  expect_conservation();
  expect_complete_intervals(Phase::kMeasure, windows_.measure_begin, spans.measure_end);
  EXPECT_EQ(totals({Phase::kMeasure})[0].total() + totals({Phase::kMeasure})[1].total(), 1'003U);
}

TEST_F(FleetRequestsTest, GivesEachConnectionAnEvenShareTheFirstOnesOneMore) {
  serve(Script());
  config_.load = {2, 2, 1, 5s, 5s};
  config_.load.requests = 10;
  connect();
  run(0s, 600s);
  std::map<std::uint64_t, int> by_connection;
  for (const scripted::Served& served : server_->observed().log) {
    if (served.command != "PING") ++by_connection[served.connection];
  }
  std::multiset<int> shares;
  for (const auto& [connection, count] : by_connection) shares.insert(count);
  EXPECT_EQ(shares, (std::multiset<int>{2, 2, 3, 3}));
  EXPECT_EQ(sent_by_worker(), (std::vector<std::uint64_t>{6, 4}));
}

TEST_F(FleetRequestsTest, FewerThanThereAreConnectionsLeaveSomeIdle) {
  serve(Script());
  config_.load = {1, 8, 4, 5s, 5s};
  config_.load.requests = 3;
  connect();
  run(0s, 600s);
  EXPECT_EQ(sent(), 3U);
  expect_conservation();
}

TEST_F(FleetRequestsTest, TheWindowIsAsLongAsTheSlowestReplyMadeIt) {
  Script script;
  script.on({"GET", "SET"}).delay(50ms);
  serve(std::move(script));
  config_.load = {2, 1, 1, 5s, 5s};
  config_.load.requests = 7;  // four for one connection, three for the other
  connect();
  const LoadSpans spans = run(0s, 600s);
  EXPECT_THAT(spans.measure_end - windows_.measure_begin, Ge(200ms));
  EXPECT_EQ(totals({Phase::kDrain})[0].total() + totals({Phase::kDrain})[1].total(), 0U);
}

TEST_F(FleetRequestsTest, CountsOnlyWhatMeasureSends) {
  serve(Script());
  config_.load = {2, 2, 4, 5s, 5s};
  config_.load.requests = 100;
  connect();
  run(200ms, 600s);
  EXPECT_EQ(totals({Phase::kMeasure})[0].sent + totals({Phase::kMeasure})[1].sent, 100U);
  EXPECT_GT(totals({Phase::kWarmup})[0].sent + totals({Phase::kWarmup})[1].sent, 0U);
  expect_conservation();
}

TEST_F(FleetRequestsTest, TimeEndsWhatIsTooMuchForIt) {
  Script script;
  script.on({"GET", "SET"}).delay(20ms);
  serve(std::move(script));
  config_.load = {2, 1, 1, 5s, 5s};
  config_.load.requests = 1'000'000;
  connect();
  const LoadSpans spans = run(0s, 300ms);
  EXPECT_EQ(spans.measure_end, windows_.measure_end);
  EXPECT_LT(sent(), 1'000'000U);
  expect_conservation();
}

TEST_F(FleetRequestsTest, ALostConnectionComesBackForTheRestOfItsShare) {
  Script script;
  script.on({"GET", "SET"}).every(10).disconnect_before();
  serve(std::move(script));
  config_.load = {1, 2, 4, 5s, 5s};
  config_.load.requests = 60;
  connect();
  run(0s, 600s);
  EXPECT_EQ(sent(), 60U);
  EXPECT_GT(total(Outcome::kLost), 0U);
  expect_conservation();
}

TEST_F(FleetRequestsTest, OneWorkerThatIsDoneWaitsForTheOtherSecondBySecond) {
  Script script;
  script.on({"GET", "SET"}).delay(400ms);
  serve(std::move(script));
  config_.load = {2, 1, 1, 5s, 5s};
  config_.load.requests = 5;
  connect();
  const LoadSpans spans = run(0s, 600s);
  expect_complete_intervals(Phase::kMeasure, windows_.measure_begin, spans.measure_end);
  EXPECT_EQ(sent_by_worker(), (std::vector<std::uint64_t>{3, 2}));
}

TEST_F(FleetRequestsTest, StopEndsItBeforeItsTime) {
  Script script;
  script.on({"GET", "SET"}).delay(20ms);
  serve(std::move(script));
  config_.load = {2, 2, 2, 5s, 5s};
  config_.load.requests = 1'000'000;
  connect();
  const LoadSpans spans = run_until(seen("GET", 10));
  EXPECT_TRUE(spans.stopped_early);
  expect_conservation();
}

}  // namespace
}  // namespace headroom::load
