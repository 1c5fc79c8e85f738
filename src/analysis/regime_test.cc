#include "analysis/regime.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/memory.h"
#include "analysis/window.h"
#include "tests/support/run_builder.h"

namespace headroom::analysis {
namespace {

using headroom::testing::RunBuilder;
using record::Outcome;
using std::chrono::seconds;
using ::testing::HasSubstr;

std::function<double(double)> from(double start, double per_second) {
  return [=](double t) { return t < start ? 0.0 : per_second * (t - start); };
}

std::function<double(double)> constant(double value) {
  return [value](double) { return value; };
}

record::Run rejecting(RunBuilder builder, std::uint64_t rejected) {
  return builder
      .edit([rejected](record::Run& run) {
        auto& counts = run.intervals[3].counts[0];
        counts.sent += rejected;
        counts.outcomes[static_cast<std::size_t>(Outcome::kRejected)] += rejected;
      })
      .build();
}

TEST(JudgeRegime, IsHeadroomWhenNothingWasEvictedAndMemoryIsLeft) {
  const Summary summary = summarize(
      RunBuilder()
          .edit([](record::Run& run) { run.facts["workload.keys"] = "12000"; })  // all written
          .build());
  EXPECT_EQ(summary.regime.regime, Regime::kHeadroom);
  EXPECT_THAT(summary.regime.evidence, HasSubstr("27.5 % of maxmemory"));
  EXPECT_NEAR(summary.headroom_ratio.value(), 1 - (2e6 + 411'450 * 40.0) / (64 << 20), 1e-9);
  EXPECT_FALSE(summary.first_eviction);
  EXPECT_EQ(summary.not_available.at("first_eviction"), "nothing was evicted in the window");
}

TEST(JudgeRegime, IsBoundaryWhenEvictionsBeganInside) {
  const record::Run run = RunBuilder().metric("Evictions", from(20, 100)).build();
  const Summary summary = summarize(run);
  EXPECT_EQ(summary.regime.regime, Regime::kBoundary);
  EXPECT_EQ(summary.first_eviction, Nanos{std::chrono::milliseconds{20'500}});
  EXPECT_THAT(summary.regime.evidence, HasSubstr("20.5 s into the window of 40.0 s"));

  // The second of the onset, 20 to 21, belongs to neither side.
  ASSERT_TRUE(summary.before_eviction && summary.after_eviction);
  EXPECT_EQ(summary.before_eviction->window.end, RunBuilder::kLoadBegin + seconds{19});
  EXPECT_EQ(summary.after_eviction->window.begin, RunBuilder::kLoadBegin + seconds{21});
  EXPECT_EQ(summary.before_eviction->evictions, 0);
  EXPECT_GT(summary.after_eviction->evictions.value(), 0);
}

TEST(JudgeRegime, IsSaturatedWhenTheFirstSampleAlreadyShowsEvictions) {
  const Summary summary =
      summarize(RunBuilder().warmup(5).metric("Evictions", from(1, 100)).build());
  EXPECT_EQ(summary.regime.regime, Regime::kSaturated);
  EXPECT_FALSE(summary.before_eviction);
}

TEST(JudgeRegime, IsSaturatedWhenFullAtTheBeginAfterEarlierEvictions) {
  // Two keys in warm-up, then again only at 9 s: one every few seconds from the start.
  const auto run =
      RunBuilder()
          .warmup(5)
          .metric("Evictions", [](double t) { return t < 1   ? 0.0
                                                     : t < 9 ? 2.0
                                                             : 9.0; })
          .metric("BytesUsedForCache", constant(66.9e6))
          .build();
  EXPECT_EQ(summarize(run).regime.regime, Regime::kSaturated);
}

TEST(JudgeRegime, IsBoundaryWhenEarlierEvictionsHadLeftRoom) {
  const auto run =
      RunBuilder()
          .warmup(5)
          .metric("Evictions", [](double t) { return t < 1   ? 0.0
                                                     : t < 9 ? 2.0
                                                             : 9.0; })
          .build();
  EXPECT_EQ(summarize(run).regime.regime, Regime::kBoundary);
}

TEST(JudgeRegime, IgnoresEvictionsFromBeforeTheRun) {
  const auto run = RunBuilder().metric("Evictions", constant(123'456)).build();
  EXPECT_EQ(summarize(run).regime.regime, Regime::kHeadroom);
}

TEST(JudgeRegime, IsRejectingOnOneOomReplyWhateverElse) {
  RunBuilder evicting;
  evicting.metric("Evictions", from(20, 100));
  EXPECT_EQ(summarize(rejecting(evicting, 1)).regime.regime, Regime::kRejecting);
  RunBuilder blind;
  blind.without_telemetry();
  const Summary summary = summarize(rejecting(blind, 1'320));
  EXPECT_EQ(summary.regime.regime, Regime::kRejecting);
  EXPECT_THAT(summary.regime.evidence, HasSubstr("1,320 requests"));
  EXPECT_THAT(summary.regime.evidence, HasSubstr("0.99 %"));
}

TEST(JudgeRegime, CannotTellWithoutSamplesOrLimitOrReason) {
  const struct {
    const char* name;
    record::Run run;
    const char* why;
  } cases[] = {
      {"no telemetry", RunBuilder().without_telemetry().build(), "Evictions was not sampled"},
      {"no maxmemory", RunBuilder().metric("maxmemory", constant(0)).build(), "no limit"},
      {"no memory", RunBuilder().without("BytesUsedForCache").build(), "BytesUsedForCache"},
      {"full, nothing evicted",
       RunBuilder().metric("BytesUsedForCache", constant(67'108'864)).build(), "reached 100 %"},
      {"restarted",
       RunBuilder()
           .warmup(1)
           .metric("Evictions", [](double t) { return t < 9 ? 50.0 : 0.0; })
           .build(),
       "went back"},
      {"nothing measured", record::Run{}, "nothing was measured"},
  };
  for (const auto& one : cases) {
    const Summary summary = summarize(one.run);
    EXPECT_FALSE(summary.regime.regime) << one.name;
    EXPECT_THAT(summary.regime.evidence, HasSubstr(one.why)) << one.name;
  }
}

TEST(BytesPerKey, IsTheGrowthOverTheEmptyEngineAtThePeakOfKeys) {
  const auto run =
      RunBuilder()
          .metric("CurrItems", [](double t) { return t <= 0   ? 0.0
                                                     : t < 20 ? 50'000.0
                                                              : 40'000.0; })
          .metric("BytesUsedForCache",
                  [](double t) { return t <= 0   ? 1e6
                                        : t < 20 ? 1e6 + 50'000 * 1371.5
                                                 : 9e9; })
          .build();
  const Summary summary = summarize(run);
  EXPECT_DOUBLE_EQ(summary.bytes_per_key.value(), 1371.5);
  EXPECT_EQ(summary.peak_keys, 50'000);
}

TEST(BytesPerKey, LeavesTheBuffersOfClientsOut) {
  const auto run = RunBuilder()
                       .metric("CurrItems", [](double t) { return t <= 0 ? 0.0 : 10'000.0; })
                       .metric("BytesUsedForCache",
                               [](double t) { return t <= 0 ? 1e6 : 1e6 + 10'000 * 200.0 + 26e6; })
                       .metric("mem_clients_normal", [](double t) { return t <= 0 ? 0.0 : 26e6; })
                       .build();
  EXPECT_DOUBLE_EQ(summarize(run).bytes_per_key.value(), 200);
}

TEST(BytesPerKey, IsUnknownForATargetNeverSeenEmptyOrWithFewKeys) {
  const Window window{"measure", RunBuilder::kLoadBegin, RunBuilder::kLoadBegin + seconds{40}};
  const auto used = RunBuilder().metric("CurrItems", constant(70'000)).build();
  EXPECT_THAT(bytes_per_key(used, window).error(), HasSubstr("never seen empty"));
  const auto few =
      RunBuilder().metric("CurrItems", [](double t) { return t <= 0 ? 0.0 : 999.0; }).build();
  EXPECT_THAT(bytes_per_key(few, window).error(), HasSubstr("at most 999 keys"));
}

}  // namespace
}  // namespace headroom::analysis
