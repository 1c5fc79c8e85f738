// Local targets of several nodes, and engines with settings, TLS and users of their own, against
// real engines: joined, watched one by one, gone afterwards.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <set>

#include "analysis/summary.h"
#include "resp/client.h"
#include "target/local.h"
#include "telemetry/telemetry.h"
#include "tests/e2e/harness.h"
#include "tests/support/recording_sink.h"

namespace headroom::e2e {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;
using target::Description;
using target::Local;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class TopologyTest : public EngineTest {
 protected:
  [[nodiscard]] scenario::Target nodes(std::optional<std::uint32_t> shards,
                                       std::uint32_t replicas) const {
    scenario::Target target;
    target.kind = scenario::TargetKind::kLocal;
    target.engine_path = engine().string();
    target.maxmemory_bytes = 16U << 20U;
    target.maxmemory_policy = "allkeys-lru";
    target.shards = shards;
    target.replicas = replicas;
    return target;
  }
  [[nodiscard]] std::unique_ptr<Local> make(const scenario::Target& target) {
    return std::make_unique<Local>(target, real_clock(), real_clock().now(), sink_);
  }
  [[nodiscard]] static Result<Description> provision(Local& local) {
    return local.provision(real_clock().now() + 60s);
  }
  [[nodiscard]] static std::string ask(const target::Node& node,
                                       std::initializer_list<std::string_view> command) {
    auto client = resp::Client::connect(node.server, real_clock().now() + 10s);
    if (!client) return client.error().message;
    const auto reply = client->call(command, real_clock().now() + 10s);
    return reply ? reply->text : reply.error().message;
  }
  void expect_taken_down(Local& local, const Description& description) {
    const Status torn_down = local.teardown(5s);
    EXPECT_TRUE(torn_down) << torn_down.error().message;
    const Status verified = local.verify();
    EXPECT_TRUE(verified) << verified.error().message;
    for (const auto& receipt : sink_.content().receipts)
      EXPECT_TRUE(receipt.proved) << receipt.what << ": " << receipt.evidence;
    for (const target::Node& node : description.nodes) EXPECT_FALSE(alive(*node.pid));
  }
  [[nodiscard]] std::size_t receipts(std::string_view what) const {
    std::set<std::string> evidence;  // each of another node
    for (const auto& receipt : sink_.content().receipts) {
      if (receipt.what == what) evidence.insert(receipt.evidence);
    }
    return evidence.size();
  }
  [[nodiscard]] nlohmann::json listed() const {
    const Finished ls = run_headroom({"node", "ls", "--json"}, options());
    EXPECT_EQ(ls.exit_code, 0) << ls.err;
    return nlohmann::json::parse(ls.out);
  }
  [[nodiscard]] nlohmann::json report(const std::string& file) const {
    const Finished shown = run_headroom({"report", file, "--json"}, options());
    EXPECT_EQ(shown.exit_code, 0) << shown.err;
    return nlohmann::json::parse(shown.out);
  }

  RecordingSink sink_;
};
HEADROOM_FOR_EACH_ENGINE(TopologyTest);

TEST_P(TopologyTest, ReplicasFollowTheirPrimaryAndAreWatchedOneByOne) {
  const auto local = make(nodes({}, 2));
  const auto description = provision(*local);
  ASSERT_TRUE(description) << description.error().message;
  ASSERT_EQ(description->nodes.size(), 3U);
  EXPECT_EQ(sink_.content().members.size(), 3U);
  for (const std::size_t i : {1U, 2U}) {
    EXPECT_EQ(description->nodes[i].member.role, record::MemberRole::kReplica);
    EXPECT_THAT(ask(description->nodes[i], {"INFO", "replication"}),
                HasSubstr("master_link_status:up"));
  }
  EXPECT_EQ(ask(description->nodes[0], {"SET", "key", std::string(1000, 'x')}), "OK");
  EXPECT_TRUE(wait_until(
      [&] { return ask(description->nodes[2], {"GET", "key"}) == std::string(1000, 'x'); }, 10s));

  RecordingSink samples;
  telemetry::TelemetryConfig config;
  for (const target::Node& node : description->nodes)
    config.nodes.push_back({node.member, node.server, node.pid, node.sample});
  config.interval = 50ms;
  config.reply_timeout = 5s;
  config.clock = &real_clock();
  config.origin = real_clock().now();
  config.sink = &samples;
  auto telemetry = telemetry::Telemetry::start(config);
  ASSERT_TRUE(telemetry) << telemetry.error().message;
  (*telemetry)->sample_now();
  (*telemetry)->stop();
  const auto content = samples.content();
  for (const target::Node& node : description->nodes) {
    const std::string& name = node.member.name;
    EXPECT_THAT(content.values("CurrItems", "", name), Contains(1)) << name;
    EXPECT_FALSE(content.values("process_rss_bytes", "", name).empty()) << name;
    const bool is_primary = node.member.role == record::MemberRole::kPrimary;
    EXPECT_THAT(content.values("IsMaster", "", name), Each(is_primary ? 1 : 0));
    EXPECT_EQ(content.values("replication_lag_bytes", "", name).empty(), is_primary);
    EXPECT_EQ(content.values("ReplicationLag", "", name).empty(), is_primary);
  }
  // The target as a whole has the primary's keys once, not three times.
  EXPECT_THAT(content.values("CurrItems"), Each(1));
  EXPECT_EQ((*telemetry)->glance().keys, 1);
  expect_taken_down(*local, *description);
  for (const char* what : {"engine stopped", "process gone", "port closed", "directory removed"})
    EXPECT_EQ(receipts(what), 3U) << what;
}

TEST_P(TopologyTest, AClusterServesAllSlotsAndIsProvedGone) {
  const auto local = make(nodes(3, 1));
  const auto description = provision(*local);
  ASSERT_TRUE(description) << description.error().message;
  ASSERT_EQ(description->nodes.size(), 6U);
  for (const target::Node& node : description->nodes) {
    const std::string info = ask(node, {"CLUSTER", "INFO"});
    EXPECT_THAT(info, HasSubstr("cluster_state:ok"));
    EXPECT_THAT(info, HasSubstr("cluster_slots_ok:16384"));
    EXPECT_THAT(info, HasSubstr("cluster_known_nodes:6"));
    EXPECT_THAT(info, HasSubstr("cluster_size:3"));
    const bool is_primary = node.member.role == record::MemberRole::kPrimary;
    EXPECT_THAT(ask(node, {"INFO", "replication"}),
                HasSubstr(is_primary ? "connected_slaves:1" : "master_link_status:up"));
  }
  // "foo" is in slot 12182, of the third shard.
  EXPECT_THAT(ask(description->nodes[0], {"SET", "foo", "x"}),
              StartsWith("MOVED 12182 " + description->nodes[2].member.name));
  EXPECT_EQ(ask(description->nodes[2], {"SET", "foo", "x"}), "OK");
  expect_taken_down(*local, *description);
  EXPECT_EQ(receipts("cluster bus closed"), 6U);
  EXPECT_EQ(receipts("process gone"), 6U);
}

TEST_P(TopologyTest, TellsWhichOfSeveralEndedByItself) {
  const auto local = make(nodes({}, 1));
  const auto description = provision(*local);
  ASSERT_TRUE(description) << description.error().message;
  ASSERT_EQ(::kill(*description->nodes[1].pid, SIGKILL), 0);
  ASSERT_TRUE(wait_until([&] { return local->ended().has_value(); }, 10s));
  EXPECT_THAT(*local->ended(), StartsWith("replica 1: killed by signal 9 (Killed)"));
  expect_taken_down(*local, *description);
}

TEST_P(TopologyTest, ARunWithReplicasReportsEachNode) {
  const std::string file = path("replicas.run");
  const Finished ended = run_headroom(
      {"run",
       local_scenario(engine(),
                      "replicas = 2\n[workload]\nvalue_size = \"1KiB\"\nkeys = 3000\nratio = "
                      "\"1:1\"\n[load]\nworkers = 1\nconnections = 2\n[timing]\nmeasure = "
                      "\"3s\"\n"),
       "-o", file},
      options());
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const auto json = report(file);
  ASSERT_EQ(json.at("nodes").size(), 3U);
  const auto& primary = json["nodes"][0];
  EXPECT_EQ(primary.at("role"), "primary");
  EXPECT_GT(primary.at("peak_keys").get<double>(), 100);
  EXPECT_EQ(json["memory"]["peak_keys"], primary.at("peak_keys"));
  EXPECT_EQ(json["measure"]["memory_used_max_ratio"], primary.at("memory_used_max_ratio"));
  for (const std::size_t i : {1U, 2U}) {
    const auto& replica = json["nodes"][i];
    EXPECT_EQ(replica.at("role"), "replica");
    EXPECT_TRUE(replica.at("replication_lag_max_bytes").is_number());
    EXPECT_EQ(replica.at("link_up_ratio"), 1);
    EXPECT_TRUE(replica.at("engine_cpu_main_thread_ratio").is_number());
  }
  // Replicas execute what is replicated to them; the load's account is of the primary.
  EXPECT_EQ(json["conservation"]["engine_agrees"], true) << json["conservation"].dump();
  const Finished page = run_headroom({"report", file}, options());
  EXPECT_THAT(page.out, HasSubstr("NODE BY NODE"));
  EXPECT_THAT(page.out, HasSubstr("with 2 replicas"));
}

TEST_P(TopologyTest, WhatAKillLeftOfSeveralIsListedAndCleared) {
  expect_leftovers();
  Headroom headroom({"node", "up", "--engine", engine().string(), "--set", "target.shards=3",
                     "--set", "target.maxmemory=8MiB"},
                    options());
  const auto all_up = [&] {
    const auto nodes = listed();
    return nodes.size() == 3 && std::ranges::all_of(nodes, [](const auto& node) {
             return node.at("address").is_string();
           });
  };
  ASSERT_TRUE(wait_until(all_up, 60s)) << headroom.err();
  std::vector<pid_t> engines;
  for (const auto& node : listed()) {
    engines.push_back(node.at("engine_pid").template get<pid_t>());
    EXPECT_THAT(node.at("what").template get<std::string>(), HasSubstr(" primary"));
  }
  headroom.signal(SIGKILL);
  ASSERT_FALSE(headroom.wait(10s).hung);
  for (const pid_t pid : engines) EXPECT_TRUE(wait_until([&] { return !alive(pid); }, 10s));
  EXPECT_EQ(listed().size(), 3U);
  const Finished down = run_headroom({"node", "down"}, options());
  EXPECT_EQ(down.exit_code, 0) << down.err;
  EXPECT_TRUE(listed().empty());
  EXPECT_TRUE(left_behind().empty());
}

TEST_P(TopologyTest, OneOfSeveralTakenDownTakesAllDown) {
  Headroom headroom({"node", "up", "--engine", engine().string(), "--set", "target.replicas=1",
                     "--set", "target.maxmemory=8MiB"},
                    options());
  ASSERT_TRUE(wait_until(
      [&] { return listed().size() == 2 && listed()[1].at("address").is_string(); }, 60s))
      << headroom.err();
  const Finished down =
      run_headroom({"node", "down", listed()[0].at("name").get<std::string>()}, options());
  EXPECT_EQ(down.exit_code, 0) << down.err;
  const Finished ended = headroom.wait(20s);
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("also at    127.0.0.1:"));
  EXPECT_TRUE(listed().empty());
}

TEST_P(TopologyTest, TlsAndAUserAreMadeForTheRunAndTheirSecretsStayOutOfTheFile) {
  const std::string file = path("tls.run");
  const std::string scenario = local_scenario(
      engine(),
      "tls = true\nacl_user = \"bench\"\nreplicas = 1\n[workload]\nkeys = 100\nvalue_size = "
      "\"100B\"\n[load]\nworkers = 1\n[timing]\nmeasure = \"2s\"\n");
  Headroom headroom({"run", scenario, "-o", file}, options());
  // The password stands in the private directories alone, while the run lasts.
  std::string password;
  (void)wait_until(
      [&] {
        for (const std::string& name : left_behind()) {
          const auto text = read_file(options().directory / "tmp" / name / "engine.conf");
          const std::size_t at = text ? text->find("masterauth ") : std::string::npos;
          if (at == std::string::npos) continue;
          password = text->substr(at + 11, 64);
          return true;
        }
        return false;
      },
      20s);
  const Finished ended = headroom.wait(60s);
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const record::Run run = read(file);
  EXPECT_THAT(run.facts.at("target.tls"), StartsWith("TLSv1."));
  EXPECT_GT(total(run, "GET").completed(), 0U);
  const std::string bytes = read_file(file).value_or("");
  EXPECT_THAT(bytes, Not(HasSubstr("PRIVATE KEY")));
  ASSERT_EQ(password.size(), 64U);
  EXPECT_EQ(bytes.find(password), std::string::npos);
}

TEST_P(TopologyTest, SettingsReachTheEngineAndWrongOnesAreNamed) {
  scenario::Target target = nodes({}, 0);
  target.engine_config = "io-threads 2\nmaxmemory-samples 9\nsave 3600 1000000";
  auto local = make(target);
  const auto description = provision(*local);
  ASSERT_TRUE(description) << description.error().message;
  EXPECT_EQ(sink_.content().facts.at("engine.config.io-threads"), "2");
  EXPECT_EQ(sink_.content().facts.at("engine.config.maxmemory-samples"), "9");
  EXPECT_EQ(sink_.content().facts.at("engine.config.save"), "3600 1000000");
  expect_taken_down(*local, *description);

  target.engine_config = "no-such-setting 1";
  local = make(target);
  const auto refused = provision(*local);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("ended while it was starting"));
  EXPECT_THAT(refused.error().message, HasSubstr("no-such-setting"));
  EXPECT_EQ(refused.error().message.find('\n'), std::string::npos);
  EXPECT_TRUE(local->teardown(2s));
  EXPECT_TRUE(local->verify());
}

TEST_P(TopologyTest, AServerIsStartedByItsArguments) {
  scenario::Target target = nodes({}, 0);
  target.engine_args = "--bind 127.0.0.1 --port {port} --maxmemory {maxmemory}";
  const auto local = make(target);
  const auto description = provision(*local);
  ASSERT_TRUE(description) << description.error().message;
  EXPECT_EQ(description->maxmemory_bytes, 16U << 20U);
  EXPECT_EQ(ask(description->nodes[0], {"PING"}), "PONG");
  expect_taken_down(*local, *description);
}

}  // namespace
}  // namespace headroom::e2e
