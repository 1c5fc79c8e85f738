#include "scenario/loads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenario/parse.h"
#include "scenario/print.h"

namespace headroom::scenario {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Result<Scenario> parse(const std::string& text) {
  return parse_scenario(text, "/scenarios/test.toml");
}
Scenario scenario_of(const std::string& text) {
  auto scenario = parse(text);
  EXPECT_TRUE(scenario) << (scenario ? "" : scenario.error().message);
  return scenario ? *scenario : Scenario{};
}
std::string error_of(const std::string& text) {
  const auto scenario = parse(text);
  return scenario ? "no error" : scenario.error().message;
}
std::vector<std::string> operations(const Scenario& scenario) {
  std::vector<std::string> names;
  for (const Operation& operation : run_operations(scenario)) names.push_back(operation.name);
  return names;
}

constexpr const char* kTwoTenants =
    "[workload]\nvalue_size = \"100B\"\nkeys = 1000\n"
    "[load]\nworkers = 2\nconnections = 7\n"
    "[[tenant]]\nname = \"web\"\nrate = 500\n"
    "[[tenant]]\nname = \"batch\"\nworkers = 1\nratio = \"1:0\"\nvalue_size = \"1KiB\"\n";

TEST(Loads, OneLoadIsTheScenariosAndHasNoName) {
  const Scenario scenario = scenario_of("[load]\nworkers = 3\nconnections = 5\n");
  const auto loads = loads_of(scenario);
  ASSERT_EQ(loads.size(), 1U);
  EXPECT_EQ(loads[0].name, "");
  EXPECT_EQ(loads[0].seed, scenario.seed);
  EXPECT_EQ(loads[0].key_seed, scenario.seed);
  EXPECT_EQ(loads[0].load, scenario.load);
  EXPECT_EQ(loads[0].workload, scenario.workload);
  EXPECT_EQ(loads[0].connections_in_use, 5U);
  EXPECT_THAT(operations(scenario), ElementsAre("SET", "GET"));
  EXPECT_EQ(worker_count(scenario), 3U);
  EXPECT_THAT(stage_windows(scenario), IsEmpty());
}

TEST(Loads, TenantsHaveWhatTheySayAndElseWhatIsCommon) {
  const Scenario scenario = scenario_of(kTwoTenants);
  const auto loads = loads_of(scenario);
  ASSERT_EQ(loads.size(), 2U);
  EXPECT_EQ(loads[0].load.connections, 7U);
  EXPECT_EQ(loads[0].load.rate, Rate(ConstantRate{500}));
  EXPECT_EQ(loads[0].workload.value_size, ValueSize(100U));
  EXPECT_EQ(loads[1].load.rate, std::nullopt);
  EXPECT_EQ(loads[1].workload.value_size, ValueSize(1024U));
  EXPECT_EQ(loads[1].workload.get_weight, 0U);
  EXPECT_EQ(loads[1].first_worker, 2U);
  EXPECT_EQ(loads[1].first_operation, 2U);
  EXPECT_THAT(operations(scenario), ElementsAre("web/SET", "web/GET", "batch/SET"));
  EXPECT_EQ(worker_count(scenario), 3U);
  EXPECT_NE(loads[0].key_seed, loads[1].key_seed) << "they would share keys";
}

TEST(Loads, ATenantMayWorkInTheKeySpaceOfAnother) {
  const std::string shared = "key_space = \"shared\"\n";
  const auto loads = loads_of(scenario_of("[workload]\n" + shared +
                                          "[[tenant]]\nname = \"a\"\nkeys = 500\n"
                                          "[[tenant]]\nname = \"b\"\nkeys_of = \"a\"\n"));
  ASSERT_EQ(loads.size(), 2U);
  EXPECT_EQ(loads[1].key_seed, loads[0].key_seed);
  EXPECT_NE(loads[1].seed, loads[0].seed) << "they would draw the same keys at the same time";
  EXPECT_EQ(loads[1].workload.keys, 500U);
  EXPECT_EQ(loads[1].keys_of, std::optional<std::size_t>(0));

  EXPECT_THAT(error_of("[[tenant]]\nname = \"a\"\n[[tenant]]\nname = \"b\"\nkeys_of = \"a\"\n"),
              HasSubstr("\"a\" and \"b\" need key_space = \"shared\""));
  EXPECT_THAT(error_of("[[tenant]]\nname = \"a\"\nkeys_of = \"c\"\n"),
              HasSubstr("no tenant before this one is called \"c\""));
}

TEST(Loads, CommandsBelongToTheTenantTheyName) {
  const Scenario scenario = scenario_of(
      "[[workload.command]]\ncommand = \"HGET h:__key__ f\"\ntenant = \"web\"\n"
      "[[workload.command]]\ncommand = \"INCR n:__key__\"\n"
      "[[tenant]]\nname = \"web\"\n[[tenant]]\nname = \"batch\"\n"
      "[[tenant]]\nname = \"plain\"\nratio = \"0:1\"\n");
  EXPECT_THAT(operations(scenario), ElementsAre("web/HGET", "batch/INCR", "plain/GET"));
}

TEST(Loads, WhatIsPrintedIsReadAgain) {
  const std::vector<std::string> texts = {
      kTwoTenants,
      std::string(kTwoTenants) +
          "[[stage]]\nname = \"s\"\nat = \"1s\"\nfor = \"2s\"\nrepeat_every = \"5s\"\n"
          "tenant = \"web\"\nrate = \"factor(2.5)\"\nconnections = \"ramp(1, 9)\"\n"
          "mix = \"weights(SET:1, GET:3)\"\nfill = \"closed(3)\"\nfill_value_size = \"2KiB\"\n",
      "[[stage]]\nname = \"s\"\nat = \"0s\"\nthink_time = \"exponential(1ms)\"\nfill = 100\n",
      "[load]\nrate = 10\n[[stage]]\nname = \"s\"\nat = \"0s\"\nrate = \"ramp(1, 9, 1s)\"\n"};
  for (const std::string& text : texts) {
    const Scenario scenario = scenario_of(text);
    const auto again = parse(print_scenario(scenario));
    ASSERT_TRUE(again) << again.error().message << print_scenario(scenario);
    EXPECT_TRUE(*again == scenario) << print_scenario(scenario);
  }
}

TEST(Loads, AFillTaskIsALoadThatWorksInItsStageAlone) {
  const Scenario scenario = scenario_of(
      "[workload]\nvalue_size = \"1KiB\"\n[load]\nworkers = 2\n[timing]\nmeasure = \"10s\"\n"
      "[[stage]]\nname = \"slow\"\nat = \"1s\"\nfor = \"2s\"\nfill = 300\n"
      "[[stage]]\nname = \"fast\"\nat = \"5s\"\nfill = \"closed(4)\"\nfill_value_size = "
      "\"2KiB\"\n");
  const auto loads = loads_of(scenario);
  ASSERT_EQ(loads.size(), 3U);
  EXPECT_THAT(operations(scenario), ElementsAre("SET", "GET", "slow/SET", "fast/SET"));
  EXPECT_EQ(worker_count(scenario), 4U);
  EXPECT_EQ(loads[1].load.rate, Rate(ConstantRate{0}));
  ASSERT_EQ(loads[1].stages.size(), 1U);
  EXPECT_EQ(loads[1].stages[0].rate, StageRate(Rate(ConstantRate{300})));
  EXPECT_EQ(loads[2].connections_in_use, 0U);
  ASSERT_EQ(loads[2].stages.size(), 1U);
  EXPECT_EQ(loads[2].stages[0].connections, (ConnectionsInUse{4, 4}));
  EXPECT_EQ(loads[2].stages[0].begin, 5s);
  EXPECT_EQ(loads[2].stages[0].end, 10s);
  EXPECT_EQ(loads[2].workload.value_size, ValueSize(2048U));
}

TEST(Loads, AsManyConnectionsAreOpenedAsSomeStageUses) {
  const auto loads = loads_of(scenario_of(
      "[load]\nconnections = 5\n"
      "[[stage]]\nname = \"s\"\nat = \"1s\"\nfor = \"1s\"\nconnections = \"ramp(2, 20)\"\n"));
  EXPECT_EQ(loads[0].load.connections, 20U);
  EXPECT_EQ(loads[0].connections_in_use, 5U);
}

TEST(StageWindows, AreAllOfMeasureWithoutGaps) {
  const Scenario scenario = scenario_of(
      "[timing]\nmeasure = \"20s\"\n"
      "[[stage]]\nname = \"a\"\nat = \"2s\"\nfor = \"3s\"\n"
      "[[stage]]\nname = \"b\"\nat = \"7s\"\n"  // until the next
      "[[stage]]\nname = \"c\"\nat = \"9s\"\nfor = \"1s\"\n");
  EXPECT_THAT(
      stage_windows(scenario),
      ElementsAre(StageWindow{"before a", 0s, 2s, false}, StageWindow{"a", 2s, 5s, true},
                  StageWindow{"a to b", 5s, 7s, false}, StageWindow{"b", 7s, 9s, true},
                  StageWindow{"c", 9s, 10s, true}, StageWindow{"after c", 10s, 20s, false}));
}

TEST(StageWindows, AStageThatRepeatsComesAsOftenAsThereIsRoom) {
  const Scenario scenario = scenario_of(
      "[timing]\nmeasure = \"10s\"\n"
      "[[stage]]\nname = \"burst\"\nat = \"0s\"\nfor = \"1s\"\nrepeat_every = \"4s\"\n");
  EXPECT_THAT(stage_windows(scenario), ElementsAre(StageWindow{"burst-1", 0s, 1s, true},
                                                   StageWindow{"burst-1 to burst-2", 1s, 4s, false},
                                                   StageWindow{"burst-2", 4s, 5s, true},
                                                   StageWindow{"burst-2 to burst-3", 5s, 8s, false},
                                                   StageWindow{"burst-3", 8s, 9s, true},
                                                   StageWindow{"after burst-3", 9s, 10s, false}));
}

struct Refusal {
  std::string text;
  std::string says;
};

TEST(StageContradictions, AreOneLineEach) {
  const std::string measure = "[timing]\nmeasure = \"10s\"\n";
  const std::string stage = measure + "[[stage]]\nname = \"s\"\n";
  const std::vector<Refusal> refusals = {
      {stage, "test.toml: stage.0.at: is not given"},
      {measure + "[[stage]]\nat = \"1s\"\n", "stage.0.name: is not given"},
      {stage + "at = \"10s\"\n", "10s is not before the end of timing.measure (10s)"},
      {stage + "at = \"8s\"\nfor = \"3s\"\n",
       "it would end 1s after timing.measure does (10s); give at most 2s"},
      {stage + "at = \"1s\"\nfor = \"4s\"\n[[stage]]\nname = \"t\"\nat = \"3s\"\n",
       "\"t\" begins at 3s, before \"s\" ends (5s)"},
      {stage + "at = \"5s\"\nfor = \"1s\"\n[[stage]]\nname = \"t\"\nat = \"3s\"\n",
       "sort the stages by time"},
      {stage + "at = \"1s\"\n[[stage]]\nname = \"s\"\nat = \"3s\"\n", "\"s\" is the name of two"},
      {stage + "at = \"1s\"\nrate = 100\n", "the load is a closed loop, which has none"},
      {"[load]\nrate = 5\n" + stage + "at = \"1s\"\nthink_time = \"1ms\"\n",
       "the load has a rate, which alone says when requests are due"},
      {"[load]\nrequests = 5\n" + stage + "at = \"1s\"\n", "give timing.measure instead"},
      {stage + "at = \"1s\"\nmix = \"weights(SET:1, FOO:2)\"\n",
       "the workload has no operation \"FOO\"; it has SET, GET"},
      {stage + "at = \"1s\"\ntenant = \"x\"\n",
       "no tenant is called \"x\"; there is no [[tenant]]"},
      {stage + "at = \"1s\"\nfor = \"2s\"\nrepeat_every = \"1s\"\n",
       "1s is less than the stage lasts (2s)"},
      {stage + "at = \"1s\"\nrepeat_every = \"1s\"\n", "means nothing without stage.0.for"},
      {stage + "at = \"1s\"\nfill_value_size = \"1KiB\"\n", "means nothing without stage.0.fill"},
  };
  for (const Refusal& refusal : refusals) {
    const std::string error = error_of(refusal.text);
    EXPECT_THAT(error, HasSubstr(refusal.says)) << refusal.text;
    EXPECT_EQ(std::ranges::count(error, '\n'), 0) << error;
  }
}

TEST(TenantContradictions, NameTheTenantsOwnKey) {
  const std::vector<Refusal> refusals = {
      {"[[tenant]]\nrate = 5\n", "tenant.0.name: is not given"},
      {"[[tenant]]\nname = \"main\"\n", "\"main\" is what something else is called"},
      {"[[tenant]]\nname = \"a\"\n[[tenant]]\nname = \"a\"\n", "\"a\" is the name of two"},
      {"[load]\nthink_time = \"1ms\"\n[[tenant]]\nname = \"a\"\nrate = 5\n",
       "tenant.0.think_time: load.rate is given too"},
      {"[load]\nrequests = 100\n[[tenant]]\nname = \"a\"\n", "load.requests: means nothing beside"},
      {"[[tenant]]\nname = \"a\"\nkeys = 1\nworkers = 2\n", "tenant.0.keys: 1 is fewer than"},
      {"[[workload.command]]\ncommand = \"GET __key__\"\ntenant = \"x\"\n[[tenant]]\nname = \"a\"\n"
       "ratio = \"1:1\"\n",
       "no tenant is called \"x\"; there are a"},
      {"[load]\nrate = 9\n[timing]\nmeasure = \"9s\"\n[[tenant]]\nname = \"a\"\n"
       "[[tenant]]\nname = \"b\"\n[[stage]]\nname = \"s\"\nat = \"1s\"\nrate = 7\n",
       "each of 2 tenants would have it; give stage.tenant, or a factor"},
  };
  for (const Refusal& refusal : refusals)
    EXPECT_THAT(error_of(refusal.text), HasSubstr(refusal.says)) << refusal.text;
}

}  // namespace
}  // namespace headroom::scenario
