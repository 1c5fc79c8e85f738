#include "analysis/contract.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "analysis/comparison.h"
#include "analysis/observed_run.h"
#include "tests/support/run_builder.h"

namespace headroom::analysis {
namespace {

using headroom::testing::RunBuilder;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

ObservedRun observed(RunBuilder builder, int hour) {
  builder.edit([&](record::Run& run) {
    run.header.started = WallTime{std::chrono::hours{480'000 + hour}};
    run.header.scenario.timing.measure = std::chrono::seconds{40};
  });
  const record::Run run = builder.build();
  return observe(run, summarize(run), "run-" + std::to_string(hour), true);
}

// Two arms of three alternating runs; `change` makes the second arm's runs.
std::vector<Arm> two_arms(const std::function<void(record::Run&)>& change = {}) {
  std::vector<Arm> arms(2);
  arms[0].name = "A";
  arms[1].name = "B";
  for (int i = 0; i < 6; ++i) {
    RunBuilder builder;
    if (i % 2 == 1 && change) builder.edit(change);
    arms[static_cast<std::size_t>(i % 2)].runs.push_back(observed(std::move(builder), i));
  }
  return arms;
}

const Reason* find(const Contract& contract, ReasonKind kind) {
  const auto found = std::ranges::find(contract.reasons, kind, &Reason::kind);
  return found == contract.reasons.end() ? nullptr : &*found;
}

TEST(Contract, RunsOfOneScenarioAreComparable) {
  const Contract contract = check_contract(two_arms(), {});
  EXPECT_EQ(contract.standing, Standing::kComparable)
      << (contract.reasons.empty() ? "" : contract.reasons.front().seen);
  EXPECT_THAT(contract.factors, IsEmpty());
}

TEST(Contract, AFactorMayDifferAndAWorkloadMayNot) {
  const Contract factor =
      check_contract(two_arms([](auto& run) { run.header.scenario.load.pipeline = 4; }), {});
  EXPECT_EQ(factor.standing, Standing::kComparable);
  ASSERT_THAT(factor.factors, SizeIs(1));
  EXPECT_EQ(factor.factors.front().key, "load.pipeline");
  EXPECT_EQ(factor.factors.front().values[1], "4");

  const auto value_size = [](auto& run) { run.header.scenario.workload.value_size = 512U; };
  const Contract workload = check_contract(two_arms(value_size), {});
  EXPECT_EQ(workload.standing, Standing::kInvalid);
  ASSERT_TRUE(find(workload, ReasonKind::kWorkloadDiffers));
  EXPECT_EQ(find(workload, ReasonKind::kWorkloadDiffers)->seen,
            "workload.value_size is 1KiB against 512B.");
  const std::vector<std::string> intended = {"workload.value_size"};
  EXPECT_EQ(check_contract(two_arms(value_size), intended).standing, Standing::kComparable);
}

TEST(Contract, AWorkloadThatOnlyOneArmHasIsAnotherWorkload) {
  std::vector<Arm> arms = two_arms();
  for (ObservedRun& run : arms[1].runs) run.settings["workload.command.0.weight"] = "3";
  EXPECT_EQ(check_contract(arms, {}).standing, Standing::kInvalid);
  for (ObservedRun& run : arms[0].runs) run.imported = true;
  EXPECT_EQ(check_contract(arms, {}).standing, Standing::kConditional) << "a table may not say";
}

TEST(Contract, SeveralFactorsAtOnceAreAReservation) {
  const Contract contract = check_contract(two_arms([](auto& run) {
                                             run.header.scenario.load.pipeline = 4;
                                             run.facts["engine.version"] = "8.0.0";
                                           }),
                                           {});
  EXPECT_EQ(contract.standing, Standing::kConditional);
  ASSERT_TRUE(find(contract, ReasonKind::kSeveralFactors));
  EXPECT_THAT(find(contract, ReasonKind::kSeveralFactors)->seen, HasSubstr("engine"));
}

TEST(Contract, NamesEveryReservation) {
  const Contract contract = check_contract(two_arms([](auto& run) {
                                             run.header.scenario.load.request_timeout =
                                                 std::chrono::seconds{3};
                                             run.facts["engine.config.io-threads"] = "4";
                                             run.facts["host.cpus"] = "8";
                                             run.header.tool_version = "0.2.0";
                                           }),
                                           {});
  EXPECT_EQ(contract.standing, Standing::kConditional);
  for (const ReasonKind kind :
       {ReasonKind::kControlDiffers, ReasonKind::kEnvironmentDiffers, ReasonKind::kToolDiffers})
    EXPECT_TRUE(contract.has(kind)) << reason_info(kind).name;
  // Known of one arm only: not checked, and said so.
  EXPECT_TRUE(contract.has(ReasonKind::kUnknown));
}

TEST(Contract, WhatOnlyOneRunKnowsOfItselfIsIgnored) {
  std::vector<Arm> arms = two_arms();
  int port = 4000;
  for (Arm& arm : arms) {
    for (ObservedRun& run : arm.runs) {
      run.settings["target.address"] = "127.0.0.1:" + std::to_string(++port);
      run.settings["engine.config.port"] = std::to_string(port);
      run.settings["engine.pid"] = std::to_string(port);
    }
  }
  EXPECT_EQ(check_contract(arms, {}).standing, Standing::kComparable);
}

TEST(Contract, ARunThatDidNotEndInvalidatesItsArm) {
  std::vector<Arm> arms = two_arms();
  arms[1].runs.push_back(observed(RunBuilder().killed_after(20), 7));
  const Contract contract = check_contract(arms, {});
  EXPECT_EQ(contract.standing, Standing::kInvalid);
  ASSERT_TRUE(find(contract, ReasonKind::kRunFault));
  EXPECT_EQ(find(contract, ReasonKind::kRunFault)->name, "incomplete");
  EXPECT_THAT(contract.reasons.front().seen, HasSubstr("run-7"));
  EXPECT_THAT(compare(arms, {}).claims, IsEmpty());
}

TEST(Contract, ABusyGeneratorAndABrokenAccountInvalidate) {
  std::vector<Arm> arms = two_arms();
  arms[0].runs.push_back(observed(RunBuilder().load([](std::int64_t) {
    headroom::testing::LoadSecond load;
    load.worker_cpu_ratio = 0.97;
    return load;
  }),
                                  6));
  arms[1].runs.push_back(observed(
      RunBuilder().edit([](record::Run& run) { run.workers.front().counts[0].sent += 7; }), 7));
  const Contract contract = check_contract(arms, {});
  std::vector<std::string> names;
  for (const Reason& reason : contract.reasons) {
    if (reason.kind == ReasonKind::kRunFault) names.push_back(reason.name);
  }
  EXPECT_THAT(names, ::testing::UnorderedElementsAre("generator-limited", "account"));
}

TEST(Contract, UnequalFewAndOrderedRunsAreReservations) {
  std::vector<Arm> arms = two_arms();
  arms[0].runs.pop_back();
  for (std::size_t i = 0; i < arms[1].runs.size(); ++i)
    arms[1].runs[i].started = WallTime{std::chrono::hours{490'000 + static_cast<int>(i)}};
  const Contract contract = check_contract(arms, {});
  EXPECT_EQ(contract.standing, Standing::kConditional);
  for (const ReasonKind kind :
       {ReasonKind::kUnequalRepeats, ReasonKind::kFewRepeats, ReasonKind::kOrder})
    EXPECT_TRUE(contract.has(kind)) << reason_info(kind).name;
}

TEST(Contract, AnArmOfTwoScenariosIsMixed) {
  std::vector<Arm> arms = two_arms();
  arms[0].runs.back().settings["load.workers"] = "9";
  const Contract contract = check_contract(arms, {});
  EXPECT_EQ(contract.standing, Standing::kInvalid);
  EXPECT_TRUE(contract.has(ReasonKind::kArmMixed));
}

TEST(Contract, CataloguesHaveAnEntryForEveryKindInItsPlace) {
  for (std::size_t i = 0; i < reason_catalogue().size(); ++i)
    EXPECT_EQ(static_cast<std::size_t>(reason_catalogue()[i].kind), i);
  for (std::size_t i = 0; i < claim_catalogue().size(); ++i)
    EXPECT_EQ(static_cast<std::size_t>(claim_catalogue()[i].kind), i);
  for (std::size_t i = 0; i < guard_catalogue().size(); ++i)
    EXPECT_EQ(static_cast<std::size_t>(guard_catalogue()[i].kind), i);
  for (std::size_t i = 0; i < figure_catalogue().size(); ++i)
    EXPECT_EQ(static_cast<std::size_t>(figure_catalogue()[i].figure), i);
}

TEST(Arms, AreMadeOfTheValuesOfAKeyAndRefuseOneThatIsNotKnown) {
  std::vector<ObservedRun> runs;
  for (Arm& arm : two_arms([](auto& run) { run.header.scenario.load.pipeline = 4; }))
    runs.insert(runs.end(), arm.runs.begin(), arm.runs.end());
  const auto arms = arms_by("load.pipeline", runs);
  ASSERT_TRUE(arms);
  ASSERT_THAT(*arms, SizeIs(2));
  EXPECT_EQ((*arms)[1].name, "load.pipeline = 4");
  EXPECT_EQ((*arms)[1].size(), 3U);
  const auto none = arms_by("load.pipelin", runs);
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("did you mean load.pipeline?"));
}

TEST(Spread, DeducesEveryValueWhereTheStatedOnesLeaveNoChoice) {
  EXPECT_TRUE(spread_of_stated(3, 1, 2, 5, {}).every_run());
  EXPECT_DOUBLE_EQ(*spread_of_stated(3, 8726, {}, 9252, 8942).median, 8848);
  EXPECT_TRUE(spread_of_stated(2, 1, {}, 5, {}).every_run());
  EXPECT_FALSE(spread_of_stated(4, 1, 2, 5, {}).every_run());
  EXPECT_FALSE(spread_of_stated(3, {}, 2, {}, {}).every_run());
}

}  // namespace
}  // namespace headroom::analysis
