// A fleet against a healthy server: phases, windows, stopping, connecting.
#include "load/fleet.h"

#include <string>

#include "base/file.h"
#include "net/socket.h"
#include "tests/support/fleet_fixture.h"

namespace headroom::load {
namespace {

using testing::AllOf;
using testing::Ge;
using testing::HasSubstr;
using testing::Le;

TEST_F(FleetTest, CountsEveryRequestOnceAndAgreesWithTheServer) {
  serve(Script());
  config_.load = {2, 3, 4, 5s, 5s};
  config_.workload.prefill = true;
  connect();
  std::uint64_t last_progress = 0;
  const Status prefilled = fleet().prefill([&](std::uint64_t written, std::uint64_t keys) {
    EXPECT_THAT(written, AllOf(Ge(last_progress), Le(keys)));
    EXPECT_EQ(keys, 100U);
    last_progress = written;
  });
  ASSERT_TRUE(prefilled) << prefilled.error().message;
  EXPECT_EQ(last_progress, 100U);
  EXPECT_EQ(server_->observed().keys, 100U);
  run_until(seen("GET", 200));

  expect_conservation();
  const auto sums = totals();
  const auto observed = server_->observed();
  EXPECT_EQ(sums[0].sent, observed.count("SET"));
  EXPECT_EQ(sums[1].sent, observed.count("GET"));
  EXPECT_EQ(totals({Phase::kPrefill})[0].of(Outcome::kOk), 100U);
  EXPECT_EQ(total(Outcome::kMiss), 0U);  // every key was there
  EXPECT_EQ(sums[0].of(Outcome::kOk) + sums[1].of(Outcome::kHit), sent());
  EXPECT_EQ(observed.keys, 100U);  // and no other was ever written
  EXPECT_GT(sums[1].of(Outcome::kHit), 0U);
  EXPECT_EQ(health(&record::WorkerHealth::connections_opened), 6U);
  EXPECT_EQ(observed.connections, 6U);
}

TEST_F(FleetTest, CutsIntervalsExactlyAtTheWindowsInEveryPhase) {
  serve(Script());
  config_.load.workers = 2;
  connect();
  const Nanos connected = now();
  const LoadSpans spans = run(300ms, 1500ms);
  EXPECT_EQ(spans.measure_end, windows_.measure_end);
  EXPECT_FALSE(spans.stopped_early);
  EXPECT_THAT(spans.drain_end, AllOf(Ge(spans.measure_end), Le(now())));
  expect_complete_intervals(Phase::kWarmup, windows_.warmup_begin, windows_.measure_begin);
  expect_complete_intervals(Phase::kMeasure, windows_.measure_begin, windows_.measure_end);
  expect_complete_intervals(Phase::kDrain, windows_.measure_end, spans.drain_end);
  for (const auto& interval : sink_.content().intervals) {
    if (interval.interval.phase != Phase::kConnect) continue;
    EXPECT_LE(interval.interval.end, connected);
    EXPECT_EQ(interval.interval.index, 0);
  }
  EXPECT_EQ(totals({Phase::kDrain})[0].sent + totals({Phase::kDrain})[1].sent, 0U);
}

TEST_F(FleetTest, ValuesLargerThanASocketTakesGoOutInPieces) {
  serve(Script());
  config_.workload.value_size = 8U << 20U;
  config_.workload.get_weight = 1;
  config_.keys = 3;
  config_.load = {1, 2, 3, 5s, 20s};
  config_.workload.prefill = true;
  connect();
  ASSERT_TRUE(fleet().prefill({}));
  run_until(seen("GET", 2));
  expect_conservation();
  const auto sums = totals();
  EXPECT_EQ(total(Outcome::kLost), 0U);
  EXPECT_GT(sums[0].of(Outcome::kOk), 2U);
  EXPECT_GT(sums[1].of(Outcome::kHit), 0U);
  EXPECT_EQ(sums[0].sent, server_->observed().count("SET"));
  EXPECT_EQ(sums[1].sent, server_->observed().count("GET"));
}

TEST_F(FleetTest, StopEndsTheWindowNowAndStillDrains) {
  Script script;
  script.on({"GET", "SET"}).delay(50ms);
  serve(std::move(script));
  config_.load = {2, 2, 2, 5s, 5s};
  connect();
  const LoadSpans spans = run_until(seen("GET", 10));
  EXPECT_TRUE(spans.stopped_early);
  EXPECT_LT(spans.measure_end, windows_.measure_end);
  expect_complete_intervals(Phase::kMeasure, windows_.measure_begin, spans.measure_end);
  expect_complete_intervals(Phase::kDrain, spans.measure_end, spans.drain_end);
  EXPECT_EQ(total(Outcome::kLost), 0U);
  EXPECT_EQ(totals({Phase::kDrain})[0].sent + totals({Phase::kDrain})[1].sent, 0U);
  expect_conservation();
}

TEST_F(FleetTest, StopDuringWarmupLeavesNoMeasureWindow) {
  serve(Script());
  config_.load.workers = 2;
  connect();
  auto running = std::async(std::launch::async, [this] { return run(600s, 600s, 5s); });
  ASSERT_TRUE(server_->wait_until(seen("GET", 10), kSoon));
  fleet().stop();
  ASSERT_EQ(running.wait_for(kSoon), std::future_status::ready);
  const LoadSpans spans = running.get();
  EXPECT_TRUE(spans.stopped_early);
  EXPECT_LT(spans.measure_end, windows_.measure_begin);
  expect_complete_intervals(Phase::kWarmup, windows_.warmup_begin, spans.measure_end);
  for (const auto& interval : sink_.content().intervals) {
    EXPECT_NE(interval.interval.phase, Phase::kMeasure);
  }
  expect_conservation();
}

TEST_F(FleetTest, StopBeforeTheRunLeavesNothingToRun) {
  serve(Script());
  connect();
  fleet().stop();
  const LoadSpans spans = run(600s, 600s, 5s);
  EXPECT_TRUE(spans.stopped_early);
  EXPECT_EQ(sent(), 0U);
}

TEST_F(FleetTest, StopDuringPrefillSaysHowFarItCame) {
  Script script;
  script.on({"SET"}).from(20).delay(20ms);
  serve(std::move(script));
  config_.workload.prefill = true;
  config_.keys = 1'000'000;
  connect();
  auto running = std::async(std::launch::async, [this] { return fleet().prefill({}); });
  ASSERT_TRUE(server_->wait_until(
      [](const scripted::Observed& observed) { return observed.count("SET") > 30; }, kSoon));
  fleet().stop();
  ASSERT_EQ(running.wait_for(kSoon), std::future_status::ready);
  const Status status = running.get();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::kIncomplete);
  EXPECT_THAT(status.error().message, HasSubstr("of 1,000,000 keys"));
  expect_conservation();
}

TEST_F(FleetTest, PrefillStopsAtTheFirstErrorReply) {
  Script script;
  script.on({"SET"}).from(50).error("OOM command not allowed when used memory > 'maxmemory'.");
  serve(std::move(script));
  config_.workload.prefill = true;
  config_.keys = 100'000;
  connect();
  const Status status = fleet().prefill({});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::kTarget);
  EXPECT_THAT(status.error().message,
              AllOf(HasSubstr("50 of its 100,000 keys"), HasSubstr("OOM command not allowed"),
                    HasSubstr("use fewer keys")));
  EXPECT_LT(sent(), 200U);
  expect_conservation();
}

TEST_F(FleetTest, AWrongPasswordIsOneClearLine) {
  Script script;
  script.engine({.password = "right"});
  serve(std::move(script));
  config_.server.password = "wrong";
  config_.load.connections = 3;
  const Status status = fleet().connect();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::kTarget);
  EXPECT_THAT(status.error().message,
              AllOf(HasSubstr(server_->address().text()),
                    HasSubstr("refused the password of the default user: WRONGPASS")));
  EXPECT_THAT(status.error().message, testing::Not(HasSubstr("\n")));
}

TEST_F(FleetTest, ThePasswordOpensEveryConnection) {
  Script script;
  script.engine({.username = "tester", .password = "right"});
  serve(std::move(script));
  config_.server.username = "tester";
  config_.server.password = "right";
  config_.load.connections = 3;
  connect();
  run_until(seen("GET", 5));
  expect_conservation();
  EXPECT_EQ(total(Outcome::kError), 0U);
  EXPECT_EQ(server_->observed().count("AUTH"), 3U);
}

TEST_F(FleetTest, AMissingPasswordIsNoticedBeforeTheRun) {
  Script script;
  script.engine({.password = "right"});
  serve(std::move(script));
  const Status status = fleet().connect();
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("asks for a password: set target.password_file"));
}

TEST_F(FleetTest, ARefusedConnectionIsOneClearLine) {
  const auto port = net::free_loopback_port();
  ASSERT_TRUE(port);
  config_.server.address = {"127.0.0.1", *port, ""};
  const Status status = fleet().connect();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::kTarget);
  EXPECT_THAT(status.error().message,
              AllOf(HasSubstr(config_.server.address.text()), HasSubstr("refused")));
}

TEST_F(FleetTest, AServerOfAnotherProtocolIsOneClearLine) {
  Script script;
  script.banner("SSH-2.0-OpenSSH_9.2\r\n");
  serve(std::move(script));
  const Status status = fleet().connect();
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, AllOf(HasSubstr("no RESP"), HasSubstr("SSH-2.0")));
}

TEST_F(FleetTest, AServerThatNeverAnswersFailsToConnectInTime) {
  Script script;
  script.always().never_answer();
  serve(std::move(script));
  config_.load.connect_timeout = 200ms;
  const Status status = fleet().connect();
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, AllOf(HasSubstr("0 of 1 connections"), HasSubstr("200ms")));
}

TEST_F(FleetTest, UnixSocketsCarryTheSameLoad) {
  auto directory = TempDir::create("headroom-fleet-test");
  ASSERT_TRUE(directory);
  auto server = ScriptedServer::start(Script(), directory->path() / "socket");
  ASSERT_TRUE(server) << server.error().message;
  server_ = std::move(*server);
  config_.server.address = server_->address();
  config_.load = {2, 20, 4, 5s, 5s};
  connect();
  run_until(seen("GET", 200));
  expect_conservation();
  EXPECT_EQ(server_->observed().connections, 40U);
}

TEST_F(FleetTest, AThousandConnectionsShareOneWorker) {
  serve(Script());
  config_.load = {1, 1000, 1, 10s, 10s};
  connect();
  run_until(seen("GET", 5000));
  expect_conservation();
  EXPECT_EQ(server_->observed().connections, 1000U);
  EXPECT_EQ(total(Outcome::kLost), 0U);
  std::set<std::uint64_t> used;
  for (const scripted::Served& served : server_->observed().log) {
    if (served.command != "PING") used.insert(served.connection);
  }
  EXPECT_EQ(used.size(), 1000U);
}

}  // namespace
}  // namespace headroom::load
