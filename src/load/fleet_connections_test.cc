// How a fleet opens its connections: under TLS, with RESP3, one after the other, anew by plan, and
// some that nothing is sent on.
#include <map>
#include <string>
#include <vector>

#include "base/file.h"
#include "net/tls.h"
#include "tests/support/certificates.h"
#include "tests/support/fleet_fixture.h"
#include "tests/support/tls_front.h"

namespace headroom::load {
namespace {

using record::ConnectStep;
using scripted::Authority;
using scripted::CertificateFiles;
using scripted::TlsFront;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class FleetConnectionsTest : public FleetTest {
 protected:
  // Times of a step, over the given phases.
  [[nodiscard]] stats::Histogram times(ConnectStep step, bool again) const {
    stats::Histogram merged;
    for (const auto& interval : sink_.content().intervals) {
      for (const auto& series : interval.connects) {
        if (series.key == record::ConnectKey{step, again}) merged.merge(series.histogram);
      }
    }
    return merged;
  }

  // Of the log: requests of SET and GET by connection.
  [[nodiscard]] std::map<std::uint64_t, std::uint64_t> requests_by_connection() const {
    std::map<std::uint64_t, std::uint64_t> requests;
    for (const auto& served : server_->observed().log) {
      if (served.command == "SET" || served.command == "GET") ++requests[served.connection];
    }
    return requests;
  }
};

TEST_F(FleetConnectionsTest, EveryConnectionIsTimedStepByStep) {
  serve({});
  config_.load.workers = 2;
  config_.load.connections = 5;
  connect();
  EXPECT_EQ(times(ConnectStep::kConnect, false).count(), 10U);
  EXPECT_EQ(times(ConnectStep::kGreeting, false).count(), 10U);
  EXPECT_TRUE(times(ConnectStep::kTls, false).empty());
  EXPECT_TRUE(times(ConnectStep::kGreeting, true).empty());
}

TEST_F(FleetConnectionsTest, ASlowGreetingShowsInItsTime) {
  Script script;
  script.on({"PING"}).delay(30ms);
  serve(std::move(script));
  connect();
  EXPECT_GE(times(ConnectStep::kGreeting, false).min(), 30ms);
}

TEST_F(FleetConnectionsTest, ABrokenConnectionIsTimedApartWhenItIsOpenAgain) {
  Script script;
  script.on({"GET"}).nth(10).disconnect_within(0);
  serve(std::move(script));
  connect();
  run_until(
      [&] {
        return server_->wait_until(
            [](const auto& seen) { return seen.connections >= 2 && seen.count("GET") > 20; },
            kSoon);
      },
      kSoon);
  EXPECT_EQ(times(ConnectStep::kConnect, true).count(), 1U);
  EXPECT_EQ(times(ConnectStep::kGreeting, true).count(), 1U);
  EXPECT_EQ(health(&record::WorkerHealth::connections_lost), 1U);
  EXPECT_EQ(health(&record::WorkerHealth::connections_renewed), 0U);
}

TEST_F(FleetConnectionsTest, AConnectionIsRenewedAfterItsRequestsAndNothingIsLost) {
  serve({});
  config_.load = {1, 3, 4, 5s, 5s};
  config_.load.reconnect_every = 10;
  connect();
  run_until(
      [&] {
        return server_->wait_until([](const auto& seen) { return seen.connections >= 12; }, kSoon);
      },
      kSoon);
  expect_conservation();
  EXPECT_EQ(total(Outcome::kLost), 0U);
  EXPECT_EQ(total(Outcome::kError), 0U);
  EXPECT_EQ(health(&record::WorkerHealth::connections_lost), 0U);
  const std::uint64_t renewed = health(&record::WorkerHealth::connections_renewed);
  EXPECT_GE(renewed, 9U);
  EXPECT_LE(times(ConnectStep::kGreeting, true).count(), renewed);
  EXPECT_TRUE(texts(EventKind::kReconnected).empty()) << "a plan is no event";
  std::uint64_t whole = 0;
  for (const auto& [connection, requests] : requests_by_connection()) {
    EXPECT_LE(requests, 10U);
    if (requests == 10) ++whole;
  }
  EXPECT_GE(whole, 9U);
}

TEST_F(FleetConnectionsTest, APrefillKeepsItsConnections) {
  serve({});
  config_.workload.prefill = true;
  config_.load.reconnect_every = 3;
  connect();
  ASSERT_TRUE(fleet().prefill({}));
  EXPECT_EQ(server_->observed().connections, 1U);
  EXPECT_EQ(server_->observed().count("SET"), 100U);
}

TEST_F(FleetConnectionsTest, IdleConnectionsAreOpenedKeptAndNeverUsed) {
  serve({});
  config_.workload.prefill = true;
  config_.load.workers = 2;
  config_.load.connections = 2;
  config_.load.idle_connections = 3;
  config_.load.reconnect_every = 5;
  connect();
  EXPECT_EQ(server_->observed().connections_open, 10U);
  ASSERT_TRUE(fleet().prefill({}));
  const LoadSpans spans = run_until(seen("GET", 200));
  expect_conservation();
  // Connections 0 to 9 were there first; some are used and renewed, six are not.
  std::set<std::uint64_t> used;
  for (const auto& served : server_->observed().log) {
    if (served.command != "PING" && served.connection < 10) used.insert(served.connection);
  }
  EXPECT_EQ(used.size(), 4U);
  EXPECT_EQ(server_->observed().count("PING"), server_->observed().connections);
  std::uint64_t idle = 0;
  for (const auto& interval : sink_.content().intervals) {
    if (interval.interval.end == spans.measure_end) idle += interval.health.connections_idle;
  }
  EXPECT_EQ(idle, 6U);
}

TEST_F(FleetConnectionsTest, ASpreadStartsThemOneAfterTheOther) {
  serve({});
  config_.load.workers = 2;
  config_.load.connections = 4;
  config_.load.connect_spread = 400ms;
  const Nanos began = real_clock().now();
  connect();
  // Eight steps of 50 ms: the last begins after seven of them.
  EXPECT_GE(real_clock().now() - began, 350ms);
  std::vector<Nanos> opened;
  for (const auto& served : server_->observed().log) {
    if (served.command == "PING") opened.push_back(served.arrived - began);
  }
  ASSERT_EQ(opened.size(), 8U);
  std::sort(opened.begin(), opened.end());
  for (std::size_t i = 0; i < opened.size(); ++i) {
    EXPECT_GE(opened[i], 50ms * static_cast<int>(i)) << i;
  }
}

TEST_F(FleetConnectionsTest, ASpreadEndsWhenTheFleetIsStopped) {
  serve({});
  config_.load.connections = 2;
  config_.load.connect_spread = 3600s;
  auto connecting = std::async(std::launch::async, [&] { return fleet().connect(); });
  EXPECT_TRUE(server_->wait_until(seen("PING", 1), kSoon));
  fleet().stop();
  ASSERT_EQ(connecting.wait_for(kSoon), std::future_status::ready);
  EXPECT_THAT(connecting.get().error().message, HasSubstr("stopped while connecting"));
}

TEST_F(FleetConnectionsTest, Resp3IsAgreedOnWithThePasswordInside) {
  Script script;
  script.engine({.username = "tester", .password = "right"});
  serve(std::move(script));
  config_.server.username = "tester";
  config_.server.password = "right";
  config_.server.protocol = resp::Protocol::kResp3;
  config_.server.database = 3;
  connect();
  run_until(seen("GET", 50));
  expect_conservation();
  EXPECT_EQ(total(Outcome::kError), 0U);
  EXPECT_GT(total(Outcome::kMiss) + total(Outcome::kHit), 0U);
  EXPECT_EQ(server_->observed().count("HELLO"), 1U);
  EXPECT_EQ(server_->observed().count("SELECT"), 1U);
  EXPECT_EQ(server_->observed().count("AUTH"), 0U);
}

TEST_F(FleetConnectionsTest, AServerWithoutResp3IsOneClearLine) {
  Script script;
  script.on({"HELLO"}).error("ERR unknown command 'HELLO'");
  serve(std::move(script));
  config_.server.protocol = resp::Protocol::kResp3;
  const Status status = fleet().connect();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, server_->address().text() +
                                        " does not take RESP3: ERR unknown command 'HELLO'; set "
                                        "target.protocol = \"resp2\"");
}

TEST_F(FleetConnectionsTest, ADatabaseThatIsNotThereIsOneClearLine) {
  Script script;
  script.on({"SELECT"}).error("ERR DB index is out of range");
  serve(std::move(script));
  config_.server.database = 99;
  const Status status = fleet().connect();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, server_->address().text() +
                                        " refused database 99: ERR DB index is out of range; set "
                                        "another target.database");
}

class FleetTlsTest : public FleetConnectionsTest {
 protected:
  void serve_tls(Script script, const std::string& client_ca = "") {
    serve(std::move(script));
    auto front = TlsFront::start({.backend = server_->address(),
                                  .identity = authority_.issue_for_loopback(),
                                  .client_ca = client_ca});
    ASSERT_TRUE(front) << front.error().message;
    front_ = std::move(*front);
    config_.server.address = front_->address();
    options_.ca_file = authority_.file();
    options_.server_name = "localhost";
    use_options();
  }
  void use_options() {
    auto context = net::TlsContext::create(options_);
    ASSERT_TRUE(context) << context.error().message;
    config_.server.tls = *context;
  }

  TempDir directory_ = TempDir::create("headroom-fleet-test").value();
  Authority authority_{directory_.path(), "ca"};
  net::TlsOptions options_;
  std::unique_ptr<TlsFront> front_;
};

TEST_F(FleetTlsTest, LoadsUnderTlsAndLosesNothing) {
  serve_tls({});
  config_.load = {2, 3, 16, 20s, 20s};
  config_.load.reconnect_every = 100;
  config_.load.idle_connections = 1;
  connect();
  EXPECT_EQ(times(ConnectStep::kConnect, false).count(), 8U);
  EXPECT_EQ(times(ConnectStep::kTls, false).count(), 8U);
  EXPECT_EQ(times(ConnectStep::kGreeting, false).count(), 8U);
  run_until(seen("GET", 1500));
  expect_conservation();
  EXPECT_EQ(total(Outcome::kLost), 0U);
  EXPECT_EQ(total(Outcome::kError), 0U);
  EXPECT_GT(times(ConnectStep::kTls, true).count(), 0U);
}

TEST_F(FleetTlsTest, CarriesValuesThatNoRecordAndNoSocketHoldsAtOnce) {
  serve_tls({});
  config_.workload.value_size = 3U << 20U;
  config_.workload.set_weight = 1;
  config_.workload.get_weight = 1;
  config_.keys = 2;
  config_.load = {1, 2, 3, 20s, 60s};
  connect();
  run_until(
      [&] {
        return server_->wait_until(
            [](const auto& seen) { return seen.count("GET") >= 10 && seen.count("SET") >= 10; },
            3 * kSoon);
      },
      kSoon);
  expect_conservation();
  EXPECT_EQ(total(Outcome::kLost), 0U) << texts(EventKind::kConnectionLost);
  EXPECT_GT(total(Outcome::kHit), 0U);
}

TEST_F(FleetTlsTest, AnUnknownAuthorityIsOneClearLine) {
  const Authority other(directory_.path(), "other");
  serve_tls({});
  options_.ca_file = other.file();
  use_options();
  const Status status = fleet().connect();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::kTarget);
  EXPECT_EQ(status.error().message,
            front_->address().text() +
                ": the server's certificate (CN = server) is signed by an unknown CA (CN = ca); "
                "give that CA as target.tls_ca_file");
}

TEST_F(FleetTlsTest, AMissingClientCertificateIsOneClearLine) {
  serve_tls({}, authority_.file());
  const Status status = fleet().connect();
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message,
              AllOf(StartsWith(front_->address().text()),
                    EndsWith("the server wants a client certificate; give target.tls_certificate "
                             "and target.tls_key")));
}

TEST_F(FleetTlsTest, AServerWithoutTlsIsOneClearLine) {
  serve_tls({});
  config_.server.address = server_->address();
  const Status status = fleet().connect();
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("the server speaks no TLS on this port"));
}

TEST_F(FleetTlsTest, AConnectionThatBreaksUnderTlsIsLostAndOpenedAgain) {
  Script script;
  script.on({"GET"}).nth(50).disconnect_within(2);
  serve_tls(std::move(script));
  config_.load = {1, 2, 4, 20s, 20s};
  connect();
  run_until(
      [&] {
        return server_->wait_until(
            [](const auto& seen) { return seen.connections >= 3 && seen.count("GET") > 200; },
            kSoon);
      },
      kSoon);
  expect_conservation();
  EXPECT_EQ(health(&record::WorkerHealth::connections_lost), 1U);
  EXPECT_GT(total(Outcome::kLost), 0U);
  EXPECT_EQ(times(ConnectStep::kTls, true).count(), 1U);
}

}  // namespace
}  // namespace headroom::load
