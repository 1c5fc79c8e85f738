// Cache-aside against a server that keeps what is set: misses are filled after the backend's time.
#include <string>

#include "tests/support/fleet_fixture.h"

namespace headroom::load {
namespace {

using scenario::DurationRange;

class FleetFillsTest : public FleetTest {
 protected:
  FleetFillsTest() {
    config_.workload.set_weight = 0;
    config_.workload.get_weight = 1;
    config_.workload.backend_time = Nanos{3ms};
  }
  [[nodiscard]] record::CacheAside fills() const {
    record::CacheAside sum;
    for (const auto& interval : sink_.content().intervals) {
      if (interval.cache_aside) sum.add(*interval.cache_aside);
    }
    return sum;
  }
  [[nodiscard]] record::OperationCounts gets() const { return totals()[0]; }
  [[nodiscard]] record::OperationCounts sets() const { return totals()[1]; }

  void expect_every_fill_ended() const {
    const record::CacheAside sum = fills();
    EXPECT_EQ(sum.begun, sum.ended());
    EXPECT_EQ(sum.service.count(), sum.filled);
    EXPECT_EQ(sets().of(Outcome::kOk), sum.filled);
    EXPECT_EQ(sets().sent, sum.filled + sum.failed);
    if (config_.load.rate) return;  // which has two latencies of each
    expect_conservation();
  }
};

TEST_F(FleetFillsTest, EveryMissIsFilledAfterTheBackendsTime) {
  serve({});
  config_.load = {2, 2, 2, 5s, 5s};
  config_.load.requests = 4'000;
  connect();
  run(0s, 600s);
  const record::CacheAside sum = fills();
  EXPECT_EQ(gets().sent, 4'000U);  // what fills is no request that was asked for
  EXPECT_EQ(sum.begun, gets().of(Outcome::kMiss));
  EXPECT_EQ(sum.filled, sum.begun);
  EXPECT_EQ(server_->observed().count("SET"), sum.filled);
  // Each of 100 keys misses once, and again while its value is on the way.
  EXPECT_GE(sum.filled, 100U);
  EXPECT_GE(*sum.service.min(), 3ms);
  EXPECT_TRUE(sum.response.empty());
  expect_every_fill_ended();
}

TEST_F(FleetFillsTest, OtherSlotsOfTheConnectionGoOnMeanwhile) {
  Script script;
  script.on({"GET"}).raw("$1\r\nx\r\n");
  script.on({"GET"}).nth(0).nil();
  serve(std::move(script));
  config_.load = {1, 1, 2, 5s, 5s};
  config_.load.requests = 100;
  config_.workload.backend_time = Nanos{500ms};
  connect();
  run(0s, 600s);
  const auto log = server_->observed().log;
  const auto set = std::ranges::find(log, "SET", &scripted::Served::command);
  ASSERT_NE(set, log.end());
  EXPECT_EQ(std::distance(set, log.end()), 1);  // all others were served before
  EXPECT_EQ(fills().filled, 1U);
  expect_every_fill_ended();
}

TEST_F(FleetFillsTest, TheSlotOfAMissWaitsForItsFill) {
  serve({});
  config_.load = {1, 1, 1, 5s, 5s};
  config_.load.requests = 40;
  connect();
  run(0s, 600s);
  // One user: a miss, its SET, and only then the next GET.
  std::string order;
  for (const scripted::Served& served : server_->observed().log) {
    if (served.command == "GET") order += 'G';
    if (served.command == "SET") order += 'S';
  }
  EXPECT_EQ(order.find("SS"), std::string::npos);
  EXPECT_TRUE(order.starts_with("GSG"));
  EXPECT_EQ(std::ranges::count(order, 'G'), 40);
  expect_every_fill_ended();
}

TEST_F(FleetFillsTest, WhoWaitsForABackendWhenTheLoadEndsIsCounted) {
  serve({});
  config_.load = {1, 3, 2, 5s, 5s};
  config_.workload.backend_time = Nanos{60s};
  connect();
  run(0s, 300ms);
  const record::CacheAside sum = fills();
  EXPECT_EQ(sum.begun, 6U);
  EXPECT_EQ(sum.abandoned, 6U);
  EXPECT_EQ(sum.filled, 0U);
  EXPECT_EQ(sets().sent, 0U);
  expect_every_fill_ended();
}

TEST_F(FleetFillsTest, ASetThatIsRefusedFails) {
  Script script;
  script.on({"SET"}).every(2).error("OOM command not allowed");
  serve(std::move(script));
  config_.load = {1, 2, 1, 5s, 5s};
  config_.load.requests = 200;
  connect();
  run(0s, 600s);
  const record::CacheAside sum = fills();
  EXPECT_GT(sum.failed, 0U);
  EXPECT_EQ(sum.failed, sets().of(Outcome::kRejected));
  expect_every_fill_ended();
}

TEST_F(FleetFillsTest, OfABrokenConnectionNothingIsForgotten) {
  Script script;
  script.on({"GET"}).every(37).disconnect_before();
  serve(std::move(script));
  config_.load = {1, 2, 4, 5s, 5s};
  config_.workload.backend_time = DurationRange{1ms, 30ms};
  connect();
  run_until(seen("GET", 400));
  EXPECT_GT(total(Outcome::kLost), 0U);
  EXPECT_GT(fills().filled, 0U);
  expect_every_fill_ended();
}

TEST_F(FleetFillsTest, AFillThatTimesOutFails) {
  Script script;
  script.on({"SET"}).nth(0).never_answer();
  serve(std::move(script));
  config_.load = {1, 1, 1, 5s, 100ms};
  connect();
  run_until(seen("SET", 5));
  EXPECT_EQ(sets().of(Outcome::kTimeout), 1U);
  EXPECT_GE(fills().failed, 1U);
  expect_every_fill_ended();
}

TEST_F(FleetFillsTest, InOpenLoopUsersWaitFromTheirIntendedTime) {
  Script script;
  script.on({"GET"}).nth(10).delay(60ms);
  serve(std::move(script));
  config_.load = {1, 2, 2, 5s, 5s};
  config_.load.rate = scenario::ConstantRate{400};
  connect();
  run(0s, 1s);
  const record::CacheAside sum = fills();
  EXPECT_GT(sum.filled, 0U);
  EXPECT_EQ(sum.response.count(), sum.filled);
  EXPECT_GE(*sum.response.mean_ns(), *sum.service.mean_ns());
  std::uint64_t due = 0;
  for (const auto& interval : sink_.content().intervals)
    due += interval.health.schedule ? interval.health.schedule->due : 0;
  EXPECT_EQ(due, gets().sent + gets().of(Outcome::kUnsent));
  EXPECT_EQ(due, 400U);
  expect_every_fill_ended();
}

TEST_F(FleetFillsTest, WorksFromAfarAndWithThoughtfulUsers) {
  serve({});
  config_.load = {1, 2, 2, 5s, 5s};
  config_.load.emulated_rtt = 5ms;
  config_.load.think_time = scenario::ThinkTime{scenario::ThinkTime::Kind::kFixed, 1ms};
  config_.load.requests = 100;
  connect();
  run(0s, 600s);
  // Two round trips and the backend.
  EXPECT_GE(*fills().service.min(), 13ms);
  EXPECT_EQ(fills().begun, gets().of(Outcome::kMiss));
  expect_every_fill_ended();
}

TEST_F(FleetFillsTest, IsVerifiedAsWell) {
  serve({});
  config_.load = {1, 2, 2, 5s, 5s};
  config_.load.requests = 1'000;
  config_.workload.verify = true;
  connect();
  run(0s, 600s);
  EXPECT_EQ(total(Outcome::kCorrupt), 0U);
  EXPECT_GT(gets().of(Outcome::kHit), 0U);
  expect_every_fill_ended();
}

}  // namespace
}  // namespace headroom::load
