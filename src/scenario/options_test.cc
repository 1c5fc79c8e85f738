#include "scenario/options.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace headroom::scenario {
namespace {

TEST(Options, HaveUniqueKeysThatFindThem) {
  std::set<std::string> keys;
  for (const Option& option : option_table()) {
    EXPECT_TRUE(keys.insert(option.key()).second) << option.key();
    EXPECT_EQ(find_option(option.key()), &option);
    EXPECT_EQ(find_option(option.section, option.name), &option);
  }
  EXPECT_EQ(find_option("load.nothing"), nullptr);
  EXPECT_EQ(find_option("workers"), nullptr);
  EXPECT_EQ(find_option("", "load.workers"), nullptr);
}

TEST(Options, StandTogetherBySectionInTheOrderOfTheSections) {
  std::size_t at = 0;
  const auto options = option_table();
  for (const Section& section : section_table()) {
    const std::size_t first = at;
    while (at < options.size() && options[at].section == section.name) ++at;
    EXPECT_GT(at, first) << section.name << " has no options";
  }
  EXPECT_EQ(at, options.size()) << options[std::min(at, options.size() - 1)].key();
}

TEST(Options, HaveACanonicalDefaultOrSayWhatAbsenceMeans) {
  for (const Option& option : option_table()) {
    EXPECT_NE(option.default_text.empty(), option.when_absent.empty()) << option.key();
    if (option.default_text.empty()) continue;
    const auto value = read_value(option.type, option.default_text);
    ASSERT_TRUE(value) << option.key() << ": " << value.error().message;
    EXPECT_EQ(print_value(option.type, *value), option.default_text);
  }
}

TEST(Options, StoreWhatTheyAreGiven) {
  for (const Option& option : option_table()) {
    if (option.default_text.empty()) continue;
    const Value value = *read_value(option.type, option.default_text);
    Scenario scenario;
    scenario.workload.commands.resize(1);
    scenario.tenants.resize(1);
    scenario.stages.resize(1);
    option.access.set(scenario, value);
    EXPECT_EQ(option.access.get(scenario), value) << option.key();
  }
}

TEST(Options, StandBehindWhatTheyNeed) {
  for (const Option& option : option_table()) {
    if (option.needs.empty()) continue;
    const Option* needed = find_option(option.section, option.needs);
    ASSERT_NE(needed, nullptr) << option.key();
    EXPECT_LT(needed, &option);
  }
}

TEST(Options, AreExplainedInWholeSentences) {
  for (const Option& option : option_table()) {
    ASSERT_FALSE(option.help.empty()) << option.key();
    EXPECT_EQ(option.help.back(), '.') << option.key();
  }
}

TEST(Options, ApplyByKindOfTarget) {
  Scenario scenario;
  EXPECT_TRUE(find_option("target.maxmemory")->applies_to(scenario));
  EXPECT_FALSE(find_option("target.host")->applies_to(scenario));
  scenario.target.kind = TargetKind::kEndpoint;
  EXPECT_FALSE(find_option("target.maxmemory")->applies_to(scenario));
  EXPECT_TRUE(find_option("target.host")->applies_to(scenario));
  EXPECT_FALSE(find_option("target.port")->applies_to(scenario)) << "there is no host";
  scenario.target.host = "cache";
  EXPECT_TRUE(find_option("target.port")->applies_to(scenario));
}

}  // namespace
}  // namespace headroom::scenario
