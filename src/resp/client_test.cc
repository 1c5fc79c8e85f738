#include "resp/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "net/tls.h"
#include "scripted/listener.h"
#include "scripted/scripted_server.h"
#include "tests/support/certificates.h"
#include "tests/support/tls_front.h"

namespace headroom::resp {
namespace {

using scripted::Observed;
using scripted::Script;
using scripted::ScriptedServer;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Nanos within(Nanos time) { return real_clock().now() + time; }

std::unique_ptr<ScriptedServer> serve(Script script) {
  auto server = ScriptedServer::start(std::move(script));
  EXPECT_TRUE(server) << server.error().message;
  return server ? std::move(*server) : nullptr;
}

Client connected(const ScriptedServer& server) {
  auto client = Client::connect({server.address(), {}, {}}, within(seconds{10}));
  EXPECT_TRUE(client) << client.error().message;
  return std::move(*client);
}

TEST(ClientTest, AsksWhatACacheTells) {
  Script script;
  script.engine({.existing_keys = 7, .config = {{"io-threads", "2"}}});
  const auto server = serve(std::move(script));
  Client client = connected(*server);
  const Nanos deadline = within(seconds{10});
  EXPECT_TRUE(client.ping(deadline));
  EXPECT_EQ(client.dbsize(deadline).value(), 7U);
  EXPECT_EQ(client.config_get("io-*", deadline).value(),
            (std::map<std::string, std::string>{{"io-threads", "2"}}));
  EXPECT_EQ(client.info({}, deadline).value().text("valkey_version"), "9.1.0");
  const auto time = client.time(deadline);
  ASSERT_TRUE(time);
  EXPECT_LT(std::chrono::abs(time->since_epoch - real_clock().wall().since_epoch), seconds{60});
}

TEST(ClientTest, KeepsWorkingAfterTheEngineWasAskedForResp3) {
  const auto server = serve({});
  Client client = connected(*server);
  const auto hello = client.call({"HELLO", "3"}, within(seconds{10}));
  ASSERT_TRUE(hello);
  EXPECT_TRUE(hello->is(ReplyTree::Kind::kMap));
  EXPECT_EQ(client.config_get("maxmemory", within(seconds{10})).value().at("maxmemory"), "0");
}

TEST(ClientTest, LeavesErrorRepliesOfArbitraryCommandsToTheCaller) {
  const auto server = serve({});
  Client client = connected(*server);
  const auto reply = client.call({"NONSENSE"}, within(seconds{10}));
  ASSERT_TRUE(reply);
  EXPECT_TRUE(reply->is(ReplyTree::Kind::kError));
  EXPECT_FALSE(client.broken());
}

TEST(ClientTest, AuthenticatesAndSaysWhoWasRefusedButNotThePassword) {
  Script script;
  script.engine({.username = "app", .password = "s3cret"});
  const auto server = serve(std::move(script));
  auto good = Client::connect({server->address(), "app", "s3cret"}, within(seconds{10}));
  ASSERT_TRUE(good) << good.error().message;
  EXPECT_TRUE(good->ping(within(seconds{10})));

  const auto bad = Client::connect({server->address(), "app", "wr0ng"}, within(seconds{10}));
  ASSERT_FALSE(bad);
  EXPECT_THAT(bad.error().message, StartsWith(server->address().text() +
                                              " refused the password of user \"app\": WRONGPASS"));
  EXPECT_THAT(bad.error().message, Not(HasSubstr("wr0ng")));
}

TEST(ClientTest, SpeaksResp3AndSelectsADatabaseUnderTls) {
  Script script;
  script.engine({.username = "app", .password = "s3cret"});
  const auto server = serve(std::move(script));
  const auto directory = TempDir::create("headroom-client-test");
  ASSERT_TRUE(directory);
  scripted::Authority authority(directory->path(), "ca");
  const auto front = scripted::TlsFront::start(
      {.backend = server->address(), .identity = authority.issue_for_loopback(), .client_ca = {}});
  ASSERT_TRUE(front) << front.error().message;
  const auto tls = net::TlsContext::create({.ca_file = authority.file(),
                                            .ca_directory = {},
                                            .certificate_file = {},
                                            .key_file = {},
                                            .server_name = "127.0.0.1"});
  ASSERT_TRUE(tls) << tls.error().message;
  auto client = Client::connect({.address = (*front)->address(),
                                 .username = "app",
                                 .password = "s3cret",
                                 .protocol = Protocol::kResp3,
                                 .database = 2,
                                 .tls = *tls},
                                within(seconds{10}));
  ASSERT_TRUE(client) << client.error().message;
  EXPECT_THAT(client->tls_description(), StartsWith("TLSv1.3, "));
  EXPECT_TRUE(client->ping(within(seconds{10})));
  const auto info = client->info({}, within(seconds{10}));
  ASSERT_TRUE(info) << info.error().message;
  EXPECT_EQ(server->observed().count("HELLO"), 1U);
  EXPECT_EQ(server->observed().count("SELECT"), 1U);
}

TEST(ClientTest, SaysWhyTheTlsHandshakeFailed) {
  const auto server = serve({});
  net::TlsOptions options;
  options.verify = false;
  const auto tls = net::TlsContext::create(options);
  ASSERT_TRUE(tls);
  const auto client =
      Client::connect({.address = server->address(), .tls = *tls}, within(seconds{10}));
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().kind, ErrorKind::kTarget);
  EXPECT_EQ(client.error().message,
            server->address().text() +
                ": the server speaks no TLS on this port; leave target.tls out, or give its TLS "
                "port");
}

TEST(ClientTest, GivesUpOnATlsHandshakeThatIsNotAnswered) {
  net::TlsOptions options;
  options.verify = false;
  const auto tls = net::TlsContext::create(options);
  ASSERT_TRUE(tls);
  net::Address address;
  const auto listener = scripted::listen_on_loopback(address);  // takes it, and stays silent
  ASSERT_TRUE(listener);
  const auto client = Client::connect({.address = address, .tls = *tls}, within(milliseconds{100}));
  ASSERT_FALSE(client);
  EXPECT_THAT(client.error().message, HasSubstr("did not finish the TLS handshake within"));
}

TEST(ClientTest, NamesTheOptionsWhenAPasswordIsWanted) {
  Script script;
  script.engine({.password = "s3cret"});
  const auto server = serve(std::move(script));
  Client client = connected(*server);
  const Status pong = client.ping(within(seconds{10}));
  ASSERT_FALSE(pong);
  EXPECT_EQ(pong.error().message,
            server->address().text() +
                " asks for a password: set target.password_file or target.password_env");
}

TEST(ClientTest, ShowsWhatAServerOfAnotherProtocolSaid) {
  Script script;
  script.banner("SSH-2.0-OpenSSH_9.2\r\n").always().never_answer();
  const auto server = serve(std::move(script));
  Client client = connected(*server);
  const Status pong = client.ping(within(seconds{10}));
  ASSERT_FALSE(pong);
  EXPECT_EQ(pong.error().message,
            server->address().text() +
                " is no Valkey or Redis server: it answered \"SSH-2.0-OpenSSH_9.2\\x0d\\x0a\"");
  EXPECT_TRUE(client.broken());
}

TEST(ClientTest, RecognisesATlsAlert) {
  Script script;
  script.always().raw(std::string("\x15\x03\x01\x00\x02\x02\x0a", 7));
  const auto server = serve(std::move(script));
  Client client = connected(*server);
  const Status pong = client.ping(within(seconds{10}));
  ASSERT_FALSE(pong);
  EXPECT_THAT(pong.error().message, EndsWith("(it seems to speak TLS: set target.tls = true)"));
}

TEST(ClientTest, PutsTogetherARepliesFragments) {
  Script script;
  script.on({"ECHO"}).fragments({1, 3, 7}, milliseconds{1});
  const auto server = serve(std::move(script));
  Client client = connected(*server);
  EXPECT_EQ(client.call({"ECHO", "hello, world"}, within(seconds{10})).value().text,
            "hello, world");
}

TEST(ClientTest, PassesOverPushesBeforeAnAnswer) {
  Script script;
  script.on({"PING"}).raw(">2\r\n+invalidate\r\n*1\r\n+key\r\n+PONG\r\n");
  const auto server = serve(std::move(script));
  Client client = connected(*server);
  EXPECT_TRUE(client.ping(within(seconds{10})));
}

TEST(ClientTest, KeepsItsDeadlineAndStaysUsableAfterIt) {
  Script script;
  script.on({"ECHO"}).first(1).delay(milliseconds{300});
  const auto server = serve(std::move(script));
  Client client = connected(*server);
  const auto late = client.call({"ECHO", "late"}, within(milliseconds{20}));
  ASSERT_FALSE(late);
  EXPECT_THAT(late.error().message, StartsWith(server->address().text() +
                                               " did not answer ECHO within the time allowed"));
  EXPECT_TRUE(client.timed_out());
  EXPECT_FALSE(client.broken());
  // The answer to the first must not be taken for that to the second.
  const auto next = client.call({"ECHO", "next"}, within(seconds{10}));
  ASSERT_TRUE(next) << next.error().message;
  EXPECT_EQ(next->text, "next");
  EXPECT_FALSE(client.timed_out());
}

TEST(ClientTest, SaysThatTheServerClosedTheConnection) {
  Script script;
  script.on({"INFO"}).disconnect_within(3);
  const auto server = serve(std::move(script));
  Client client = connected(*server);
  const auto info = client.info({}, within(seconds{10}));
  ASSERT_FALSE(info);
  EXPECT_EQ(info.error().message,
            server->address().text() +
                " closed the connection instead of answering INFO; if it speaks TLS set "
                "target.tls = true");
  EXPECT_TRUE(client.broken());
  const Status pong = client.ping(within(seconds{10}));
  ASSERT_FALSE(pong);
  EXPECT_THAT(pong.error().message, EndsWith("the connection is closed"));
}

TEST(ClientTest, RefusesRepliesOfTheWrongKind) {
  Script script;
  script.on({"DBSIZE"}).raw("+many\r\n");
  script.on({"TIME"}).raw("*2\r\n$1\r\n1\r\n$7\r\n1000000\r\n");
  script.on({"CONFIG"}).raw("*1\r\n+odd\r\n");
  script.on({"INFO"}).error("NOPERM this user has no permissions to run the 'info' command");
  const auto server = serve(std::move(script));
  Client client = connected(*server);
  const Nanos deadline = within(seconds{10});
  EXPECT_THAT(client.dbsize(deadline).error().message, EndsWith("answered DBSIZE with \"many\""));
  EXPECT_THAT(client.time(deadline).error().message, EndsWith("answered TIME with an array of 2"));
  EXPECT_THAT(client.config_get("*", deadline).error().message,
              EndsWith("answered CONFIG GET with an array of 1"));
  EXPECT_THAT(client.info({}, deadline).error().message, HasSubstr("refused INFO: NOPERM"));
}

TEST(ClientTest, BreaksOffWhenAReplyIsMalformed) {
  Script script;
  script.on({"ECHO"}).raw("*1000000000\r\n");
  const auto server = serve(std::move(script));
  Client client = connected(*server);
  ASSERT_TRUE(client.ping(within(seconds{10})));
  const auto reply = client.call({"ECHO", "x"}, within(seconds{10}));
  ASSERT_FALSE(reply);
  EXPECT_THAT(reply.error().message,
              HasSubstr("sent what is no reply to ECHO: a count of items of"));
  EXPECT_TRUE(client.broken());
}

}  // namespace
}  // namespace headroom::resp
