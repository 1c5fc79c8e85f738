#include "analysis/conservation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/run_builder.h"

namespace headroom::analysis {
namespace {

using headroom::testing::RunBuilder;
using record::Outcome;
using ::testing::HasSubstr;

std::uint64_t& outcome(record::OperationCounts& counts, Outcome which) {
  return counts.outcomes[static_cast<std::size_t>(which)];
}

std::function<double(double)> steps(double per_second) {
  return [per_second](double t) { return per_second * std::clamp(t, 0.0, 40.0); };
}

RunBuilder exact_run() {
  RunBuilder builder;
  builder.metric("command_calls", steps(300), "set").metric("command_calls", steps(3'000), "get");
  return builder;
}

TEST(Conservation, AgreesWhenClientAndEngineCountTheSame) {
  Reasons reasons;
  const Conservation account = check_conservation(exact_run().build(), reasons);
  ASSERT_EQ(account.rows.size(), 2U);
  EXPECT_EQ(account.rows[0].sent, 12'000U);
  EXPECT_EQ(account.engine_calls(account.rows[0]), 12'000U);
  EXPECT_EQ(account.engine_calls(account.rows[1]), 120'000U);
  EXPECT_TRUE(account.client_adds_up);
  EXPECT_EQ(account.engine_agrees, true);
}

TEST(Conservation, SubtractsWhatTheEngineHadCountedBeforeTheLoad) {
  Reasons reasons;
  RunBuilder builder = exact_run();
  builder.metric(
      "command_calls", [](double t) { return 7 + 300 * std::clamp(t, 0.0, 40.0); }, "set");
  const Conservation account = check_conservation(builder.build(), reasons);
  EXPECT_EQ(account.engine_calls(account.rows[0]), 12'000U);
}

RunBuilder& with_commands(RunBuilder& builder, std::vector<scenario::WeightedCommand> commands) {
  return builder.edit([=](record::Run& run) { run.header.scenario.workload.commands = commands; });
}

// Two operations that both call HSET, one of them in a transaction; each is sent as often as SET
// and GET of other runs here. `hset_per_s` is what the engine counts.
Conservation account_of_commands(double hset_per_s) {
  RunBuilder builder;
  builder.metric("command_calls", steps(hset_per_s), "hset")
      .metric("command_calls", steps(3'000), "multi")
      .metric("command_calls", steps(3'000), "object|freq")
      .metric("command_calls", steps(3'000), "exec");
  with_commands(builder,
                {{"HSET __key__ f __data__", "SET", 1, {}, {}},
                 {"MULTI; HSET __key__ f 1; OBJECT FREQ __key__; EXEC", "GET", 10, {}, {}}});
  Reasons reasons;
  return check_conservation(builder.build(), reasons);
}

TEST(Conservation, AsksTheEngineAboutCommandsThatOperationsShare) {
  const Conservation account = account_of_commands(3'300);
  EXPECT_EQ(account.engine_agrees, true);
  ASSERT_EQ(account.commands.size(), 4U);
  EXPECT_EQ(account.commands[1].name, "hset");
  EXPECT_EQ(account.commands[1].sent, 132'000U);
  EXPECT_EQ(account.commands[1].engine_calls, 132'000U);
  EXPECT_EQ(account.engine_calls(account.rows[0]), std::nullopt) << "not of this operation alone";
  EXPECT_EQ(account.engine_calls(account.rows[1]), std::nullopt) << "of several commands";
  EXPECT_EQ(account_of_commands(3'301).engine_agrees, false);
}

TEST(Conservation, CannotAskWhereScriptsCallCommands) {
  Reasons reasons;
  RunBuilder builder = exact_run();
  with_commands(builder,
                {{"EVAL \"return 1\" 0", "SET", 1, {}, {}}, {"GET __key__", "GET", 1, {}, {}}});
  EXPECT_EQ(check_conservation(builder.build(), reasons).engine_agrees, std::nullopt);
  EXPECT_THAT(reasons.at("conservation.engine_agrees"), HasSubstr("scripts call commands"));
}

TEST(Conservation, DisagreesOnASingleCall) {
  Reasons reasons;
  RunBuilder builder = exact_run();
  builder.metric("command_calls", [](double t) { return t < 40 ? 0.0 : 12'001.0; }, "set");
  EXPECT_EQ(check_conservation(builder.build(), reasons).engine_agrees, false);
}

TEST(Conservation, CountsCallsThatTheEngineRefusedBeforeExecution) {
  Reasons reasons;
  RunBuilder builder = exact_run();
  builder.metric("command_calls", steps(200), "set").metric("command_rejected", steps(100), "set");
  EXPECT_EQ(check_conservation(builder.build(), reasons).engine_agrees, true);
}

TEST(Conservation, ToleratesExactlyWhatHadNoReply) {
  for (const int seen : {11'996, 11'997, 12'000, 12'001}) {
    Reasons reasons;
    RunBuilder builder = exact_run();
    builder.metric(
               "command_calls", [seen](double t) { return t < 40 ? 0.0 : seen; }, "set")
        .edit([](record::Run& run) {
          auto& counts = run.intervals[0].counts[0];
          outcome(counts, Outcome::kOk) -= 3;
          outcome(counts, Outcome::kLost) = 2;
          outcome(counts, Outcome::kTimeout) = 1;
        });
    const Conservation account = check_conservation(builder.build(), reasons);
    EXPECT_EQ(account.rows[0].unanswered, 3U);
    EXPECT_EQ(account.engine_agrees, seen >= 11'997 && seen <= 12'000) << seen;
  }
}

TEST(Conservation, LeavesOutWhatWasNeverSent) {
  Reasons reasons;
  RunBuilder builder = exact_run();
  builder.edit(
      [](record::Run& run) { outcome(run.intervals[0].counts[0], Outcome::kUnsent) = 50; });
  const Conservation account = check_conservation(builder.build(), reasons);
  EXPECT_TRUE(account.client_adds_up);
  EXPECT_EQ(account.rows[0].outcomes, 12'000U);
}

TEST(Conservation, FindsARequestThatVanished) {
  Reasons reasons;
  RunBuilder merged = exact_run();
  merged.edit([](record::Run& run) { ++run.intervals[0].counts[0].sent; });
  EXPECT_FALSE(check_conservation(merged.build(), reasons).client_adds_up);

  // Two workers' faults may cancel in the sum, but not in their own accounts.
  RunBuilder workers = exact_run();
  workers.edit([](record::Run& run) {
    ++run.workers[0].counts[0].sent;
    --run.workers[1].counts[0].sent;
  });
  EXPECT_FALSE(check_conservation(workers.build(), reasons).client_adds_up);
}

TEST(Conservation, OfAKilledRunAllowsForWhatWasUnderWay) {
  const auto under_way = [](std::uint64_t in_flight) {
    RunBuilder builder = exact_run();
    builder.killed_after(10).edit([in_flight](record::Run& run) {
      run.workers.back().counts[1].sent += 4;
      run.workers.back().health.in_flight = in_flight;
    });
    return builder.build();
  };
  Reasons reasons;
  EXPECT_TRUE(check_conservation(under_way(4), reasons).client_adds_up);
  EXPECT_FALSE(check_conservation(under_way(3), reasons).client_adds_up);
  EXPECT_FALSE(check_conservation(under_way(4), reasons).engine_agrees);
}

TEST(Conservation, DoesNotAskAnEngineThatOthersMayUseOrThatCannotKnow) {
  const struct {
    const char* why;
    std::function<void(RunBuilder&)> change;
  } cases[] = {
      {"nobody else",
       [](RunBuilder& builder) {
         builder.edit([](record::Run& run) {
           run.header.scenario.target.kind = scenario::TargetKind::kEndpoint;
         });
       }},
      {"not sampled", [](RunBuilder& builder) { builder.without_telemetry(); }},
      {"before the load had ended", [](RunBuilder& builder) { builder.hole(39, 50); }},
      {"after the load began", [](RunBuilder& builder) { builder.hole(-5, 1); }},
      {"went back",
       [](RunBuilder& builder) {
         builder.metric("command_calls", [](double t) { return t < 20 ? 900 * t : t; }, "set");
       }},
  };
  for (const auto& one : cases) {
    Reasons reasons;
    RunBuilder builder = exact_run();
    one.change(builder);
    const Conservation account = check_conservation(builder.build(), reasons);
    EXPECT_FALSE(account.engine_agrees) << one.why;
    EXPECT_THAT(reasons.at("conservation.engine_agrees"), HasSubstr(one.why));
    EXPECT_TRUE(account.client_adds_up) << one.why;
  }
}

TEST(Conservation, OfNothingAddsUp) {
  Reasons reasons;
  record::Run run;
  run.end = record::RunEnd::kComplete;
  const Conservation account = check_conservation(run, reasons);
  EXPECT_TRUE(account.rows.empty());
  EXPECT_TRUE(account.client_adds_up);
  EXPECT_FALSE(account.engine_agrees);
}

}  // namespace
}  // namespace headroom::analysis
