#include "analysis/warnings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/run_builder.h"

namespace headroom::analysis {
namespace {

using headroom::testing::LoadSecond;
using headroom::testing::RunBuilder;
using record::Outcome;
using record::Warning;
using record::WarningKind;
using ::testing::HasSubstr;

std::optional<std::string> found(const record::Run& run, WarningKind kind) {
  for (const Warning& warning : summarize(run).warnings) {
    if (warning.kind == kind) return warning.text;
  }
  return std::nullopt;
}

std::uint64_t& outcome(record::Run& run, std::size_t interval, Outcome which) {
  return run.intervals[interval].counts[0].outcomes[static_cast<std::size_t>(which)];
}

TEST(Warnings, OfAQuietLongRunAreNone) {
  RunBuilder builder;
  builder.measure(200)
      .metric("BytesUsedForCache", [](double) { return 5e6; })
      .metric(
          "command_calls", [](double t) { return 300 * std::clamp(t, 0.0, 200.0); }, "set")
      .metric("command_calls", [](double t) { return 3'000 * std::clamp(t, 0.0, 200.0); }, "get");
  EXPECT_TRUE(summarize(builder.build()).warnings.empty());
}

TEST(Warnings, TellThatAMinuteStatisticNeedsMinutes) {
  EXPECT_THAT(found(RunBuilder().measure(40).build(), WarningKind::kWindowTooShort).value_or(""),
              HasSubstr("needs 3 full minutes, the window of 40.0 s has 0"));
  EXPECT_FALSE(found(RunBuilder().measure(180).build(), WarningKind::kWindowTooShort));
}

TEST(Warnings, TellWhichWorkersWereBusy) {
  const auto run = RunBuilder()
                       .load([](std::int64_t) {
                         LoadSecond load;
                         load.worker_cpu_ratio = 0.9;
                         return load;
                       })
                       .build();
  EXPECT_THAT(found(run, WarningKind::kGeneratorBusy).value_or(""),
              HasSubstr("worker 0 at 90 %, worker 1 at 90 %"));
}

TEST(Warnings, TellWhenLagMayBeTheTail) {
  const auto lag = [](Nanos value) {
    return RunBuilder()
        .edit([value](record::Run& run) {
          run.worker_windows[2].loop_lag.clear();
          run.worker_windows[2].loop_lag.record(value, 1'000);
        })
        .build();
  };
  // The p99 latency is 120 us.
  EXPECT_THAT(found(lag(std::chrono::microseconds{80}), WarningKind::kLoopLag).value_or(""),
              HasSubstr("worker 2"));
  EXPECT_FALSE(found(lag(std::chrono::microseconds{50}), WarningKind::kLoopLag));
}

TEST(Warnings, TellWhenTheMachineIsSharedAndFull) {
  const auto busy = [](double cpus) {
    return RunBuilder()
        .metric("host_cpu_busy_seconds", [cpus](double t) { return cpus * t; })
        .build();
  };
  EXPECT_TRUE(found(busy(1.9), WarningKind::kSharedHost));
  EXPECT_FALSE(found(busy(1.7), WarningKind::kSharedHost));
}

TEST(Warnings, CountHolesInTheSamples) {
  EXPECT_FALSE(found(RunBuilder().hole(10, 11).build(), WarningKind::kSamplesMissing));
  EXPECT_THAT(found(RunBuilder().hole(10, 14).hole(20, 26).build(), WarningKind::kSamplesMissing)
                  .value_or(""),
              HasSubstr("2 holes, the longest of 7.0 s"));
  EXPECT_TRUE(found(RunBuilder().hole(36, 50).build(), WarningKind::kSamplesMissing));
}

TEST(Warnings, TellWhenTheEngineWasNeverSampled) {
  EXPECT_TRUE(found(RunBuilder().without_telemetry().build(), WarningKind::kTelemetryAbsent));
}

TEST(Warnings, CountErrorsTimeoutsAndLostRequestsOfTheWindow) {
  const auto run = RunBuilder()
                       .edit([](record::Run& made) {
                         outcome(made, 1, Outcome::kError) = 1;
                         outcome(made, 2, Outcome::kTimeout) = 2;
                         outcome(made, 3, Outcome::kLost) = 3;
                       })
                       .build();
  EXPECT_EQ(found(run, WarningKind::kErrors),
            "1 error reply (other than OOM), 2 timeouts, 3 lost requests");
}

TEST(Warnings, LeaveOutErrorsOfTheWarmUp) {
  const auto run = RunBuilder()
                       .warmup(5)
                       .edit([](record::Run& made) { outcome(made, 1, Outcome::kError) = 1; })
                       .build();
  EXPECT_FALSE(found(run, WarningKind::kErrors));
}

TEST(Warnings, CountConnectionsThatBroke) {
  const auto run = RunBuilder()
                       .edit([](record::Run& made) {
                         made.workers[4].health.connections_lost = 2;
                         made.workers[5].health.connections_refused = 1;
                       })
                       .build();
  EXPECT_EQ(found(run, WarningKind::kConnectionsLost),
            "2 connections broke and 1 attempt to connect failed");
}

TEST(Warnings, ShowADisagreementWithTheEngine) {
  const auto run = RunBuilder()
                       .metric(
                           "command_calls", [](double t) { return std::max(0.0, t) * 10; }, "set")
                       .build();
  EXPECT_THAT(found(run, WarningKind::kConservation).value_or(""),
              HasSubstr("SET: 12,000 sent, 400 seen by the engine"));
}

TEST(Warnings, TellHowMuchOfAnUnfinishedRunTheNumbersCover) {
  const auto killed = RunBuilder().measure(40).killed_after(10).build();
  EXPECT_THAT(found(killed, WarningKind::kInterrupted).value_or(""),
              HasSubstr("10.0 s that were recorded of 40.0 s planned"));
  const auto failed = RunBuilder()
                          .measure(40)
                          .edit([](record::Run& run) {
                            run.end = record::RunEnd::kFailed;
                            run.end_reason = "the engine ended";
                          })
                          .build();
  EXPECT_THAT(found(failed, WarningKind::kInterrupted).value_or(""),
              HasSubstr("the engine ended; the numbers are about"));
}

TEST(Warnings, CountRequestsThatNeverGotAReplyAfterTheWindow) {
  const auto run = RunBuilder()
                       .edit([](record::Run& made) {
                         record::MergedInterval drain = made.intervals.back();
                         drain.interval.phase = record::Phase::kDrain;
                         drain.interval.begin = drain.interval.end;
                         drain.interval.end += std::chrono::seconds{1};
                         drain.counts.assign(2, {});
                         drain.latencies.clear();
                         drain.counts[1].outcomes[static_cast<std::size_t>(Outcome::kLost)] = 2;
                         made.intervals.push_back(drain);
                         made.workers.back().health.in_flight = 6;
                       })
                       .build();
  EXPECT_THAT(found(run, WarningKind::kInFlightAtEnd).value_or(""),
              HasSubstr("2 of the 6 requests under way"));
}

TEST(Warnings, TellOfPersistenceInsideTheWindow) {
  const auto run =
      RunBuilder()
          .metric("rdb_bgsave_in_progress", [](double t) { return t > 10 && t < 12 ? 1.0 : 0.0; })
          .metric("total_forks", [](double t) { return t > 10 ? 1.0 : 0.0; })
          .build();
  EXPECT_EQ(found(run, WarningKind::kPersistence),
            "a snapshot was saved, the engine forked 1 time inside the window");
}

TEST(Warnings, TellOfKeysEvictedBeforeMeasuring) {
  const auto run = RunBuilder()
                       .warmup(5)
                       .metric("Evictions", [](double t) { return t > 2 ? 30.0 : 0.0; })
                       .build();
  EXPECT_EQ(found(run, WarningKind::kEvictedPrefill),
            "30 keys were evicted before measuring began");
}

TEST(Warnings, TellOfARestartedEngine) {
  const auto run =
      RunBuilder()
          .metric("engine_uptime_seconds", [](double t) { return t < 20 ? t + 10 : t - 20; })
          .build();
  EXPECT_THAT(found(run, WarningKind::kEngineRestarted).value_or(""), HasSubstr("20.5 s into"));
}

TEST(Warnings, KeepTheRunsOwnFirstAndDoNotRepeatThem) {
  const auto run = RunBuilder()
                       .measure(40)
                       .edit([](record::Run& made) {
                         made.warnings = {{WarningKind::kExistingData, "the target held 9 keys"},
                                          {WarningKind::kWindowTooShort, "said before"}};
                       })
                       .build();
  const auto warnings = summarize(run).warnings;
  ASSERT_GE(warnings.size(), 2U);
  EXPECT_EQ(warnings[0].text, "the target held 9 keys");
  EXPECT_EQ(std::ranges::count(warnings, WarningKind::kWindowTooShort, &Warning::kind), 1);
}

}  // namespace
}  // namespace headroom::analysis
