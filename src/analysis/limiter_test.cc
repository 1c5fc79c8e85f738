#include "analysis/limiter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/run_builder.h"

namespace headroom::analysis {
namespace {

using headroom::testing::LoadSecond;
using headroom::testing::RunBuilder;
using std::chrono::microseconds;
using ::testing::HasSubstr;

std::function<double(double)> rate(double per_second) {
  return [per_second](double t) { return per_second * std::max(0.0, t); };
}

RunBuilder machine(double worker_cpu, double engine_cpu, double host_busy_cpus,
                   Nanos latency = microseconds{1'700}) {
  RunBuilder builder;
  builder
      .load([=](std::int64_t) {
        LoadSecond load;
        load.worker_cpu_ratio = worker_cpu;
        load.set_latency = load.get_latency = latency;
        return load;
      })
      .metric("used_cpu_user_main_thread_seconds", rate(engine_cpu / 2))
      .metric("used_cpu_sys_main_thread_seconds", rate(engine_cpu / 2))
      .metric("used_cpu_user_seconds", rate(engine_cpu / 2))
      .metric("used_cpu_sys_seconds", rate(engine_cpu / 2))
      .metric("host_cpu_busy_seconds", rate(host_busy_cpus))
      .metric("host_cpu_total_seconds", rate(2));
  return builder;
}

RunBuilder open_loop(std::uint64_t due, double worker_cpu) {
  RunBuilder builder = machine(worker_cpu, 0.3, 1.0);
  builder.asked(due * 3).load([=](std::int64_t) {
    LoadSecond load;  // 1,100 are completed
    load.due = due;
    load.worker_cpu_ratio = worker_cpu;
    load.set_latency = load.get_latency = microseconds{1'700};
    return load;
  });
  return builder;
}

TEST(JudgeLimiter, IsTheRateWhereAnOpenLoopAchievedWhatItWasAskedFor) {
  const Summary summary = summarize(open_loop(1'105, 0.9).build());
  EXPECT_EQ(summary.limiter.limiter, Limiter::kRate);
  EXPECT_EQ(summary.limiter.evidence,
            "3.31 k/s were asked for and 3.30 k/s completed, while the engine's main thread used "
            "30 % of one CPU: nothing held the load back but its rate.");
}

TEST(JudgeLimiter, IsWhatHeldAnOpenLoopBackWhereItAchievedLess) {
  EXPECT_EQ(summarize(open_loop(1'300, 0.9).build()).limiter.limiter, Limiter::kGenerator);
  EXPECT_EQ(summarize(open_loop(1'300, 0.3).build()).limiter.limiter, Limiter::kConcurrency);
}

// 3,300 requests a second of 1.7 ms keep 5.61 of the 6 slots busy.
TEST(JudgeLimiter, NamesTheFirstLimitThatHolds) {
  const struct {
    const char* name;
    double worker_cpu, engine_cpu, host_cpus;
    Nanos latency;
    Limiter expected;
    const char* evidence;
  } cases[] = {
      {"a full worker", 0.85, 0.40, 1.2, microseconds{1'700}, Limiter::kGenerator,
       "85 % of one CPU"},
      {"a full worker beside a full engine on a full machine", 0.97, 0.97, 2.0, microseconds{1'700},
       Limiter::kGenerator, "97 %"},
      {"a worker just below", 0.849, 0.40, 1.2, microseconds{1'700}, Limiter::kConcurrency,
       "6 slots"},
      {"a full engine", 0.30, 0.90, 1.5, microseconds{1'700}, Limiter::kEngine, "90 % of one CPU"},
      {"a full engine on a full machine", 0.35, 0.93, 1.98, microseconds{1'700}, Limiter::kEngine,
       "93 %"},
      {"three workers and an engine on two CPUs", 0.40, 0.70, 1.96, microseconds{1'700},
       Limiter::kHost, "2 CPUs that were 98 % busy"},
      {"slots full, nothing else", 0.30, 0.40, 1.3, microseconds{1'700}, Limiter::kConcurrency,
       "more connections or workers"},
      {"slots not full", 0.30, 0.40, 1.3, microseconds{100}, Limiter::kUnclear, "0.3 of 6 slots"},
  };
  for (const auto& one : cases) {
    const Summary summary =
        summarize(machine(one.worker_cpu, one.engine_cpu, one.host_cpus, one.latency).build());
    EXPECT_EQ(limiter_name(summary.limiter.limiter), limiter_name(one.expected)) << one.name;
    EXPECT_THAT(summary.limiter.evidence, HasSubstr(one.evidence)) << one.name;
  }
}

TEST(JudgeLimiter, NamesWhatOthersTookOfAFullHost) {
  EXPECT_THAT(summarize(machine(0.10, 0.40, 1.96).build()).limiter.evidence,
              HasSubstr("something else on this machine 126 % of one CPU, more than both"));
  EXPECT_THAT(summarize(machine(0.30, 0.50, 1.90).build()).limiter.evidence,
              HasSubstr("something else on this machine 50 % of one CPU."));
  EXPECT_THAT(summarize(machine(0.40, 0.70, 1.96).build()).limiter.evidence,
              ::testing::Not(HasSubstr("something else")));
}

TEST(JudgeLimiter, BlamesAStarvedWorkerOnTheGeneratorUnlessTheMachineIsFull) {
  const auto starve = [](record::Run& run) {
    run.worker_windows[1].loop_lag.record(std::chrono::milliseconds{10}, 3'500);  // 35 of 40 s
  };
  const Summary idle = summarize(machine(0.2, 0.3, 1.0).edit(starve).build());
  EXPECT_EQ(idle.limiter.limiter, Limiter::kGenerator);
  EXPECT_THAT(idle.limiter.evidence, HasSubstr("Worker 1 was away"));
  const Summary full = summarize(machine(0.2, 0.3, 1.9).edit(starve).build());
  EXPECT_EQ(full.limiter.limiter, Limiter::kHost);
}

TEST(JudgeLimiter, DoesNotBlameTheHostForARemoteEngine) {
  const auto remote = [](record::Run& run) {
    run.header.scenario.target.kind = scenario::TargetKind::kEndpoint;
    run.header.scenario.target.host = "cache.example.com";
  };
  const Summary summary = summarize(machine(0.4, 0.7, 1.96).edit(remote).build());
  EXPECT_EQ(summary.limiter.limiter, Limiter::kConcurrency);
  const auto loopback = [](record::Run& run) {
    run.header.scenario.target.kind = scenario::TargetKind::kEndpoint;
    run.header.scenario.target.host = "127.0.0.1";
  };
  EXPECT_EQ(summarize(machine(0.4, 0.7, 1.96).edit(loopback).build()).limiter.limiter,
            Limiter::kHost);
}

TEST(JudgeLimiter, IsMemoryWhenManyRepliesAreRefusals) {
  const auto reject = [](record::Run& run) {
    for (auto& interval : run.intervals) {
      auto& set = interval.counts[0];
      set.outcomes[static_cast<std::size_t>(record::Outcome::kRejected)] =
          std::exchange(set.outcomes[static_cast<std::size_t>(record::Outcome::kOk)], 0U);
    }
  };
  const Summary summary = summarize(machine(0.3, 0.4, 1.2).edit(reject).build());
  EXPECT_EQ(summary.limiter.limiter, Limiter::kMemory);
  EXPECT_THAT(summary.limiter.evidence, HasSubstr("9.1 %"));
}

TEST(JudgeLimiter, MakesNoClaimWhenACheckLacksItsSamples) {
  const Summary blind = summarize(machine(0.3, 0.4, 1.2).without_telemetry().build());
  EXPECT_EQ(blind.limiter.limiter, Limiter::kUnclear);
  EXPECT_THAT(blind.limiter.evidence, HasSubstr("engine's CPU is not known"));

  const Summary process_only =
      summarize(machine(0.3, 0.95, 1.5).without("used_cpu_user_main_thread_seconds").build());
  EXPECT_EQ(process_only.limiter.limiter, Limiter::kUnclear);
  EXPECT_THAT(process_only.limiter.evidence, HasSubstr("main thread"));

  const Summary host_unknown =
      summarize(machine(0.3, 0.4, 1.2).without("host_cpu_busy_seconds").build());
  EXPECT_EQ(host_unknown.limiter.limiter, Limiter::kUnclear);
  EXPECT_THAT(host_unknown.limiter.evidence, HasSubstr("how busy it was"));

  const Summary idle_process =
      summarize(machine(0.3, 0.4, 1.2).without("used_cpu_user_main_thread_seconds").build());
  EXPECT_EQ(idle_process.limiter.limiter, Limiter::kConcurrency)
      << "a process below the limit has a main thread below it";
}

TEST(JudgeLimiter, ClaimsNothingThatAnEarlierCheckDidNotExclude) {
  // An endpoint on this machine that died: its samples end early, the machine's do not.
  const auto dead_engine = [](RunBuilder builder) {
    for (const char* name :
         {"used_cpu_user_seconds", "used_cpu_sys_seconds", "used_cpu_user_main_thread_seconds",
          "used_cpu_sys_main_thread_seconds"})
      builder.without(name);
    return builder;
  };
  const Summary full = summarize(dead_engine(machine(0.4, 0.7, 1.98)).build());
  EXPECT_EQ(full.limiter.limiter, Limiter::kUnclear);
  EXPECT_EQ(full.limiter.evidence,
            "Engine and generator share 2 CPUs that were 99 % busy, 3 workers together 120 % of "
            "one CPU, but the engine's CPU is not known (used_cpu_user_seconds was not sampled).");
  const Summary idle = summarize(dead_engine(machine(0.3, 0.4, 1.3, microseconds{100})).build());
  EXPECT_EQ(idle.limiter.limiter, Limiter::kUnclear);
  EXPECT_THAT(idle.limiter.evidence, HasSubstr("and the engine's CPU is not known"))
      << "not that nothing was at its limit";
  EXPECT_EQ(summarize(dead_engine(machine(0.9, 0.4, 1.3)).build()).limiter.limiter,
            Limiter::kGenerator)
      << "nothing comes before it";

  const Summary killed = summarize(machine(0.3, 0.4, 1.3).killed_after(20).build());
  EXPECT_EQ(killed.limiter.limiter, Limiter::kUnclear);
  EXPECT_THAT(killed.limiter.evidence, HasSubstr("kept from their sockets is not known"));
}

// A burstable node of one vCPU whose engine wants a whole one; its credits are gone at `gone`.
RunBuilder burstable(double gone, double baseline = 0.2) {
  const auto cpu = [=](double t) {
    return std::clamp(t, 0.0, gone) * 0.95 + baseline * std::max(0.0, t - gone);
  };
  RunBuilder builder = machine(0.30, 0, 1.2);
  builder.metric("used_cpu_user_main_thread_seconds", cpu)
      .metric("used_cpu_sys_main_thread_seconds", rate(0))
      .metric("used_cpu_user_seconds", cpu)
      .metric("used_cpu_sys_seconds", rate(0))
      .metric("node_cpu_seconds", cpu)
      .metric("node_cpu_quota_ratio", [=](double t) { return t < gone ? 1.0 : baseline; })
      .metric("node_cpu_periods", rate(50))
      .metric("node_throttled_periods", [=](double t) { return 49 * std::max(0.0, t - gone); })
      .metric("node_throttled_seconds", [=](double t) { return 0.8 * std::max(0.0, t - gone); })
      .metric("CPUCreditBalance",
              [=](double t) { return std::max(0.0, (gone - std::max(0.0, t)) * 0.75 / 60); })
      .metric("CPUCreditUsage", [=](double t) { return cpu(t) / 60; })
      .edit([](record::Run& run) {
        run.header.scenario.target.vcpus = 1;
        run.facts["node.cpu"] = "held to 1 vCPU by cgroup version 2";
      });
  return builder;
}

TEST(JudgeLimiter, IsTheNodeWhileItsQuotaHoldsIt) {
  const Summary held = summarize(burstable(0).build());
  EXPECT_EQ(held.limiter.limiter, Limiter::kNode) << held.limiter.evidence;
  EXPECT_EQ(held.limiter.evidence,
            "The node's CPU quota held it for 100 % of the time: it may use 0.2 vCPUs, all that it "
            "has without CPU credits.");
  EXPECT_TRUE(held.limiter.parts.empty());
  ASSERT_TRUE(held.node && held.node->cpu_ratio && held.node->credits_last);
  EXPECT_NEAR(*held.node->cpu_ratio, 0.2, 1e-6);
  EXPECT_EQ(*held.node->credits_last, 0);

  // A full CPU that was never throttled is the engine's own limit.
  EXPECT_EQ(summarize(burstable(1'000).build()).limiter.limiter, Limiter::kEngine);
}

TEST(JudgeLimiter, TellsWhenTheCreditsWereGoneAndJudgesBothParts) {
  const Summary late = summarize(burstable(25.5).build());
  EXPECT_EQ(late.limiter.limiter, Limiter::kEngine) << "25 of 40 s";
  EXPECT_THAT(late.limiter.evidence,
              HasSubstr("CPU credits were gone from 26.0 s on. 0.0 s to 24.0 s engine: The "
                        "engine's main thread used 95 % of one CPU. 26.0 s to 40.0 s node: The "
                        "node's CPU quota held it for 100 % of the time"));
  ASSERT_EQ(late.limiter.parts.size(), 2U);
  EXPECT_EQ(late.limiter.parts[0].limiter, Limiter::kEngine);
  EXPECT_EQ(late.limiter.parts[1].limiter, Limiter::kNode);

  const Summary early = summarize(burstable(5.5).build());
  EXPECT_EQ(early.limiter.limiter, Limiter::kNode);
}

TEST(JudgeLimiter, ANodeWhoseQuotaWasNotSampledExcludesNothing) {
  const Summary blind = summarize(burstable(0).without("node_cpu_quota_ratio").build());
  EXPECT_EQ(blind.limiter.limiter, Limiter::kUnclear);
  EXPECT_THAT(blind.limiter.evidence, HasSubstr("how much of its CPU quota"));
}

TEST(JudgeLimiter, OfNothingMeasuredIsUnclear) {
  EXPECT_EQ(summarize(record::Run{}).limiter.limiter, Limiter::kUnclear);
}

}  // namespace
}  // namespace headroom::analysis
