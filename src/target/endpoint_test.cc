#include "target/endpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "net/socket.h"
#include "scripted/scripted_server.h"
#include "tests/support/recording_sink.h"

namespace headroom::target {
namespace {

using scripted::Script;
using scripted::ScriptedServer;
using std::chrono::seconds;
using testing::Contains;
using testing::HasSubstr;
using testing::Pair;
using testing::StartsWith;

std::string bulk(std::string_view text) { return fmt::format("${}\r\n{}\r\n", text.size(), text); }

class EndpointTest : public testing::Test {
 protected:
  void serve(Script script, const std::string& socket = "") {
    auto server = ScriptedServer::start(std::move(script), socket);
    ASSERT_TRUE(server) << server.error().message;
    server_ = std::move(*server);
    scenario_.kind = scenario::TargetKind::kEndpoint;
    scenario_.host = server_->address().host;
    scenario_.port = server_->address().port;
    scenario_.socket = socket;
  }
  Result<Description> provision() {
    target_ = make_target(scenario_, real_clock(), real_clock().now(), sink_);
    return target_->provision(real_clock().now() + seconds{10});
  }
  std::string refusal() {
    const auto description = provision();
    EXPECT_FALSE(description);
    if (description) return "(accepted)";
    EXPECT_EQ(description.error().kind, ErrorKind::kTarget);
    return description.error().message;
  }

  scenario::Target scenario_;
  RecordingSink sink_;
  std::unique_ptr<ScriptedServer> server_;
  std::unique_ptr<Target> target_;
};

TEST_F(EndpointTest, DescribesAnAddressByItsNumber) {
  serve({});
  scenario_.host = "localhost";
  if (!net::resolve({"localhost", server_->address().port, ""}))
    GTEST_SKIP() << "this machine does not know localhost: it has no /etc/hosts";
  const auto description = provision();
  ASSERT_TRUE(description) << description.error().message;
  EXPECT_EQ(description->server.address.text(), server_->address().text());
}

TEST_F(EndpointTest, DescribesWhatAnswers) {
  Script script;
  script.engine({.version = "9.1.0", .maxmemory_bytes = 750, .maxmemory_policy = "volatile-ttl"});
  serve(std::move(script));
  const auto description = provision();
  ASSERT_TRUE(description) << description.error().message;
  EXPECT_EQ(description->engine, "valkey");
  EXPECT_EQ(description->version, "9.1.0");
  EXPECT_EQ(description->maxmemory_bytes, 750U);
  EXPECT_EQ(description->node_memory_bytes, 1000U);
  EXPECT_EQ(description->maxmemory_policy, "volatile-ttl");
  EXPECT_EQ(description->pid, std::nullopt);
  EXPECT_TRUE(description->on_this_host);
  EXPECT_EQ(description->existing_keys, 0U);
  const auto facts = sink_.content().facts;
  EXPECT_THAT(facts, Contains(Pair("target.peer", server_->address().text())));
  EXPECT_TRUE(facts.contains("clock.target_offset_ns"));
}

TEST_F(EndpointTest, TalksOverAUnixSocket) {
  auto directory = TempDir::create("headroom-endpoint-test");
  ASSERT_TRUE(directory);
  serve({}, (directory->path() / "engine.sock").string());
  scenario_.host.clear();
  const auto description = provision();
  ASSERT_TRUE(description) << description.error().message;
  EXPECT_EQ(description->server.address.socket, scenario_.socket);
  EXPECT_TRUE(description->on_this_host);
}

TEST_F(EndpointTest, RefusesADatabaseWithKeysAndNamesTheirNumberAndTheOption) {
  Script script;
  script.engine({.existing_keys = 12345});
  serve(std::move(script));
  EXPECT_THAT(refusal(), StartsWith(server_->address().text() +
                                    " holds 12,345 keys already: use an empty one, or set "
                                    "target.allow_existing_data = true"));
}

TEST_F(EndpointTest, CountsTheKeysOfOtherDatabasesToo) {
  Script script;
  script.on({"INFO"}).raw(bulk("# Keyspace\r\ndb5:keys=17,expires=0,avg_ttl=0\r\n"));
  serve(std::move(script));
  EXPECT_THAT(refusal(), HasSubstr(" holds 17 keys already"));
}

TEST_F(EndpointTest, WarnsOfExistingDataThatIsAllowed) {
  Script script;
  script.engine({.existing_keys = 12345});
  serve(std::move(script));
  scenario_.allow_existing_data = true;
  const auto description = provision();
  ASSERT_TRUE(description) << description.error().message;
  EXPECT_EQ(description->existing_keys, 12345U);
  EXPECT_EQ(sink_.content().count(record::WarningKind::kExistingData), 1U);
}

TEST_F(EndpointTest, SendsNothingThatWritesOrFlushes) {
  serve({});
  ASSERT_TRUE(provision());
  ASSERT_TRUE(target_->teardown(seconds{1}));
  ASSERT_TRUE(target_->verify());
  for (const auto& [command, count] : server_->observed().commands) {
    EXPECT_THAT((std::vector<std::string>{"PING", "INFO", "CONFIG", "DBSIZE", "TIME"}),
                Contains(command));
  }
}

TEST_F(EndpointTest, KeepsThePasswordOutOfTheFactsAndUsesIt) {
  Script script;
  script.engine({.password = "s3cret", .config = {{"requirepass", "s3cret"}}});
  serve(std::move(script));
  scenario_.password_env = "HEADROOM_ENDPOINT_TEST";
  ASSERT_EQ(::setenv("HEADROOM_ENDPOINT_TEST", "s3cret", 1), 0);
  const auto description = provision();
  ASSERT_EQ(::unsetenv("HEADROOM_ENDPOINT_TEST"), 0);
  ASSERT_TRUE(description) << description.error().message;
  EXPECT_EQ(description->server.password, "s3cret");
  for (const auto& [name, value] : sink_.content().facts) EXPECT_NE(value, "s3cret") << name;
}

TEST_F(EndpointTest, RefusesAReplica) {
  Script script;
  script.engine({.info = {{"role", "slave"}}});
  serve(std::move(script));
  EXPECT_THAT(refusal(), HasSubstr(" is a replica and takes no writes"));
}

TEST_F(EndpointTest, RefusesOneShardOfSeveral) {
  Script script;
  script.engine({.info = {{"cluster_enabled", "1"}}});
  script.on({"CLUSTER"}).raw(bulk("cluster_state:ok\r\ncluster_size:3\r\n"));
  serve(std::move(script));
  EXPECT_THAT(refusal(), HasSubstr(" is one of the 3 shards of a cluster: set target.cluster"));
}

TEST_F(EndpointTest, TakesAClusterForOneWhenTheScenarioSaysSo) {
  Script script;
  script.engine({.info = {{"cluster_enabled", "1"}}});
  serve(std::move(script));
  scenario_.cluster = true;
  const auto description = provision();
  ASSERT_TRUE(description) << description.error().message;
  EXPECT_TRUE(description->cluster);
}

TEST_F(EndpointTest, RefusesAsAClusterWhatIsNone) {
  serve({});
  scenario_.cluster = true;
  EXPECT_THAT(refusal(), HasSubstr(" is no cluster"));
}

TEST_F(EndpointTest, SaysThatNobodyListens) {
  serve({});
  server_->stop();
  EXPECT_EQ(refusal(), "cannot connect to " + server_->address().text() + ": Connection refused");
}

TEST_F(EndpointTest, SaysWhatAServerOfAnotherProtocolAnswered) {
  Script script;
  script.always().raw("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n").disconnect_after();
  serve(std::move(script));
  EXPECT_THAT(refusal(), HasSubstr("is no Valkey or Redis server: it answered \"HTTP/1.1 400"));
}

TEST_F(EndpointTest, GivesUpAtItsDeadline) {
  Script script;
  script.always().never_answer();
  serve(std::move(script));
  target_ = make_target(scenario_, real_clock(), real_clock().now(), sink_);
  const auto description = target_->provision(real_clock().now() + std::chrono::milliseconds{50});
  ASSERT_FALSE(description);
  EXPECT_THAT(description.error().message,
              HasSubstr("did not answer PING within the time allowed"));
}

TEST_F(EndpointTest, ProvesThatItWasLeftRunningByAskingIt) {
  Script script;
  script.on({"INFO"}).raw(bulk("# Keyspace\r\n"));
  script.on({"INFO"}).from(1).raw(bulk("# Keyspace\r\ndb0:keys=1017,expires=0\r\n"));
  serve(std::move(script));
  ASSERT_TRUE(provision());
  ASSERT_TRUE(target_->teardown(seconds{10}));
  ASSERT_TRUE(target_->verify());
  const auto receipts = sink_.content().receipts;
  ASSERT_EQ(receipts.size(), 1U);
  EXPECT_EQ(receipts[0].what, "left running");
  EXPECT_THAT(receipts[0].evidence, HasSubstr("it answers and holds 1,017 keys"));
  EXPECT_TRUE(receipts[0].proved);
}

TEST_F(EndpointTest, IsNotProvedToRunIfItIsGoneWhichIsNoFailureToTakeItDown) {
  serve({});
  ASSERT_TRUE(provision());
  EXPECT_TRUE(target_->answers(real_clock().now() + seconds{10}));
  server_->stop();
  const auto answers = target_->answers(real_clock().now() + seconds{10});
  ASSERT_FALSE(answers);
  EXPECT_THAT(answers.error().message, HasSubstr("Connection refused"));
  EXPECT_TRUE(target_->teardown(seconds{10}));
  EXPECT_TRUE(target_->verify());
  const auto receipts = sink_.content().receipts;
  ASSERT_EQ(receipts.size(), 1U);
  EXPECT_EQ(receipts[0].what, "left running");
  EXPECT_THAT(receipts[0].evidence, HasSubstr("does not answer: cannot connect to"));
  EXPECT_FALSE(receipts[0].proved);
}

TEST_F(EndpointTest, AServerThatIsSilentIsAskedNoLongerThanAllowed) {
  Script script;
  script.on({"PING"}).from(1).never_answer();
  script.on({"INFO"}).from(1).never_answer();
  serve(std::move(script));
  ASSERT_TRUE(provision());
  EXPECT_FALSE(target_->answers(real_clock().now() + std::chrono::milliseconds{50}));
  EXPECT_TRUE(target_->teardown(std::chrono::milliseconds{50}));
  EXPECT_THAT(sink_.content().receipts.at(0).evidence, HasSubstr("does not answer: "));
}

TEST_F(EndpointTest, LeavesNoReceiptIfItWasNeverReady) {
  serve({});
  server_->stop();
  EXPECT_FALSE(provision());
  EXPECT_TRUE(target_->teardown(seconds{1}));
  EXPECT_TRUE(sink_.content().receipts.empty());
}

}  // namespace
}  // namespace headroom::target
