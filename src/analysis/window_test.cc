#include "analysis/window.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/run_builder.h"

namespace headroom::analysis {
namespace {

using headroom::testing::LoadSecond;
using headroom::testing::RunBuilder;
using record::Outcome;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

WindowSummary measured(const record::Run& run, Reasons& reasons) {
  return summarize_window(run, measure_window(run).value(), reasons, "measure");
}

TEST(MeasureWindow, IsThePhaseOfACompleteRun) {
  const record::Run run = RunBuilder().warmup(5).measure(40).build();
  const Window window = measure_window(run).value();
  EXPECT_EQ(window.begin, RunBuilder::kLoadBegin + seconds{5});
  EXPECT_EQ(window.seconds(), 40);
}

TEST(MeasureWindow, OfAKilledRunEndsWithTheLastSecondOfAllWorkers) {
  record::Run run = RunBuilder().measure(40).killed_after(10).build();
  EXPECT_EQ(measure_window(run).value().seconds(), 10);
  run.intervals.back().workers = 2;  // one of three was not committed
  EXPECT_EQ(measure_window(run).value().seconds(), 9);
}

TEST(MeasureWindow, IsUnknownWhenNothingWasMeasured) {
  const record::Run warming = RunBuilder().warmup(5).killed_after(3).build();
  EXPECT_THAT(measure_window(warming).error(), HasSubstr("before measuring"));
  const record::Run instant = RunBuilder().killed_after(0).build();
  EXPECT_FALSE(measure_window(instant));
  EXPECT_FALSE(measure_window(record::Run{}));
}

TEST(SummarizeWindow, CountsOnlyTheMeasurePhase) {
  const record::Run run = RunBuilder()
                              .warmup(5)
                              .measure(40)
                              .load([](std::int64_t second) {
                                LoadSecond load;
                                if (second < 5) load.hits = 9'000;  // a louder warm-up
                                return load;
                              })
                              .build();
  Reasons reasons;
  const WindowSummary summary = measured(run, reasons);
  EXPECT_EQ(summary.completed, 3U * 1'100U * 40U);
  EXPECT_DOUBLE_EQ(*summary.throughput_per_s, 3'300);
  EXPECT_EQ(summary.outcomes.at("GET").at(Outcome::kHit), 3U * 900U * 40U);
  EXPECT_EQ(summary.outcomes.at("GET").at(Outcome::kLost), 0U);
  EXPECT_DOUBLE_EQ(*summary.hit_ratio_client, 0.9);
  EXPECT_NEAR(*summary.hit_ratio_engine, 0.9, 1e-9);
}

TEST(SummarizeWindow, HasAPerMinuteSpreadOnlyFromThreeFullMinutes) {
  Reasons reasons;
  const WindowSummary forty = measured(RunBuilder().measure(40).build(), reasons);
  EXPECT_FALSE(forty.throughput_cv_per_minute);
  EXPECT_FALSE(forty.peak_throughput_per_minute);
  EXPECT_TRUE(forty.throughput_cv_per_second);
  EXPECT_THAT(reasons.at("measure.throughput_cv_per_minute"), HasSubstr("3 full minutes"));
  EXPECT_THAT(reasons.at("measure.peak_throughput_per_minute"), HasSubstr("no full minute"));

  reasons.clear();
  const WindowSummary two = measured(RunBuilder().measure(179).build(), reasons);
  EXPECT_FALSE(two.throughput_cv_per_minute);
  EXPECT_TRUE(two.peak_throughput_per_minute);

  // Minutes of 3,000, 3,300 and 3,600 a second: mean 3,300, deviation 300 with n - 1.
  reasons.clear();
  const WindowSummary three =
      measured(RunBuilder()
                   .measure(180)
                   .load([](std::int64_t second) {
                     LoadSecond load;
                     load.hits = 800 + 100 * static_cast<std::uint64_t>(second / 60);
                     return load;
                   })
                   .build(),
               reasons);
  EXPECT_NEAR(three.throughput_cv_per_minute.value(), 300.0 / 3'300.0, 1e-12);
  EXPECT_DOUBLE_EQ(three.peak_throughput_per_minute.value(), 3'600);
  EXPECT_DOUBLE_EQ(three.peak_throughput_per_second.value(), 3'600);
  EXPECT_FALSE(reasons.contains("measure.throughput_cv_per_minute"));
}

TEST(SummarizeWindow, LeavesACutLastSecondOutOfPeaksAndSpreads) {
  record::Run run = RunBuilder().measure(10).build();
  auto& last = run.intervals.back().interval;  // same counts in a tenth of the time
  last.end = last.begin + milliseconds{100};
  run.phases.back().end.reset();
  for (record::PhaseSpan& span : run.phases) {
    if (span.phase == record::Phase::kMeasure) span.end = last.end;
  }
  Reasons reasons;
  const WindowSummary summary = measured(run, reasons);
  EXPECT_DOUBLE_EQ(summary.peak_throughput_per_second.value(), 3'300);
  EXPECT_DOUBLE_EQ(summary.throughput_per_s.value(), 33'000 / 9.1);
}

TEST(SummarizeWindow, TakesConcurrencyFromLittlesLaw) {
  Reasons reasons;
  const WindowSummary summary = measured(RunBuilder().build(), reasons);
  const double mean_latency = (100 * 120e-6 + 1'000 * 100e-6) / 1'100;
  EXPECT_NEAR(summary.concurrency.value(), 3'300 * mean_latency, 0.001);
}

TEST(SummarizeWindow, WithoutReadsHasNoHitRatio) {
  Reasons reasons;
  const record::Run run = RunBuilder()
                              .load([](std::int64_t) {
                                LoadSecond load;
                                load.hits = load.misses = 0;
                                return load;
                              })
                              .metric("CacheHits", [](double) { return 7.0; })
                              .metric("CacheMisses", [](double) { return 3.0; })
                              .build();
  const WindowSummary summary = measured(run, reasons);
  EXPECT_FALSE(summary.hit_ratio_client);
  EXPECT_FALSE(summary.hit_ratio_engine);
  EXPECT_EQ(reasons.at("measure.hit_ratio_client"), "no read was answered");
  EXPECT_EQ(reasons.at("measure.hit_ratio_engine"), "the engine looked up no key");
}

TEST(SummarizeWindow, OfHitsAloneIsOneNotNothing) {
  Reasons reasons;
  const record::Run run = RunBuilder()
                              .load([](std::int64_t) {
                                LoadSecond load;
                                load.misses = 0;
                                return load;
                              })
                              .build();
  EXPECT_EQ(measured(run, reasons).hit_ratio_client, 1.0);
}

TEST(SummarizeWindow, WithNothingCompletedHasNoSpreadAndSaysWhy) {
  Reasons reasons;
  const record::Run run = RunBuilder()
                              .load([](std::int64_t) {
                                LoadSecond load;
                                load.sets = load.hits = load.misses = 0;
                                return load;
                              })
                              .build();
  const WindowSummary summary = measured(run, reasons);
  EXPECT_EQ(summary.throughput_per_s, 0);
  EXPECT_FALSE(summary.throughput_cv_per_second);
  EXPECT_EQ(reasons.at("measure.throughput_cv_per_second"), "nothing was completed");
  EXPECT_FALSE(summary.concurrency);
}

TEST(SummarizeWindow, TakesProcessCpuFromTheKernelWhenTheEngineDoesNotTell) {
  Reasons reasons;
  const record::Run run =
      RunBuilder()
          .without("used_cpu_user_seconds")
          .without("used_cpu_user_main_thread_seconds")
          .metric("process_cpu_user_seconds", [](double t) { return t * 0.5; })
          .metric("process_cpu_system_seconds", [](double t) { return t * 0.1; })
          .build();
  const WindowSummary summary = measured(run, reasons);
  EXPECT_NEAR(summary.engine_cpu_process.value(), 0.6, 1e-9);
  EXPECT_FALSE(summary.engine_cpu_main_thread);
  EXPECT_THAT(reasons.at("measure.engine_cpu_main_thread"), HasSubstr("not sampled"));
}

TEST(SummarizeWindow, MeasuresCpuBetweenTheSamplesItUsed) {
  // Samples 100 ms off the edges must not make CPU time of 40.2 s count for 40 s.
  Reasons reasons;
  const record::Run run = RunBuilder()
                              .edit([](record::Run& made) {
                                for (auto& series : made.metrics) {
                                  std::erase_if(series.points, [](const record::Point& point) {
                                    return point.time.count() % 1'000'000'000 != 500'000'000;
                                  });
                                }
                              })
                              .build();
  EXPECT_NEAR(measured(run, reasons).engine_cpu_main_thread.value(), 0.40, 0.006);
}

TEST(ThroughputByMinute, StopsAtAMissingSecond) {
  record::Run run = RunBuilder().measure(120).build();
  run.intervals.erase(run.intervals.begin() + 70);
  EXPECT_EQ(throughput_by_minute(run.intervals).size(), 1U);
}

}  // namespace
}  // namespace headroom::analysis
