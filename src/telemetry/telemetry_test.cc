#include "telemetry/telemetry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

#include "scripted/scripted_server.h"
#include "tests/support/recording_sink.h"

namespace headroom::telemetry {
namespace {

using record::EventKind;
using record::WarningKind;
using scripted::Script;
using scripted::ScriptedServer;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

using Content = RecordingSink::Content;

class TelemetryTest : public testing::Test {
 protected:
  void serve(Script script) {
    auto server = ScriptedServer::start(std::move(script));
    ASSERT_TRUE(server) << server.error().message;
    server_ = std::move(*server);
    config_.nodes.resize(1);
    config_.nodes[0].server.address = server_->address();
    config_.interval = hours{1};  // only what a test asks for
    config_.reply_timeout = seconds{10};
    config_.clock = &real_clock();
    config_.origin = real_clock().now();
    config_.sink = &sink_;
  }
  void start() {
    auto started = Telemetry::start(config_);
    ASSERT_TRUE(started) << started.error().message;
    telemetry_ = std::move(*started);
  }
  std::size_t engine_batches() const { return sink_.content().values("BytesUsedForCache").size(); }

  RecordingSink sink_;
  TelemetryConfig config_;
  std::unique_ptr<ScriptedServer> server_;
  std::unique_ptr<Telemetry> telemetry_;
};

TEST_F(TelemetryTest, HasTheFirstSampleWhenItHasStarted) {
  Script script;
  script.engine({.maxmemory_bytes = 5000, .existing_keys = 7, .info = {{"evicted_keys", "3"}}});
  serve(std::move(script));
  start();
  EXPECT_EQ(sink_.content().values("CurrItems"), std::vector<double>{7});
  const Glance glance = telemetry_->glance();
  EXPECT_EQ(glance.keys, 7);
  EXPECT_EQ(glance.maxmemory_bytes, 5000);
  EXPECT_EQ(glance.evicted_keys, 3);
  EXPECT_TRUE(glance.used_memory_bytes);
}

TEST_F(TelemetryTest, SamplesTheEnginesProcessAndTheHostBesideIt) {
  serve({});
  config_.nodes[0].engine_pid = ::getpid();
  start();
  EXPECT_EQ(sink_.content().values("process_rss_bytes").size(), 1U);
  EXPECT_EQ(sink_.content().values("host_cpu_busy_seconds").size(), 1U);
}

TEST_F(TelemetryTest, TakesTheTimeInTheMiddleBetweenAskingAndTheAnswer) {
  Script script;
  script.on({"INFO"}).delay(milliseconds{100});
  serve(std::move(script));
  start();
  const Content content = sink_.content();
  const auto& batch = content.batches.back();
  const auto log = server_->observed().log;
  const auto asked = std::ranges::find(log, "INFO", &scripted::Served::command);
  ASSERT_NE(asked, log.end());
  const auto& served = *asked;
  const Nanos arrived = served.arrived - config_.origin;
  EXPECT_GE(batch.time, arrived);
  EXPECT_LE(batch.time, *served.replied - config_.origin);
  EXPECT_GE(content.values("info_round_trip_seconds").at(0), 0.1);
}

TEST_F(TelemetryTest, SamplesInItsRhythmOverOneConnection) {
  serve({});
  config_.interval = milliseconds{5};
  start();
  EXPECT_TRUE(sink_.wait_until(
      [](const Content& content) { return content.values("CurrItems").size() >= 5; }, seconds{10}));
  telemetry_->stop();
  EXPECT_EQ(server_->observed().connections, 1U);
  Nanos last{-1};
  for (const auto& batch : sink_.content().batches) {
    if (batch.samples.front().metric != record::metric("engine_uptime_seconds")) continue;
    EXPECT_GT(batch.time, last);
    last = batch.time;
  }
}

TEST_F(TelemetryTest, SamplesOnRequestAndOnceMoreWhenItStops) {
  serve({});
  start();
  EXPECT_EQ(engine_batches(), 1U);
  telemetry_->sample_now();
  EXPECT_EQ(engine_batches(), 2U);
  telemetry_->stop();
  EXPECT_EQ(engine_batches(), 3U);
  telemetry_->stop();
  telemetry_->sample_now();  // over: returns at once
  EXPECT_EQ(engine_batches(), 3U);
}

TEST_F(TelemetryTest, ServesRequestsOfSeveralThreads) {
  serve({});
  start();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([this] {
      telemetry_->sample_now();
      (void)telemetry_->glance();
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_GE(engine_batches(), 2U);
  EXPECT_LE(engine_batches(), 5U);
}

TEST_F(TelemetryTest, FailsToStartWhenNobodyAnswers) {
  serve({});
  server_->stop();
  const auto started = Telemetry::start(config_);
  ASSERT_FALSE(started);
  EXPECT_THAT(started.error().message, HasSubstr("Connection refused"));
}

TEST_F(TelemetryTest, NotesASilenceOnceAndThatItIsOver) {
  Script script;
  script.on({"INFO"}).from(1).until(2).delay(milliseconds{500});
  serve(std::move(script));
  config_.interval = milliseconds{5};
  config_.reply_timeout = milliseconds{150};
  start();
  ASSERT_TRUE(sink_.wait_until(
      [](const Content& content) { return content.count(EventKind::kEngineAnswers) == 1; },
      seconds{10}));
  telemetry_->stop();
  EXPECT_GE(sink_.content().count(EventKind::kEngineSilent), 1U);
  // It asked on the same connection: the engine is not left with one for every attempt.
  EXPECT_EQ(server_->observed().connections, 1U);
}

TEST_F(TelemetryTest, StopsInTimeThoughTheEngineIsSilent) {
  Script script;
  script.on({"INFO"}).from(1).never_answer();
  serve(std::move(script));
  config_.reply_timeout = milliseconds{150};
  start();
  EXPECT_FALSE(telemetry_->silence());
  telemetry_->stop();  // would hang for ever if it waited for the answer
  EXPECT_EQ(sink_.content().count(EventKind::kEngineSilent), 1U);
  const auto silence = telemetry_->silence();
  ASSERT_TRUE(silence);
  EXPECT_GT(silence->last_answer, Nanos{0});
  EXPECT_GE(silence->since, silence->last_answer);
  EXPECT_THAT(silence->reason, HasSubstr("did not answer INFO"));
  EXPECT_EQ(sink_.content().events.back().time, silence->since) << "asked, not given up";
  EXPECT_FALSE(telemetry_->glance().keys);
}

TEST_F(TelemetryTest, ConnectsAnewWhenTheEngineDropsTheConnection) {
  Script script;
  script.on({"INFO"}).nth(1).disconnect_before();
  serve(std::move(script));
  start();
  telemetry_->sample_now();  // fails
  EXPECT_EQ(engine_batches(), 1U);
  EXPECT_TRUE(telemetry_->silence());
  telemetry_->sample_now();
  EXPECT_EQ(engine_batches(), 2U);
  EXPECT_FALSE(telemetry_->silence());
  EXPECT_EQ(server_->observed().connections, 2U);
  EXPECT_EQ(sink_.content().count(EventKind::kEngineSilent), 1U);
  EXPECT_EQ(sink_.content().count(EventKind::kEngineAnswers), 1U);
}

TEST_F(TelemetryTest, AsksOldEnginesForAllSections) {
  Script script;
  script.on({"INFO"}).first(1).error("ERR syntax error");
  serve(std::move(script));
  start();
  EXPECT_EQ(engine_batches(), 1U);
  telemetry_->sample_now();
  EXPECT_EQ(server_->observed().count("INFO"), 3U);  // it does not try in vain again
}

TEST_F(TelemetryTest, WarnsOnceOfWhatTheEngineDoesNotTell) {
  Script script;
  script.on({"INFO"}).raw("$15\r\nused_memory:1\r\n\r\n");
  serve(std::move(script));
  start();
  telemetry_->sample_now();
  const auto warnings = sink_.content().warnings;
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0].kind, WarningKind::kTelemetryAbsent);
  EXPECT_THAT(warnings[0].text, HasSubstr("maxmemory"));
}

TEST_F(TelemetryTest, WarnsThatTheEngineHasRestarted) {
  const auto reply = [](std::string_view run_id, int uptime) {
    const std::string text = fmt::format("run_id:{}\r\nuptime_in_seconds:{}\r\n", run_id, uptime);
    return fmt::format("${}\r\n{}\r\n", text.size(), text);
  };
  Script script;
  script.on({"INFO"}).raw(reply("aaa", 100));
  script.on({"INFO"}).from(2).raw(reply("bbb", 3));
  serve(std::move(script));
  start();
  telemetry_->sample_now();
  EXPECT_EQ(sink_.content().count(WarningKind::kEngineRestarted), 0U);
  telemetry_->sample_now();
  EXPECT_EQ(sink_.content().count(WarningKind::kEngineRestarted), 1U);
  telemetry_->sample_now();
  EXPECT_EQ(sink_.content().count(WarningKind::kEngineRestarted), 1U);
}

}  // namespace
}  // namespace headroom::telemetry
