#include "scenario/node.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/text.h"
#include "scenario/parse.h"
#include "scenario/print.h"

namespace headroom::scenario {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result<Scenario> parse(std::vector<std::string> settings) {
  for (std::string& setting : settings) setting = "target." + setting;
  return parse_scenario("", "x.toml", settings);
}

Target target(const std::vector<std::string>& settings) {
  auto scenario = parse(settings);
  EXPECT_TRUE(scenario) << scenario.error().message;
  return scenario ? scenario->target : Target();
}

std::vector<std::string> errors(const std::vector<std::string>& settings) {
  const auto scenario = parse(settings);
  std::vector<std::string> lines;
  if (scenario) return lines;
  for (const auto line : split(scenario.error().message, '\n')) lines.emplace_back(line);
  return lines;
}

TEST(Node, AShapeGivesWhatItsTypeHas) {
  const Target t = target({"shape=cache.t3.small"});
  EXPECT_EQ(t.memory_bytes, 1'471'026'299U);
  EXPECT_EQ(t.reserved_memory_pct, 25);
  EXPECT_EQ(t.maxmemory_bytes, 1'103'269'724U);  // x 0.75
  EXPECT_EQ(local_node_memory_bytes(t), 1'471'026'299U);
  const auto cpu = cpu_envelope(t);
  ASSERT_TRUE(cpu && cpu->credits);
  EXPECT_EQ(cpu->vcpus, 2);
  EXPECT_DOUBLE_EQ(cpu->baseline_vcpus(), 0.4);
  EXPECT_EQ(cpu->credits->max, 576);
  EXPECT_EQ(cpu->credits->initial, 576);
}

TEST(Node, WithoutAShapeItIsHeldToNothing) {
  const Target t = target({"maxmemory=48MiB"});
  EXPECT_EQ(cpu_envelope(t), std::nullopt);
  EXPECT_EQ(shaped_maxmemory_bytes(t), std::nullopt);
  EXPECT_EQ(local_node_memory_bytes(t), std::uint64_t{64} << 20U);
  EXPECT_EQ(node_text(t), "");
}

TEST(Node, ScaleShrinksMemoryAndWhatTheKeySpaceIsSizedFrom) {
  const Target t = target({"shape=cache.t3.small", "scale=0.05"});
  EXPECT_EQ(t.maxmemory_bytes, 55'163'486U);
  EXPECT_EQ(local_node_memory_bytes(t), 73'551'314U);
  EXPECT_EQ(t.vcpus, 2) << "CPU is not scaled";
  EXPECT_EQ(node_text(t), "cache.t3.small at scale 0.05");
}

TEST(Node, AnyOtherShapeCanBeWrittenOut) {
  const Target t = target({"memory=1GiB", "reserved_memory_pct=50", "vcpus=0.5",
                           "credits_per_hour=6", "credits_initial=1.5"});
  EXPECT_EQ(t.maxmemory_bytes, std::uint64_t{512} << 20U);
  const auto cpu = cpu_envelope(t);
  ASSERT_TRUE(cpu && cpu->credits);
  EXPECT_DOUBLE_EQ(cpu->baseline_vcpus(), 0.1);
  EXPECT_EQ(cpu->credits->max, 144) << "what is earned in a day";
  EXPECT_EQ(cpu->credits->initial, 1.5);
  EXPECT_EQ(node_text(t), "a node of 1GiB");
  EXPECT_EQ(envelope_text(*cpu),
            "0.5 vCPUs, 0.1 without credits (6 an hour, 144 at most, 1.5 at the start)");

  const Target cpu_only = target({"vcpus=1", "maxmemory=8MiB"});
  EXPECT_EQ(cpu_only.maxmemory_bytes, std::uint64_t{8} << 20U);
  EXPECT_EQ(envelope_text(*cpu_envelope(cpu_only)), "1 vCPU");
}

TEST(Node, AResolvedShapePrintsAllItsNumbersAndParsesBack) {
  const auto scenario = parse({"shape=cache.t4g.micro", "scale=0.125", "credits_initial=0"});
  ASSERT_TRUE(scenario);
  const std::string text = print_scenario(*scenario);
  EXPECT_THAT(text, HasSubstr("shape = \"cache.t4g.micro\"\n"));
  EXPECT_THAT(text, HasSubstr("memory = \"512MiB\""));
  EXPECT_THAT(text, HasSubstr("scale = 0.125\n"));
  EXPECT_THAT(text, HasSubstr("credits_per_hour = 12\n"));
  EXPECT_THAT(text, HasSubstr("maxmemory = \"48MiB\""));
  const auto again = parse_scenario(text, "y.toml");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_TRUE(*again == *scenario);
}

TEST(Node, ContradictionsAreALineEach) {
  EXPECT_THAT(errors({"shape=cache.t4g.micro", "memory=1GiB", "vcpus=4"}),
              ElementsAre("--set target.memory=1GiB: 1GiB is not what cache.t4g.micro has "
                          "(512MiB); leave one of them out",
                          "--set target.vcpus=4: 4 is not what cache.t4g.micro has (2); leave one "
                          "of them out"));
}

TEST(Node, ContradictionsAreFoundWithoutAShapeToo) {
  EXPECT_THAT(errors({"shape=cache.r7g.large", "credits_per_hour=12"}),
              ElementsAre(HasSubstr("cache.r7g.large is not burstable and has no CPU credits")));
  EXPECT_THAT(errors({"memory=1GiB", "maxmemory=1GiB"}),
              ElementsAre(HasSubstr("is 768MiB, not 1GiB; leave one of them out")));
  EXPECT_THAT(errors({"shape=cache.t4g.micro", "scale=0.001"}),
              ElementsAre(HasSubstr("so that it is from 4MiB to 1TiB")));
  EXPECT_THAT(errors({"vcpus=0.5", "credits_per_hour=30"}),
              ElementsAre(HasSubstr("a baseline of 0.5 vCPUs; give less than target.vcpus (0.5)")));
  EXPECT_THAT(errors({"shape=cache.t4g.micro", "credits_initial=300"}),
              ElementsAre(HasSubstr("300 is more than target.credits_max (288)")));
  EXPECT_THAT(errors({"scale=0.5"}), ElementsAre(HasSubstr("means nothing without target.memory")));
}

TEST(Node, AnUnknownShapeIsToldFromAKnownOne) {
  EXPECT_THAT(errors({"shape=cache.t4g.mirco", "scale=0.5"}),
              ElementsAre("--set target.shape=cache.t4g.mirco: \"cache.t4g.mirco\" is not a "
                          "choice; give one of the 73 names that `headroom node shapes` lists; "
                          "did you mean \"cache.t4g.micro\"?"));
}

}  // namespace
}  // namespace headroom::scenario
