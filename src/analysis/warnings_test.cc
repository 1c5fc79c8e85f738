#include "analysis/warnings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/sample_runs.h"

namespace headroom::analysis {
namespace {

using headroom::testing::LoadSecond;
using headroom::testing::RunBuilder;
using record::Outcome;
using record::WarningKind;
using ::testing::HasSubstr;

std::optional<Doubt> doubt(const record::Run& run, WarningKind kind) {
  for (const Doubt& one : summarize(run).warnings) {
    if (one.kind == kind) return one;
  }
  return std::nullopt;
}

std::optional<std::string> found(const record::Run& run, WarningKind kind) {
  const std::optional<Doubt> one = doubt(run, kind);
  return one ? std::optional(one->seen) : std::nullopt;
}

std::string next_step(const record::Run& run, WarningKind kind) {
  return doubt(run, kind).value_or(Doubt{}).next_step;
}

std::uint64_t& outcome(record::Run& run, std::size_t interval, Outcome which) {
  return run.intervals[interval].counts[0].outcomes[static_cast<std::size_t>(which)];
}

TEST(Warnings, OfAQuietLongRunAreNone) {
  RunBuilder builder;
  builder.measure(200)
      .metric("BytesUsedForCache", [](double) { return 5e6; })
      .metric("CurrItems", [](double) { return 3'000; })
      .metric(
          "command_calls", [](double t) { return 300 * std::clamp(t, 0.0, 200.0); }, "set")
      .metric("command_calls", [](double t) { return 3'000 * std::clamp(t, 0.0, 200.0); }, "get");
  EXPECT_TRUE(summarize(builder.build()).warnings.empty());
}

TEST(Warnings, TellThatAWindowHasTooFewSecondsForAnything) {
  EXPECT_THAT(found(RunBuilder().measure(4).build(), WarningKind::kWindowTooShort).value_or(""),
              HasSubstr("4 full seconds"));
  const record::Run short_run = RunBuilder().measure(10).build();
  EXPECT_FALSE(found(short_run, WarningKind::kWindowTooShort));
  EXPECT_EQ(summarize(short_run).not_available.at("measure.throughput_cv_per_minute"),
            "needs 3 full minutes, has 0")
      << "a statistic that needs minutes says so itself";
}

TEST(Warnings, OfARunThatMeasuredNothingAreItsOwn) {
  const auto run = RunBuilder()
                       .measure(0)
                       .without_telemetry()
                       .edit([](record::Run& made) {
                         made.end = record::RunEnd::kFailed;
                         made.end_reason = "connection refused";
                         made.warnings = {{WarningKind::kExistingData, "9 keys"}};
                       })
                       .build();
  const std::vector<Doubt> warnings = summarize(run).warnings;
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0].seen, "9 keys");
  EXPECT_TRUE(summarize(record::Run{}).warnings.empty());
}

TEST(Warnings, TellThatMemoryWasStillFilling) {
  EXPECT_THAT(found(RunBuilder().build(), WarningKind::kStillFilling).value_or(""),
              HasSubstr("headroom of 72.5 %"));
  const auto evicting =
      RunBuilder().metric("Evictions", [](double t) { return std::max(0.0, t); }).build();
  EXPECT_FALSE(found(evicting, WarningKind::kStillFilling)) << "it claims no headroom";
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
          run.worker_windows[2].loop_lag = {};
          run.worker_windows[2].loop_lag.record(value, 1'000);
        })
        .build();
  };
  // The p99 latency is 120 us.
  EXPECT_THAT(found(lag(std::chrono::microseconds{80}), WarningKind::kLoopLag).value_or(""),
              HasSubstr("worker 2"));
  EXPECT_FALSE(found(lag(std::chrono::microseconds{50}), WarningKind::kLoopLag));
}

TEST(Warnings, TellWhatAnOpenLoopLeftUnsentAndSentLate) {
  const record::Run run = headroom::testing::open_loop_run().build();
  EXPECT_EQ(found(run, WarningKind::kUnsent),
            "180 of 132,000 requests that were due were never sent (0.14 %); the oldest had been "
            "due for 35.0 ms");
  EXPECT_EQ(found(run, WarningKind::kLateSends),
            "2.5 % of the requests were sent 1.00 ms or more after they were due, the latest by "
            "400 ms");
}

TEST(Warnings, LeaveOutWhatFellDueInTheLastMoment) {
  RunBuilder builder;
  builder.asked(3'300).load([](std::int64_t) {
    LoadSecond load;
    load.due = 1'101;
    load.unsent = 1;
    load.unsent_age = std::chrono::microseconds{80};
    load.waited = std::chrono::microseconds{20};
    return load;
  });
  EXPECT_FALSE(found(builder.build(), WarningKind::kUnsent));
  EXPECT_FALSE(found(builder.build(), WarningKind::kLateSends));
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

TEST(Warnings, SendAfterWhatElseRunsOnlyWhenItTookMoreThanTheRun) {
  // The engine takes 45 %, the workers three times their share.
  const auto busy = [](double worker_cpu) {
    return RunBuilder()
        .load([=](std::int64_t) {
          LoadSecond load;
          load.worker_cpu_ratio = worker_cpu;
          return load;
        })
        .metric("host_cpu_busy_seconds", [](double t) { return 1.96 * t; })
        .build();
  };
  EXPECT_EQ(next_step(busy(0.10), WarningKind::kSharedHost),
            "Something else on this machine used 121 % of one CPU: find it with top and stop it, "
            "then repeat.");
  EXPECT_EQ(next_step(busy(0.30), WarningKind::kSharedHost),
            record::warning_info(WarningKind::kSharedHost).next_step);
}

TEST(Warnings, CountHolesInTheSamples) {
  EXPECT_FALSE(found(RunBuilder().hole(10, 11).build(), WarningKind::kSamplesMissing));
  EXPECT_THAT(found(RunBuilder().hole(10, 14).hole(20, 26).build(), WarningKind::kSamplesMissing)
                  .value_or(""),
              HasSubstr("2 holes, the longest of 7.0 s"));
  EXPECT_THAT(found(RunBuilder().hole(36, 50).build(), WarningKind::kSamplesMissing).value_or(""),
              HasSubstr("1 hole of 4.5 s: no answer any more when the window ended"));
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

TEST(Warnings, LeaveOutWhatDidNotFailAndStepTowardsWhatDid) {
  const auto run =
      RunBuilder().edit([](record::Run& made) { outcome(made, 3, Outcome::kLost) = 16; }).build();
  EXPECT_EQ(found(run, WarningKind::kErrors), "16 lost requests");
  EXPECT_THAT(next_step(run, WarningKind::kErrors), HasSubstr("ended the connections"));
  EXPECT_THAT(next_step(run, WarningKind::kErrors), ::testing::Not(HasSubstr("error texts")));
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
          .metric("SaveInProgress", [](double t) { return t > 10 && t < 12 ? 1.0 : 0.0; })
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
                                          {WarningKind::kStillFilling, "said before"}};
                       })
                       .build();
  const auto warnings = summarize(run).warnings;
  ASSERT_GE(warnings.size(), 2U);
  EXPECT_EQ(warnings[0].seen, "the target held 9 keys");
  EXPECT_EQ(std::ranges::count(warnings, WarningKind::kStillFilling, &Doubt::kind), 1);
}

}  // namespace
}  // namespace headroom::analysis
