// How the binary gets to a cache: TLS, client certificates and ACL users, RESP3, URIs; what it says
// when it does not; and that no secret is left anywhere.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>

#include <algorithm>

#include "net/socket.h"
#include "store/run_reader.h"
#include "tests/e2e/harness.h"
#include "tests/support/certificates.h"
#include "tests/support/raw_client.h"

namespace headroom::e2e {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::string_view kPassword = "s3cret-Pa55word";
constexpr std::string_view kShort = "[workload]\nkeys = 500\nvalue_size = \"100B\"\n";

class ConnectionTest : public EngineTest {
 protected:
  void SetUp() override {
    EngineTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    authority_.emplace(path("").parent_path(), "ca");
    client_ = authority_->issue({.common_name = "client"});
    ASSERT_TRUE(write_file(path("password"), fmt::format("{}\n", kPassword)));
  }

  // With a plain port, a TLS port that wants client certificates, and the user "app".
  void start(const scripted::CertificateFiles& identity, bool ask_clients = true) {
    const Result<std::uint16_t> port = net::free_loopback_port();
    ASSERT_TRUE(port);
    tls_port_ = *port;
    Result<Engine> started = Engine::start(
        engine(), {"--tls-port", std::to_string(*port), "--tls-cert-file", identity.certificate,
                   "--tls-key-file", identity.key, "--tls-ca-cert-file", authority_->file(),
                   "--tls-auth-clients", ask_clients ? "yes" : "no"});
    ASSERT_TRUE(started) << started.error().message;
    server_.emplace(std::move(*started));
    auto plain = testing::RawClient::connect(server_->address());
    ASSERT_TRUE(plain);
    ASSERT_EQ(plain->ask({"ACL", "SETUSER", "app", "on", fmt::format(">{}", kPassword), "~*", "&*",
                          "+@all"},
                         "+OK\r\n"),
              "+OK\r\n");
  }
  void start() { start(authority_->issue_for_loopback()); }

  [[nodiscard]] std::string as_user() const {
    return fmt::format("username = \"app\"\npassword_file = \"{}\"\n", path("password").string());
  }
  [[nodiscard]] std::string trusting() const {
    return fmt::format("tls_ca_file = \"{}\"\n", authority_->file());
  }
  [[nodiscard]] std::string with_certificate() const {
    return fmt::format("tls_certificate = \"{}\"\ntls_key = \"{}\"\n", client_.certificate,
                       client_.key);
  }
  // [target] with a URI and more.
  [[nodiscard]] std::string to(const std::string& uri, const std::string& more) const {
    return scenario(fmt::format("[target]\nkind = \"endpoint\"\nuri = \"{}\"\n{}", uri, more));
  }
  [[nodiscard]] std::string tls_uri() const {
    return fmt::format("valkeys://127.0.0.1:{}", tls_port_);
  }

  // Replaces the run file of the run before.
  [[nodiscard]] Finished run(const std::string& toml) const {
    std::filesystem::remove(path("a.run"));
    return run_headroom({"run", toml, "-o", path("a.run").string(), "--quiet"}, options());
  }
  // The one line that a run which cannot begin leaves.
  void expect_refused(const std::string& toml, const std::string& words) {
    const Finished finished = run(toml);
    EXPECT_EQ(finished.exit_code, 3) << finished.err;
    EXPECT_THAT(error_lines(finished), ElementsAre(HasSubstr(words)));
    EXPECT_LT(finished.took, 5s);
  }

  std::optional<scripted::Authority> authority_;
  scripted::CertificateFiles client_;
  std::optional<Engine> server_;
  std::uint16_t tls_port_ = 0;
};
HEADROOM_FOR_EACH_ENGINE(ConnectionTest);

std::uint64_t connects(const record::Run& run, record::ConnectKey key) {
  std::uint64_t count = 0;
  for (const record::MergedInterval& interval : run.intervals) {
    for (const record::ConnectSeries& series : interval.connects) {
      if (series.key == key) count += series.histogram.count();
    }
  }
  return count;
}

TEST_P(ConnectionTest, RunsUnderTlsWithAClientCertificateAndAnAclUserAndLeavesNoSecret) {
  ASSERT_NO_FATAL_FAILURE(start());
  const std::string toml = to(
      tls_uri() + "/2", "protocol = \"resp3\"\n" + as_user() + trusting() + with_certificate() +
                            std::string(kShort) +
                            "prefill = true\n[load]\nworkers = 2\nconnections = 3\npipeline = 4\n"
                            "idle_connections = 2\nreconnect_every = 500\n"
                            "connect_spread = \"50ms\"\n[timing]\nmeasure = \"2s\"\n");
  Headroom headroom({"run", toml, "-o", path("a.run").string()}, options());
  const std::string arguments =
      read_file(fmt::format("/proc/{}/cmdline", headroom.pid())).value_or("");
  const Finished finished = headroom.wait(30s);
  ASSERT_EQ(finished.exit_code, 0) << finished.err;
  const record::Run run = read(path("a.run"));
  EXPECT_THAT(run.facts.at("target.tls"), StartsWith("TLSv1.3, TLS_"));
  EXPECT_EQ(connects(run, {record::ConnectStep::kConnect, false}), 10U);
  EXPECT_EQ(connects(run, {record::ConnectStep::kTls, false}), 10U);
  EXPECT_EQ(connects(run, {record::ConnectStep::kGreeting, false}), 10U);
  EXPECT_GT(connects(run, {record::ConnectStep::kTls, true}), 0U);
  for (const std::string& operation : run.header.operations) {
    const record::OperationCounts counts = total(run, operation);
    EXPECT_GT(counts.sent, 0U) << operation;
    EXPECT_EQ(counts.sent, counts.completed()) << operation << "\n" << story(run);
  }
  EXPECT_THAT(server_->info("keyspace"), HasSubstr("db2:keys=500"));
  EXPECT_THAT(finished.out, AllOf(HasSubstr("under TLSv1.3, RESP3"), HasSubstr("CONNECTIONS"),
                                  HasSubstr("TLS handshake, again"), HasSubstr("4 idle")));

  const std::string own_key = read_file(client_.key).value_or("?");
  const std::string key_line = own_key.substr(own_key.find('\n') + 1, 40);
  for (const std::string& text :
       {read_file(path("a.run")).value_or(""), finished.out, finished.err, arguments}) {
    EXPECT_THAT(text, Not(HasSubstr(std::string(kPassword))));
    EXPECT_THAT(text, Not(HasSubstr(key_line)));
  }
}

TEST_P(ConnectionTest, SaysInOneLineWhyTlsFailed) {
  ASSERT_NO_FATAL_FAILURE(start());
  const scripted::Authority other(path("").parent_path(), "other");
  const std::string more(kShort);
  expect_refused(to(tls_uri(), fmt::format("tls_ca_file = \"{}\"\n", other.file()) +
                                   with_certificate() + more),
                 "is signed by an unknown CA (CN = ca); give that CA as target.tls_ca_file");
  expect_refused(to(tls_uri(), trusting() + more),
                 "client certificate");  // each engine's OpenSSL has its own alert for it
  expect_refused(to(tls_uri(), trusting() + with_certificate() +
                                   "tls_server_name = \"cache.example\"\n" + more),
                 "is for localhost, 127.0.0.1, not for cache.example");
  // An engine makes nothing of a ClientHello, and waits for the rest of a command.
  expect_refused(to(fmt::format("rediss://127.0.0.1:{}", server_->address().port),
                    trusting() + more + "[load]\nconnect_timeout = \"1s\"\n"),
                 "does it speak TLS on this port?");
  expect_refused(to(fmt::format("redis://127.0.0.1:{}", tls_port_), more), "set target.tls = true");
}

TEST_P(ConnectionTest, SaysInOneLineThatTheCertificateHasExpired) {
  ASSERT_NO_FATAL_FAILURE(start(authority_->issue({.common_name = "old",
                                                   .alternative_names = {"IP:127.0.0.1"},
                                                   .first_day = -20,
                                                   .last_day = -10}),
                                false));
  expect_refused(to(tls_uri(), trusting() + std::string(kShort)),
                 "the server's certificate (CN = old) expired on ");
  const Finished unverified = run(
      to(tls_uri(), "tls_verify = false\n" + std::string(kShort) + "[timing]\nmeasure = \"1s\"\n"));
  EXPECT_EQ(unverified.exit_code, 0) << unverified.err;
  EXPECT_THAT(read(path("a.run")).facts.at("target.tls"), HasSubstr("not verified"));
}

TEST_P(ConnectionTest, SaysInOneLineThatThePasswordIsWrong) {
  ASSERT_NO_FATAL_FAILURE(start());
  ASSERT_TRUE(write_file(path("password"), "wr0ng-password\n"));
  for (const std::string protocol : {"resp2", "resp3"}) {
    SCOPED_TRACE(protocol);
    expect_refused(to(tls_uri(), fmt::format("protocol = \"{}\"\n", protocol) + as_user() +
                                     trusting() + with_certificate() + std::string(kShort)),
                   "refused the password of user \"app\": WRONGPASS");
    EXPECT_THAT(read_file(path("a.run")).value_or(""), Not(HasSubstr("wr0ng-password")));
  }
}

TEST_P(ConnectionTest, ATlsFileThatIsMissingIsAUsageErrorBeforeAnythingIsMade) {
  const Finished finished =
      run(to("rediss://127.0.0.1:1", "tls_ca_file = \"no-such.pem\"\n" + std::string(kShort)));
  EXPECT_EQ(finished.exit_code, 2);
  EXPECT_THAT(error_lines(finished), ElementsAre(HasSubstr("target.tls_ca_file: ")));
  EXPECT_FALSE(std::filesystem::exists(path("a.run")));
}

TEST_P(ConnectionTest, AnEngineThatDiesUnderTlsFailsTheRunWithoutAPhantomRequest) {
  ASSERT_NO_FATAL_FAILURE(start());
  const std::string file = path("dies.run").string();
  Headroom headroom({"run",
                     to(tls_uri(), trusting() + with_certificate() + std::string(kShort) +
                                       "[load]\npipeline = 8\n[timing]\nmeasure = \"4s\"\n"),
                     "-o", file, "--quiet"},
                    options());
  ASSERT_TRUE(wait_until(
      [&] {
        const Result<record::Run> run = store::read_run(file);
        return run && std::ranges::any_of(run->intervals, [](const auto& each) {
                 return each.interval.phase == record::Phase::kMeasure;
               });
      },
      15s))
      << headroom.err();
  kill(server_->pid(), SIGKILL);
  const Finished finished = headroom.wait(15s);
  EXPECT_FALSE(finished.hung);
  EXPECT_EQ(finished.exit_code, 4) << finished.err;
  const record::Run run = read(file);
  for (const std::string& operation : run.header.operations) {
    const record::OperationCounts counts = total(run, operation);
    EXPECT_EQ(counts.sent, counts.total()) << operation;
  }
}

TEST_P(ConnectionTest, SpeaksResp3ToALocalNode) {
  const Finished finished =
      run(local_scenario(engine(), "protocol = \"resp3\"\n" + std::string(kShort) +
                                       "ratio = \"1:4\"\n[timing]\nmeasure = \"1s\"\n"));
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  const record::Run run = read(path("a.run"));
  const record::OperationCounts gets = total(run, "GET");
  EXPECT_GT(gets.of(record::Outcome::kMiss), 0U);
  EXPECT_GT(gets.of(record::Outcome::kHit), 0U);
  EXPECT_EQ(gets.sent, gets.completed()) << story(run);
}

TEST_P(ConnectionTest, GoesOverAUnixSocketThatAUriNames) {
  const std::string socket = path("engine.sock").string();
  Result<Engine> server = Engine::start(engine(), {"--unixsocket", socket});
  ASSERT_TRUE(server) << server.error().message;
  const Finished finished =
      run(to("unix://" + socket, "database = 1\n" + std::string(kShort) +
                                     "prefill = true\n[timing]\nmeasure = \"1s\"\n"));
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_THAT(server->info("keyspace"), HasSubstr("db1:keys=500"));
}

}  // namespace
}  // namespace headroom::e2e
