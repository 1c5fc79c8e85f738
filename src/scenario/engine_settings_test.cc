#include "scenario/engine_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenario/node.h"
#include "scenario/parse.h"

namespace headroom::scenario {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::map<std::string, std::string, std::less<>> kValues = {
    {"port", "6401"}, {"maxmemory", "67108864"}, {"policy", "allkeys-lru"}, {"directory", "/t/x"}};

TEST(EngineSettings, AreLinesOfNameAndValue) {
  const auto settings = read_engine_settings(
      "io-threads 4\n\n  # a comment\n\tSAVE \t 60 1  \nclient-output-buffer-limit normal 0 0 0");
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_THAT(*settings,
              ElementsAre(EngineSetting{"io-threads", "4"}, EngineSetting{"save", "60 1"},
                          EngineSetting{"client-output-buffer-limit", "normal 0 0 0"}));
  EXPECT_TRUE(read_engine_settings("").value().empty());
}

TEST(EngineSettings, RefusesWhatIsNone) {
  for (const char* text : {"io-threads", "= 4", "hz 50\n\"x\" 3", "[x] 1"}) {
    const auto settings = read_engine_settings(text);
    ASSERT_FALSE(settings) << text;
    EXPECT_THAT(settings.error().message, HasSubstr("is no setting; write a name and a value"));
  }
}

TEST(EngineSettings, RefusesWhatHeadroomSetsItselfAndNamesTheOption) {
  const auto refused = [](std::string_view text) {
    const auto settings = read_engine_settings(text);
    return settings ? std::string("accepted") : settings.error().message;
  };
  EXPECT_EQ(refused("maxmemory 1gb"), "maxmemory is set by Headroom: give target.maxmemory");
  EXPECT_EQ(refused("TLS-Port 1"), "tls-port is set by Headroom: give target.tls");
  EXPECT_EQ(refused("hz 50\nreplicaof 10.0.0.1 6379"),
            "replicaof is set by Headroom: give target.replicas");
  EXPECT_EQ(refused("maxmemory-samples 10"), "accepted");
  EXPECT_EQ(
      refused("daemonize yes"),
      "daemonize is set by Headroom: an engine that leaves its parent could not be taken down");
}

TEST(EngineArgs, ReplacesPlaceholders) {
  const auto words = read_engine_args(
      "--port {port}  --maxmemory={maxmemory}\n--dir {directory} --x{port}y", kValues);
  ASSERT_TRUE(words) << words.error().message;
  EXPECT_THAT(*words,
              ElementsAre("--port", "6401", "--maxmemory=67108864", "--dir", "/t/x", "--x6401y"));
}

TEST(EngineArgs, NeedAPortAndKnowTheirPlaceholders) {
  EXPECT_THAT(read_engine_args("--maxmemory {maxmemory}", kValues).error().message,
              HasSubstr("{port} is not in it"));
  EXPECT_THAT(read_engine_args("--port {prot}", kValues).error().message,
              HasSubstr("\"{prot}\" has an unknown placeholder; there are {port}, "));
  EXPECT_FALSE(read_engine_args("--port {port", kValues));
}

std::string error_of(const std::vector<std::string>& settings) {
  const auto scenario = parse_scenario("", "x.toml", settings);
  return scenario ? std::string() : scenario.error().message;
}

TEST(Topology, ArgumentsExcludeWhatNeedsAConfigurationFile) {
  EXPECT_EQ(error_of({"target.engine_args=--port {port}"}), "");
  EXPECT_THAT(error_of({"target.engine_args=--port {port}", "target.replicas=1"}),
              HasSubstr("--set target.replicas=1: it is done by a configuration file"));
  EXPECT_THAT(error_of({"target.engine_args=--port 6379"}), HasSubstr("{port} is not in it"));
  EXPECT_THAT(error_of({"target.engine_config=port 6379"}), HasSubstr("a free one is chosen"));
  EXPECT_THAT(error_of({"target.shards=17"}), HasSubstr("above the range"));
}

TEST(Topology, TextAndCountsFollowReplicasAndShards) {
  Target target;
  EXPECT_EQ(topology_text(target), "");
  EXPECT_EQ(engine_count(target), 1U);
  target.replicas = 2;
  EXPECT_EQ(topology_text(target), "with 2 replicas");
  EXPECT_EQ(engine_count(target), 3U);
  target.shards = 3;
  EXPECT_EQ(topology_text(target), "a cluster of 3 shards with 2 replicas each");
  EXPECT_EQ(engine_count(target), 9U);
  target.replicas = 0;
  target.shards = 1;
  EXPECT_EQ(topology_text(target), "a cluster of 1 shard");
}

TEST(Topology, AutoKeysAreForAllShards) {
  Target target;
  target.maxmemory_bytes = 48U << 20U;
  target.replicas = 2;
  EXPECT_EQ(local_memory_bytes(target), 64U << 20U);
  target.shards = 3;
  EXPECT_EQ(local_memory_bytes(target), 3 * (64U << 20U));
}

}  // namespace
}  // namespace headroom::scenario
