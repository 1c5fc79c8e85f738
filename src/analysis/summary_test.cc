// Whole runs whose truth is known.
#include "analysis/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/run_builder.h"

namespace headroom::analysis {
namespace {

using headroom::testing::LoadSecond;
using headroom::testing::RunBuilder;
using std::chrono::microseconds;
using std::chrono::milliseconds;

TEST(Summarize, FindsTheTruthOfARunThatReachesItsLimitAtSecond20) {
  // Memory fills until second 20; from then on GETs take 300 us instead of 100 us and half as many
  // are served.
  const auto run = RunBuilder()
                       .measure(60)
                       .load([](std::int64_t second) {
                         LoadSecond load;
                         if (second < 20) return load;
                         load.hits = 450;
                         load.misses = 50;
                         load.get_latency = microseconds{300};
                         return load;
                       })
                       .metric("BytesUsedForCache",
                               [](double t) {
                                 const double filled = std::clamp(t / 20, 0.0, 1.0);
                                 return 2e6 + filled * (67'108'864 - 2e6);
                               })
                       .metric("Evictions", [](double t) { return t < 20 ? 0 : 1'000 * (t - 20); })
                       .build();
  const Summary summary = summarize(run);
  EXPECT_TRUE(summary.complete);
  EXPECT_EQ(summary.measure.completed, 3U * (20U * 1'100U + 40U * 600U));
  EXPECT_EQ(summary.regime.regime, Regime::kBoundary);
  EXPECT_EQ(summary.first_eviction, Nanos{milliseconds{20'500}});
  EXPECT_NEAR(summary.headroom_ratio.value(), 0, 1e-12);
  EXPECT_EQ(summary.measure.evictions, 40'000);
  EXPECT_DOUBLE_EQ(summary.before_eviction->throughput_per_s.value(), 3'300);
  EXPECT_DOUBLE_EQ(summary.after_eviction->throughput_per_s.value(), 1'800);
  const auto p50_ns = [](const std::optional<WindowSummary>& window) {
    return static_cast<double>(window->latencies.at(0).p50.value().count());
  };
  EXPECT_NEAR(p50_ns(summary.before_eviction), 100'000, 100);  // the histogram's 0.1 %
  EXPECT_NEAR(p50_ns(summary.after_eviction), 300'000, 300);
  ASSERT_TRUE(summary.stable);
  EXPECT_EQ(summary.stable->segments, 2U);
  EXPECT_EQ(summary.stable->summary.window.seconds(), 40);
}

TEST(Summarize, ReportsTheCommittedSecondsOfAKilledRun) {
  const Summary summary = summarize(RunBuilder().warmup(5).measure(40).killed_after(17).build());
  EXPECT_FALSE(summary.complete);
  EXPECT_EQ(summary.measure.window.seconds(), 12);
  EXPECT_EQ(summary.measure.completed, 12U * 3'300U);
  EXPECT_EQ(summary.regime.regime, Regime::kHeadroom);
  EXPECT_FALSE(summary.workers.at(0).loop_lag_p99) << "histograms are written when a phase ends";
  EXPECT_TRUE(summary.workers.at(0).cpu_ratio);
}

TEST(Summarize, GivesAReasonForEveryNumberOfAnEmptyRun) {
  const Summary summary = summarize(record::Run{});
  EXPECT_FALSE(summary.measure.throughput_per_s);
  EXPECT_FALSE(summary.regime.regime);
  for (const char* name : {"measure",
                           "measure.throughput_per_s",
                           "measure.throughput_cv_per_minute",
                           "measure.throughput_cv_per_second",
                           "measure.peak_throughput_per_minute",
                           "measure.peak_throughput_per_second",
                           "measure.hit_ratio_client",
                           "measure.hit_ratio_engine",
                           "measure.memory_used_max_ratio",
                           "measure.evictions",
                           "measure.expired",
                           "measure.engine_cpu_main_thread",
                           "measure.engine_cpu_process",
                           "measure.concurrency",
                           "headroom_ratio",
                           "first_eviction",
                           "peak_keys",
                           "bytes_per_key",
                           "maxmemory_bytes",
                           "fragmentation_ratio",
                           "rss_max_bytes",
                           "swap_max_bytes",
                           "worker_skew_ratio",
                           "in_flight_at_end",
                           "host_cpu_busy_ratio",
                           "stable_segment",
                           "generator",
                           "conservation.engine_agrees"}) {
    EXPECT_TRUE(summary.not_available.contains(name)) << name;
    EXPECT_FALSE(summary.not_available.contains(name) && summary.not_available.at(name).empty());
  }
}

TEST(Summarize, CountsConfiguredSlots) {
  const auto run = RunBuilder()
                       .workers(9)
                       .edit([](record::Run& made) { made.header.scenario.load.pipeline = 16; })
                       .build();
  EXPECT_EQ(summarize(run).configured_slots, 9U * 2U * 16U);
}

TEST(Summarize, MeasuresHowUnequalTheWorkersWere) {
  const auto run = RunBuilder()
                       .workers(2)
                       .edit([](record::Run& made) {
                         for (auto& counts : made.workers) {
                           if (counts.worker == 1) counts.counts[1].outcomes[0] = 1'120;  // hits
                         }
                       })
                       .build();
  const Summary summary = summarize(run);  // 1,100 and 1,320 a second
  EXPECT_DOUBLE_EQ(summary.worker_skew_ratio.value(), 220.0 / 1'210.0);
}

TEST(Names, OfVerdictsAreTheWordsOfTheManual) {
  EXPECT_EQ(regime_name(Regime::kHeadroom), "headroom");
  EXPECT_EQ(regime_name(Regime::kRejecting), "rejecting");
  EXPECT_EQ(limiter_name(Limiter::kGenerator), "generator");
  EXPECT_EQ(limiter_name(Limiter::kUnclear), "unclear");
}

}  // namespace
}  // namespace headroom::analysis
