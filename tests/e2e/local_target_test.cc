// The local node against real engines: started, described, taken down, proved gone.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <memory>

#include "net/socket.h"
#include "target/local.h"
#include "telemetry/telemetry.h"
#include "tests/e2e/harness.h"
#include "tests/support/recording_sink.h"

namespace headroom::e2e {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using target::Description;
using target::Local;
using testing::AllOf;
using testing::Contains;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Pair;
using testing::StartsWith;

scenario::Target local_scenario(const std::filesystem::path& engine) {
  scenario::Target scenario;
  scenario.kind = scenario::TargetKind::kLocal;
  scenario.engine_path = engine.string();
  scenario.maxmemory_bytes = 48U << 20U;
  scenario.maxmemory_policy = "allkeys-lru";
  return scenario;
}

// An executable script, for engines that misbehave.
std::filesystem::path write_script(const std::filesystem::path& path, const std::string& body) {
  EXPECT_TRUE(write_file(path, "#!/bin/sh\n" + body + "\n"));
  EXPECT_EQ(::chmod(path.c_str(), 0700), 0);
  return path;
}

Result<Description> provision(Local& local, Nanos time = seconds{20}) {
  return local.provision(real_clock().now() + time);
}

// Takes down what is left and expects a proof of every step.
void expect_taken_down(Local& local, RecordingSink& sink) {
  const Status torn_down = local.teardown(seconds{5});
  EXPECT_TRUE(torn_down) << torn_down.error().message;
  const Status verified = local.verify();
  EXPECT_TRUE(verified) << verified.error().message;
  for (const auto& receipt : sink.content().receipts) {
    EXPECT_TRUE(receipt.proved) << receipt.what << ": " << receipt.evidence;
  }
}

std::vector<std::string> receipts(const RecordingSink& sink) {
  std::vector<std::string> names;
  for (const auto& receipt : sink.content().receipts) names.push_back(receipt.what);
  return names;
}

class LocalTargetTest : public EngineTest {
 protected:
  void SetUp() override {
    EngineTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    local_ = make(net::free_loopback_port);
  }
  std::unique_ptr<Local> make(Local::ChoosePort choose_port) {
    return std::make_unique<Local>(e2e::local_scenario(engine()), real_clock(), real_clock().now(),
                                   sink_, std::move(choose_port));
  }

  RecordingSink sink_;
  std::unique_ptr<Local> local_;
};
HEADROOM_FOR_EACH_ENGINE(LocalTargetTest);

TEST_P(LocalTargetTest, RunsWithWhatWasAskedAndSaysWhatItIs) {
  const auto description = provision(*local_);
  ASSERT_TRUE(description) << description.error().message;
  EXPECT_EQ(description->engine, GetParam());
  EXPECT_FALSE(description->version.empty());
  EXPECT_EQ(description->maxmemory_bytes, 48U << 20U);
  EXPECT_EQ(description->node_memory_bytes, 64U << 20U);
  EXPECT_EQ(description->maxmemory_policy, "allkeys-lru");
  EXPECT_EQ(description->existing_keys, 0U);
  EXPECT_TRUE(description->on_this_host);
  EXPECT_EQ(description->server.address.host, "127.0.0.1");
  EXPECT_EQ(local_->ended(), std::nullopt);
  ASSERT_TRUE(description->nodes.at(0).pid);
  EXPECT_TRUE(alive(*description->nodes.at(0).pid));

  const auto facts = sink_.content().facts;
  EXPECT_THAT(facts, Contains(Pair("engine.name", GetParam())));
  EXPECT_THAT(facts, Contains(Pair("engine.config.save", "")));
  EXPECT_THAT(facts, Contains(Pair("engine.config.appendonly", "no")));
  EXPECT_THAT(facts, Contains(Pair("engine.config.maxmemory-policy", "allkeys-lru")));
  EXPECT_FALSE(facts.contains("engine.config.requirepass"));
  const double offset_s = 1e-9 * std::stod(facts.at("clock.target_offset_ns"));
  EXPECT_LT(std::abs(offset_s), 0.1);  // it is our own clock

  auto client = resp::Client::connect({description->server.address, {}, {}},
                                      real_clock().now() + seconds{10});
  ASSERT_TRUE(client);
  const auto info = client->info({}, real_clock().now() + seconds{10});
  ASSERT_TRUE(info);
  // The process that is sampled and taken down is the engine, not a script that started it.
  EXPECT_EQ(info->count("process_id"), static_cast<std::uint64_t>(*description->nodes.at(0).pid));
}

TEST_P(LocalTargetTest, IsTakenDownAndProvedGone) {
  const auto description = provision(*local_);
  ASSERT_TRUE(description) << description.error().message;
  expect_taken_down(*local_, sink_);
  EXPECT_THAT(receipts(sink_), testing::ElementsAre("engine stopped", "process gone", "port closed",
                                                    "directory removed"));
  EXPECT_FALSE(alive(*description->nodes.at(0).pid));
  EXPECT_FALSE(net::connect(description->server.address, real_clock().now() + seconds{1}));
}

TEST_P(LocalTargetTest, IsTakenDownThoughItIsStopped) {
  const auto description = provision(*local_);
  ASSERT_TRUE(description) << description.error().message;
  ASSERT_EQ(::kill(*description->nodes.at(0).pid, SIGSTOP), 0);
  expect_taken_down(*local_, sink_);
  EXPECT_FALSE(alive(*description->nodes.at(0).pid));
}

TEST_P(LocalTargetTest, TellsHowItEndedByItself) {
  const auto description = provision(*local_);
  ASSERT_TRUE(description) << description.error().message;
  ASSERT_EQ(::kill(*description->nodes.at(0).pid, SIGKILL), 0);
  ASSERT_TRUE(wait_until([&] { return local_->ended().has_value(); }, seconds{10}));
  EXPECT_THAT(*local_->ended(), StartsWith("killed by signal 9 (Killed)"));
  expect_taken_down(*local_, sink_);
  EXPECT_THAT(sink_.content().receipts.at(0).evidence, HasSubstr("by itself"));
}

TEST_P(LocalTargetTest, TriesAnotherPortWhenOneIsTaken) {
  const auto first = provision(*local_);
  ASSERT_TRUE(first) << first.error().message;
  int asked = 0;
  RecordingSink other_sink;
  Local other(e2e::local_scenario(engine()), real_clock(), real_clock().now(), other_sink,
              [&]() -> Result<std::uint16_t> {
                return asked++ == 0 ? first->server.address.port : net::free_loopback_port();
              });
  const auto second = provision(other);
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_EQ(asked, 2);
  EXPECT_NE(second->server.address.port, first->server.address.port);
  expect_taken_down(other, other_sink);
  EXPECT_TRUE(alive(*first->nodes.at(0).pid));
}

TEST_P(LocalTargetTest, GivesUpWhenEveryPortIsTaken) {
  const auto first = provision(*local_);
  ASSERT_TRUE(first) << first.error().message;
  RecordingSink other_sink;
  Local other(e2e::local_scenario(engine()), real_clock(), real_clock().now(), other_sink,
              [&]() -> Result<std::uint16_t> { return first->server.address.port; });
  const auto second = provision(other);
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, StartsWith("no free port on 127.0.0.1: "));
  expect_taken_down(other, other_sink);
  EXPECT_TRUE(alive(*first->nodes.at(0).pid));
}

TEST_P(LocalTargetTest, QuotesTheEnginesOwnWordsWhenItRefusesItsConfiguration) {
  auto scenario = e2e::local_scenario(engine());
  scenario.maxmemory_policy = "no-such-policy";
  Local local(scenario, real_clock(), real_clock().now(), sink_);
  const auto description = provision(local);
  ASSERT_FALSE(description);
  EXPECT_THAT(description.error().message,
              AllOf(HasSubstr("ended while it was starting (exit code 1); it said: "),
                    HasSubstr("maxmemory-policy")));
  expect_taken_down(local, sink_);
}

TEST_P(LocalTargetTest, IsSampledCompletely) {
  const auto description = provision(*local_);
  ASSERT_TRUE(description) << description.error().message;
  RecordingSink samples;
  telemetry::TelemetryConfig config;
  config.nodes.resize(1);
  config.nodes[0].server = description->server;
  config.nodes[0].engine_pid = description->nodes.at(0).pid;
  config.interval = milliseconds{20};
  config.reply_timeout = seconds{5};
  config.clock = &real_clock();
  config.origin = real_clock().now();
  config.sink = &samples;
  auto telemetry = telemetry::Telemetry::start(config);
  ASSERT_TRUE(telemetry) << telemetry.error().message;
  EXPECT_TRUE(samples.wait_until(
      [](const auto& content) { return content.values("CurrItems").size() >= 5; }, seconds{10}));
  (*telemetry)->stop();
  const auto content = samples.content();
  EXPECT_TRUE(content.warnings.empty()) << content.warnings.at(0).text;
  for (const auto& metric : record::metric_catalogue()) {
    if (metric.name.starts_with("command_")) continue;  // labelled
    if (metric.name.starts_with("Replication") || metric.name.starts_with("replication_lag") ||
        metric.name == "MasterLinkHealthStatus")
      continue;  // of replicas
    if (metric.name.starts_with("node_") || metric.name.starts_with("CPUCredit"))
      continue;  // of nodes that have a CPU quota
    if (metric.name == "used_active_time_main_thread_seconds" && !is_valkey()) continue;
    EXPECT_FALSE(content.values(metric.name).empty()) << metric.name;
  }
  EXPECT_GE(content.values("command_calls", "info").size(), 4U);
  expect_taken_down(*local_, sink_);
}

TEST_P(LocalTargetTest, NoticesAnEngineThatIsStoppedAndContinued) {
  const auto description = provision(*local_);
  ASSERT_TRUE(description) << description.error().message;
  RecordingSink samples;
  telemetry::TelemetryConfig config;
  config.nodes.resize(1);
  config.nodes[0].server = description->server;
  config.interval = milliseconds{20};
  config.reply_timeout = milliseconds{250};
  config.clock = &real_clock();
  config.origin = real_clock().now();
  config.sink = &samples;
  auto telemetry = telemetry::Telemetry::start(config);
  ASSERT_TRUE(telemetry) << telemetry.error().message;
  const auto happened = [&](record::EventKind kind) {
    return samples.wait_until([&](const auto& content) { return content.count(kind) > 0; },
                              seconds{10});
  };
  ASSERT_EQ(::kill(*description->nodes.at(0).pid, SIGSTOP), 0);
  EXPECT_TRUE(happened(record::EventKind::kEngineSilent));
  ASSERT_EQ(::kill(*description->nodes.at(0).pid, SIGCONT), 0);
  EXPECT_TRUE(happened(record::EventKind::kEngineAnswers));
  (*telemetry)->stop();
  expect_taken_down(*local_, sink_);
}

class BadEngineTest : public Test {
 protected:
  std::string refusal(const std::filesystem::path& engine, Nanos time = seconds{20}) {
    Local local(e2e::local_scenario(engine), real_clock(), real_clock().now(), sink_);
    const auto description = provision(local, time);
    EXPECT_FALSE(description);
    expect_taken_down(local, sink_);
    if (description) return "(started)";
    EXPECT_EQ(description.error().kind, ErrorKind::kTarget);
    EXPECT_THAT(description.error().message, testing::Not(HasSubstr("\n")));
    return description.error().message;
  }
  RecordingSink sink_;
};

TEST_F(BadEngineTest, IsNamedWhenThereIsNoSuchFile) {
  EXPECT_THAT(refusal("/no/such/engine"),
              AllOf(StartsWith("target.engine_path: there is no file /no/such/engine"),
                    HasSubstr("valkey-server or redis-server")));
}

TEST_F(BadEngineTest, IsNamedWhenItCannotBeExecuted) {
  const auto file = path("not-executable");
  ASSERT_TRUE(write_file(file, "text"));
  EXPECT_THAT(refusal(file), EndsWith("not-executable cannot be executed: Permission denied"));
}

TEST_F(BadEngineTest, IsQuotedWhenItEndsAtOnce) {
  const auto script =
      write_script(path("quits"), "echo first; echo 'cannot start: no luck'; exit 3");
  EXPECT_EQ(refusal(script),
            "quits ended while it was starting (exit code 3); it said: \"first\", "
            "\"cannot start: no luck\"");
}

TEST_F(BadEngineTest, IsTakenDownWhenItNeverAnswers) {
  // It would not hear SIGTERM either.
  const auto script = write_script(path("sleeps"), "trap '' TERM; echo dozing; sleep 600 & wait");
  Local local(e2e::local_scenario(script), real_clock(), real_clock().now(), sink_);
  const auto description = provision(local, milliseconds{300});
  ASSERT_FALSE(description);
  EXPECT_THAT(description.error().message,
              AllOf(StartsWith("sleeps did not answer within "), HasSubstr("Connection refused"),
                    EndsWith("it said: \"dozing\"")));
  EXPECT_TRUE(local.teardown(milliseconds{200}));
  EXPECT_TRUE(local.verify());
  EXPECT_THAT(sink_.content().receipts.at(0).evidence, HasSubstr("killed by signal 9 (Killed)"));
}

TEST_F(BadEngineTest, IsRefusedWhenItsScriptDoesNotHandOver) {
  const auto engine = find_engine("redis");
  ASSERT_TRUE(engine);
  const auto script =
      write_script(path("forks"), fmt::format("'{}' \"$@\" & wait", engine->string()));
  EXPECT_THAT(refusal(script), EndsWith("must hand over to it with exec"));
}

TEST_F(BadEngineTest, IsMissingFromPath) {
  const char* const kept = ::getenv("PATH");
  const std::string path_before = kept == nullptr ? "" : kept;
  ASSERT_EQ(::setenv("PATH", path("").c_str(), 1), 0);
  const std::string message = refusal("");
  ASSERT_EQ(::setenv("PATH", path_before.c_str(), 1), 0);
  EXPECT_THAT(message, StartsWith("neither valkey-server nor redis-server is on PATH"));
}

}  // namespace
}  // namespace headroom::e2e
