#include "scripted/scripted_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <utility>

#include "base/file.h"
#include "tests/support/raw_client.h"

namespace headroom::scripted {
namespace {

using namespace std::chrono_literals;
using testing::encode;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::RawClient;
using ::testing::SizeIs;
using ::testing::StartsWith;

std::unique_ptr<ScriptedServer> serve(Script script) {
  auto server = ScriptedServer::start(std::move(script));
  EXPECT_TRUE(server) << (server ? "" : server.error().message);
  return *std::move(server);
}

RawClient connect_to(const ScriptedServer& server) {
  auto client = RawClient::connect(server.address());
  EXPECT_TRUE(client) << (client ? "" : client.error().message);
  return *std::move(client);
}

TEST(ScriptedServer, KeepsWhatWasSetAndCountsHitsAndMissesTruly) {
  const auto server = serve({});
  RawClient client = connect_to(*server);
  EXPECT_EQ(client.ask({"GET", "k"}, "$-1\r\n"), "$-1\r\n");
  EXPECT_EQ(client.ask({"SET", "k", "value"}, "+OK\r\n"), "+OK\r\n");
  EXPECT_EQ(client.ask({"get", "k"}, "$5\r\nvalue\r\n"), "$5\r\nvalue\r\n");
  EXPECT_EQ(client.ask({"DBSIZE"}, ":1\r\n"), ":1\r\n");
  const std::string info = client.ask_bulk({"INFO"});
  EXPECT_THAT(info, HasSubstr("\r\nkeyspace_hits:1\r\nkeyspace_misses:1\r\n"));
  EXPECT_THAT(info, HasSubstr("\r\ncmdstat_get:calls=2,"));
  EXPECT_THAT(info, HasSubstr("\r\ndb0:keys=1,"));
  EXPECT_EQ(server->observed().count("GET"), 2U);
  EXPECT_EQ(server->observed().requests, 5U);
}

TEST(ScriptedServer, ClaimsToBeTheEngineThatTheScriptNames) {
  Script script;
  script.engine({.name = "redis",
                 .version = "7.0.15",
                 .maxmemory_bytes = 1000,
                 .maxmemory_policy = "allkeys-lru",
                 .existing_keys = 7,
                 .config = {{"io-threads", "4"}},
                 .info = {{"evicted_keys", "12"}, {"extra", "yes"}}});
  const auto server = serve(std::move(script));
  RawClient client = connect_to(*server);
  const std::string info = client.ask_bulk({"INFO", "everything"});
  for (const char* field : {"redis_version:7.0.15", "maxmemory:1000", "evicted_keys:12",
                            "extra:yes", "maxmemory_policy:allkeys-lru"}) {
    EXPECT_THAT(info, HasSubstr(std::string("\r\n") + field + "\r\n"));
  }
  EXPECT_THAT(info, Not(HasSubstr("valkey_version")));
  const std::string config =
      "*4\r\n$10\r\nio-threads\r\n$1\r\n4\r\n$9\r\nmaxmemory\r\n$4\r\n1000\r\n";
  EXPECT_EQ(client.ask({"CONFIG", "GET", "io-*", "maxmemory"}, config), config);
  EXPECT_EQ(client.ask({"DBSIZE"}, ":7\r\n"), ":7\r\n");
}

TEST(ScriptedServer, AsksForThePasswordOfTheScript) {
  Script script;
  script.engine({.password = "secret"});
  const auto server = serve(std::move(script));
  RawClient client = connect_to(*server);
  const std::string refused = "-NOAUTH Authentication required.\r\n";
  EXPECT_EQ(client.ask({"PING"}, refused), refused);
  EXPECT_THAT(client.ask({"AUTH", "wrong"}, "-WRONGPASS"), StartsWith("-WRONGPASS"));
  RawClient other = connect_to(*server);
  EXPECT_EQ(other.ask({"AUTH", "default", "secret"}, "+OK\r\n"), "+OK\r\n");
  EXPECT_EQ(other.ask({"PING"}, "+PONG\r\n"), "+PONG\r\n");
}

TEST(ScriptedServer, AnswersNoSoonerThanTheDelayAndKeepsTheTruth) {
  Script script;
  script.always().delay(2ms);
  const auto server = serve(std::move(script));
  RawClient client = connect_to(*server);
  for (int i = 0; i < 5; ++i) {
    const Nanos before = real_clock().now();
    EXPECT_EQ(client.ask({"PING"}, "+PONG\r\n"), "+PONG\r\n");
    const Served served = server->observed().log.back();
    ASSERT_TRUE(served.added().has_value());
    EXPECT_GE(*served.added(), 2ms);
    EXPECT_LE(*served.added(), client.last_read() - before);
    EXPECT_GE(served.arrived, before);
    EXPECT_LE(*served.replied, client.last_read());
  }
}

TEST(ScriptedServer, StampsWhenEachRequestWasSent) {
  Script script;
  script.stamp_requests();
  const auto server = serve(std::move(script));
  RawClient client = connect_to(*server);
  const WallTime before = real_clock().wall();
  std::vector<Served> stamped;
  const Nanos deadline = real_clock().now() + 5s;
  while (stamped.size() < 2 && real_clock().now() < deadline) {
    EXPECT_EQ(client.ask({"PING"}, "+PONG\r\n"), "+PONG\r\n");
    stamped = server->observed().log;
    std::erase_if(stamped, [](const Served& each) { return !each.sent; });
  }
  ASSERT_EQ(stamped.size(), 2U);
  EXPECT_GE(*stamped[0].sent, before.since_epoch);
  EXPECT_GT(*stamped[1].sent, *stamped[0].sent);
  EXPECT_LE(*stamped[1].sent, real_clock().wall().since_epoch);
}

TEST(ScriptedServer, GivesEachReplyOfAPipelineItsOwnDelayInOrder) {
  Script script;
  script.always().delays({0ms, 4ms, 2ms, 8ms});
  const auto server = serve(std::move(script));
  RawClient client = connect_to(*server);
  const std::string ping = encode({"PING"});
  ASSERT_TRUE(client.send(ping + ping + ping + ping));
  EXPECT_THAT(client.read(4 * 7), StartsWith("+PONG\r\n"));
  ASSERT_TRUE(server->wait_until(
      [](const Observed& o) { return o.log.size() == 4 && o.log[3].replied; }, 5s));
  const std::vector<Served> log = server->observed().log;
  EXPECT_GE(*log[1].added(), 4ms);
  EXPECT_GE(*log[2].replied, *log[1].replied);  // not before its predecessor
  EXPECT_GE(*log[3].added(), 8ms);
  EXPECT_LT(*log[0].replied, *log[1].replied);
}

TEST(ScriptedServer, AppliesARuleToTheRequestsItNames) {
  Script script;
  script.on({"SET"}).from(1).until(5).every(2).error("OOM no");
  script.always().on_connection(1).error("ERR second");
  const auto server = serve(std::move(script));
  RawClient client = connect_to(*server);
  std::string kinds;
  for (int i = 0; i < 6; ++i) {
    ASSERT_TRUE(client.send(encode({"SET", "k", "v"})));
    kinds += client.read(1) == "-" ? "e" : "o";
    EXPECT_THAT(client.read(kinds.ends_with('e') ? 8 : 4), EndsWith("\r\n"));
  }
  EXPECT_EQ(kinds, "oeoeoo");
  EXPECT_EQ(server->observed().count("SET"), 6U);
  RawClient second = connect_to(*server);
  EXPECT_EQ(second.ask({"PING"}, "-ERR second\r\n"), "-ERR second\r\n");
}

TEST(ScriptedServer, SplitsAReplyWhereTheScriptCutsIt) {
  Script script;
  script.on({"PING"}).fragments({1, 4}, 3ms);
  const auto server = serve(std::move(script));
  RawClient client = connect_to(*server);
  ASSERT_TRUE(client.send(encode({"PING"})));
  EXPECT_EQ(client.read(1), "+");
  const Nanos first = client.last_read();
  EXPECT_EQ(client.read(6), "PONG\r\n");
  EXPECT_GE(client.last_read() - first, 3ms);
  EXPECT_GE(*server->observed().log[0].added(), 6ms);
}

TEST(ScriptedServer, EndsAConnectionBeforeWithinAndAfterAReply) {
  Script script;
  script.always().on_connection(0).nth(1).disconnect_before();
  script.always().on_connection(1).nth(1).disconnect_within(3);
  script.always().on_connection(2).nth(1).disconnect_after();
  const auto server = serve(std::move(script));
  for (const char* last : {"", "+PO", "+PONG\r\n"}) {
    RawClient client = connect_to(*server);
    EXPECT_EQ(client.ask({"PING"}, "+PONG\r\n"), "+PONG\r\n");
    ASSERT_TRUE(client.send(encode({"PING"})));
    EXPECT_EQ(client.read_to_end(), last);
  }
  const std::vector<Served> log = server->observed().log;
  EXPECT_FALSE(log[1].replied);
  EXPECT_FALSE(log[3].replied);
  EXPECT_TRUE(log[5].replied);
}

TEST(ScriptedServer, StaysSilentFromTheRequestThatTheScriptNames) {
  Script script;
  script.always().nth(1).never_answer();
  const auto server = serve(std::move(script));
  RawClient client = connect_to(*server);
  const std::string ping = encode({"PING"});
  ASSERT_TRUE(client.send(ping + ping + ping));
  ASSERT_TRUE(server->wait_until([](const Observed& o) { return o.requests == 3; }, 5s));
  server->stop();
  EXPECT_EQ(client.read_to_end(), "+PONG\r\n");
}

TEST(ScriptedServer, StallsAsAWhole) {
  Script script;
  script.stall(40ms, 30ms);
  const Nanos before = real_clock().now();
  const auto server = serve(std::move(script));
  RawClient client = connect_to(*server);
  ASSERT_TRUE(server->wait_until([](const Observed& o) { return o.stalls.size() >= 2; }, 5s));
  const auto stalls = server->observed().stalls;
  EXPECT_GE(stalls[0].begin, before + 40ms);
  EXPECT_GE(stalls[0].end, before + 70ms);
  EXPECT_GE(stalls[1].begin, stalls[0].end);
  EXPECT_EQ(client.ask({"PING"}, "+PONG\r\n"), "+PONG\r\n");
}

TEST(ScriptedServer, GreetsAsAnotherProtocolWould) {
  Script script;
  script.banner("SSH-2.0-Something\r\n");
  script.close_connections_from(1);
  const auto server = serve(std::move(script));
  EXPECT_EQ(connect_to(*server).read(19), "SSH-2.0-Something\r\n");
  EXPECT_EQ(connect_to(*server).read_to_end(), "");
  EXPECT_EQ(server->observed().connections, 2U);
}

TEST(ScriptedServer, RefusesWhatIsNoRequest) {
  const auto server = serve({});
  for (const char* bytes : {"*x\r\n", "*1\r\n:1\r\n", "*1\r\n$-5\r\n"}) {
    RawClient client = connect_to(*server);
    ASSERT_TRUE(client.send(bytes));
    EXPECT_THAT(client.read_to_end(), StartsWith("-ERR Protocol error"));
  }
  EXPECT_EQ(server->observed().requests, 0U);
}

TEST(ScriptedServer, TakesRequestsSplitAnywhereAndInlineOnes) {
  const auto server = serve({});
  RawClient client = connect_to(*server);
  const std::string request = encode({"SET", "k", "va\r\nlue"}) + "PING\r\n";
  for (const char byte : request) ASSERT_TRUE(client.send({&byte, 1}));
  EXPECT_EQ(client.read(12), "+OK\r\n+PONG\r\n");
}

TEST(ScriptedServer, WritesALargeReplyToASlowReader) {
  const auto server = serve({});
  RawClient client = connect_to(*server);
  const std::string value(8 << 20, 'x');
  EXPECT_EQ(client.ask({"SET", "k", value}, "+OK\r\n"), "+OK\r\n");
  const std::string get = encode({"GET", "k"});
  ASSERT_TRUE(client.send(get + get));
  ASSERT_TRUE(server->wait_until([](const Observed& o) { return o.count("GET") == 2; }, 5s));
  EXPECT_FALSE(server->observed().log.back().replied);  // the reader has not taken it yet
  const std::size_t size = value.size() + std::string("$8388608\r\n\r\n").size();
  EXPECT_THAT(client.read(2 * size), SizeIs(2 * size));
}

TEST(ScriptedServer, StopsReadingFromAClientThatDoesNotRead) {
  const auto server = serve({});
  RawClient client = connect_to(*server);
  const std::string value(16 << 20, 'x');
  EXPECT_EQ(client.ask({"SET", "k", value}, "+OK\r\n"), "+OK\r\n");
  // One read brings them all, and their replies would take 16 GiB.
  constexpr std::size_t kRequests = 1000;
  std::string gets;
  for (std::size_t i = 0; i < kRequests; ++i) gets += encode({"GET", "k"});
  ASSERT_TRUE(client.send(gets));
  const auto taken = [](const Observed& o) { return o.count("GET"); };
  ASSERT_TRUE(server->wait_until([&](const Observed& o) { return taken(o) >= 4; }, 5s));
  EXPECT_EQ(connect_to(*server).ask({"PING"}, "+PONG\r\n"), "+PONG\r\n");
  const std::size_t most = ScriptedServer::kMostUnsent / value.size() + 1;
  EXPECT_LE(taken(server->observed()), most + 1);  // the kernel's buffers hold a part of one
  // It goes on as the client reads.
  const std::size_t size = value.size() + std::string("$16777216\r\n\r\n").size();
  for (std::size_t i = 0; i < 2 * most; ++i) ASSERT_THAT(client.read(size), SizeIs(size));
  EXPECT_GT(taken(server->observed()), most + 1);
}

TEST(ScriptedServer, RefusesARequestThatNeverEnds) {
  const auto server = serve({});
  RawClient client = connect_to(*server);
  ASSERT_TRUE(client.send("*2\r\n$3\r\nSET\r\n$99999999\r\n"));
  EXPECT_THAT(client.read_to_end(), StartsWith("-ERR Protocol error: invalid bulk length"));
  RawClient second = connect_to(*server);
  const std::string part = "$1000000\r\n" + std::string(1'000'000, 'x') + "\r\n";
  ASSERT_TRUE(second.send("*60000\r\n"));
  bool open = true;
  for (int i = 0; i < 100 && open; ++i) open = second.send(part);
  EXPECT_THAT(second.read_to_end(), AnyOf("", StartsWith("-ERR Protocol error: too big request")));
  EXPECT_EQ(server->observed().requests, 0U);
}

TEST(ScriptedServer, TellsOnlySoManyNamesOfCommandsApart) {
  CommandCounts counts;
  for (int i = 0; i < 5000; ++i) count_name(counts, std::to_string(i));
  count_name(counts, "7");
  EXPECT_THAT(counts, SizeIs(1001));
  EXPECT_EQ(counts["7"], 2U);
  EXPECT_EQ(counts[kOtherCommands], 4000U);
}

TEST(ScriptedServer, ListensOnAUnixSocketAndRemovesItAfterwards) {
  auto dir = TempDir::create("scripted-server");
  ASSERT_TRUE(dir);
  const std::string path = (dir->path() / "s").string();
  {
    auto server = ScriptedServer::start({}, path);
    ASSERT_TRUE(server);
    EXPECT_EQ(connect_to(**server).ask({"PING"}, "+PONG\r\n"), "+PONG\r\n");
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace headroom::scripted
