#include "target/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scripted/scripted_server.h"
#include "tests/support/recording_sink.h"

namespace headroom::target {
namespace {

using scripted::Script;
using scripted::ScriptedServer;
using std::chrono::seconds;
using testing::Contains;
using testing::HasSubstr;
using testing::Key;
using testing::Not;
using testing::Pair;

TEST(IdentifyTest, PrefersAForksOwnNameAndVersion) {
  const auto info = resp::Info::parse(
      "# Server\r\nredis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:9.1.0\r\n");
  const Engine engine = identify(info, {});
  EXPECT_EQ(engine.name, "valkey");
  EXPECT_EQ(engine.version, "9.1.0");
}

TEST(IdentifyTest, KnowsRedisByItsVersionAndNothingElseByAName) {
  EXPECT_EQ(identify(resp::Info::parse("redis_version:7.0.15\r\n"), {}).name, "redis");
  EXPECT_EQ(identify(resp::Info::parse("version:1\r\n"), {}).name, "unknown");
}

TEST(IdentifyTest, TakesTheConfigurationBeforeInfoAndNoLimitForNone) {
  const auto info = resp::Info::parse("maxmemory:100\r\nmaxmemory_policy:noeviction\r\n");
  EXPECT_EQ(identify(info, {}).maxmemory_bytes, 100U);
  EXPECT_EQ(identify(info, {}).maxmemory_policy, "noeviction");
  const Engine configured =
      identify(info, {{"maxmemory", "200"}, {"maxmemory-policy", "allkeys-lru"}});
  EXPECT_EQ(configured.maxmemory_bytes, 200U);
  EXPECT_EQ(configured.maxmemory_policy, "allkeys-lru");
  EXPECT_EQ(identify(info, {{"maxmemory", "0"}}).maxmemory_bytes, std::nullopt);
  EXPECT_EQ(identify(resp::Info::parse(""), {}).maxmemory_bytes, std::nullopt);
}

TEST(EngineFactsTest, RecordTheConfigurationWithoutItsSecrets) {
  const auto info = resp::Info::parse("redis_version:7.0.15\r\nos:Linux 6.1.0 x86_64\r\n");
  const std::map<std::string, std::string> configuration = {
      {"io-threads", "2"}, {"requirepass", "s3cret"}, {"masterauth", "s3cret"}};
  const auto facts = engine_facts(identify(info, configuration), info, configuration);
  EXPECT_THAT(facts, Contains(Pair("engine.config.io-threads", "2")));
  EXPECT_THAT(facts, Contains(Pair("engine.version", "7.0.15")));
  EXPECT_THAT(facts, Contains(Pair("engine.os", "Linux 6.1.0 x86_64")));
  EXPECT_THAT(facts, Contains(Pair("engine.arch", "x86_64")));
  for (const auto& [name, value] : facts) EXPECT_THAT(value, Not(HasSubstr("s3cret"))) << name;
  EXPECT_THAT(facts, Not(Contains(Key("engine.run_id"))));  // not told: absent
}

class EngineOverTheWireTest : public testing::Test {
 protected:
  resp::Client connect(Script script) {
    auto server = ScriptedServer::start(std::move(script));
    EXPECT_TRUE(server);
    server_ = std::move(*server);
    auto client = resp::Client::connect({server_->address(), {}, {}}, deadline());
    EXPECT_TRUE(client);
    return std::move(*client);
  }
  static Nanos deadline() { return real_clock().now() + seconds{10}; }

  std::unique_ptr<ScriptedServer> server_;
  RecordingSink sink_;
};

TEST_F(EngineOverTheWireTest, LeavesItsFactsInTheSink) {
  Script script;
  script.engine({.maxmemory_bytes = 1000, .maxmemory_policy = "allkeys-lru", .existing_keys = 3});
  resp::Client client = connect(std::move(script));
  const auto engine = describe_engine(client, deadline(), sink_);
  ASSERT_TRUE(engine) << engine.error().message;
  EXPECT_EQ(engine->keys, 3U);
  const auto facts = sink_.content().facts;
  EXPECT_THAT(facts, Contains(Pair("engine.name", "valkey")));
  EXPECT_THAT(facts, Contains(Pair("engine.config.maxmemory", "1000")));
  EXPECT_THAT(facts, Contains(Pair("engine.config.maxmemory-policy", "allkeys-lru")));
  EXPECT_TRUE(sink_.content().warnings.empty());
}

TEST_F(EngineOverTheWireTest, MakesDoWithInfoWhereConfigIsForbidden) {
  Script script;
  script.engine({.maxmemory_bytes = 1000});
  script.on({"CONFIG"}).error("ERR unknown command 'CONFIG'");
  resp::Client client = connect(std::move(script));
  const auto engine = describe_engine(client, deadline(), sink_);
  ASSERT_TRUE(engine) << engine.error().message;
  EXPECT_EQ(engine->maxmemory_bytes, 1000U);
  const auto warnings = sink_.content().warnings;
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0].kind, record::WarningKind::kTelemetryAbsent);
  EXPECT_THAT(warnings[0].text, HasSubstr("ERR unknown command 'CONFIG'"));
}

// Forwards to the real clock, with a wall clock that is wrong by a known amount.
class ShiftedClock final : public Clock {
 public:
  [[nodiscard]] Nanos now() const override { return real_clock().now(); }
  [[nodiscard]] WallTime wall() const override {
    return {real_clock().wall().since_epoch - seconds{1000}};
  }
};

TEST_F(EngineOverTheWireTest, MeasuresHowFarTheEnginesClockIsAhead) {
  resp::Client client = connect({});
  ASSERT_TRUE(measure_clock(client, ShiftedClock(), deadline(), sink_));
  const auto facts = sink_.content().facts;
  const double offset_s = 1e-9 * std::stod(facts.at("clock.target_offset_ns"));
  const double round_trip_s = 1e-9 * std::stod(facts.at("clock.target_rtt_ns"));
  EXPECT_GT(round_trip_s, 0);
  // TIME has whole microseconds.
  EXPECT_NEAR(offset_s, 1000, round_trip_s / 2 + 2e-6);
}

TEST_F(EngineOverTheWireTest, LeavesNoClockFactsWhereTimeIsForbidden) {
  Script script;
  script.on({"TIME"}).error("NOPERM this user has no permissions to run the 'time' command");
  resp::Client client = connect(std::move(script));
  EXPECT_TRUE(measure_clock(client, real_clock(), deadline(), sink_));
  EXPECT_TRUE(sink_.content().facts.empty());
}

}  // namespace
}  // namespace headroom::target
