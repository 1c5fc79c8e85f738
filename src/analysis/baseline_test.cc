#include "analysis/baseline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/random.h"
#include "tests/support/normal.h"

namespace headroom::analysis {
namespace {

using ::testing::HasSubstr;

// Runs of these throughputs, the others' between them in time unless `ordered`.
Arm arm_of(const std::string& name, const std::vector<double>& throughputs, bool second,
           bool ordered = false) {
  Arm arm;
  arm.name = name;
  int number = ordered && second ? 1'000 : 0;
  for (const double throughput : throughputs) {
    ObservedRun run;
    run.name = name + std::to_string(number);
    run.started = WallTime{std::chrono::hours{2 * number + (second ? 1 : 0)}};
    run.figures[Figure::kThroughput] = throughput;
    run.figures[Figure::kLatencyP99] = 1e9 / throughput;
    arm.runs.push_back(std::move(run));
    ++number;
  }
  return arm;
}

AgainstBaseline throughput_of(const std::vector<double>& before, const std::vector<double>& now,
                              double margin = 0, bool ordered = false) {
  const auto figures = against_baseline(arm_of("a", before, false, ordered),
                                        arm_of("b", now, true, ordered), margin, {});
  const auto found = std::ranges::find(figures, Figure::kThroughput, &AgainstBaseline::figure);
  EXPECT_NE(found, figures.end());
  return *found;
}

const std::vector<double> kBefore = {100, 101, 102, 103, 104};

TEST(AgainstBaseline, FindsWhatGotWorse) {
  const AgainstBaseline figure = throughput_of(kBefore, {90, 91, 92, 93, 94});
  EXPECT_EQ(figure.verdict, Against::kRegressed);
  EXPECT_EQ(figure.line(),
            "throughput is 9.8 % lower: 102 /s, now 92 /s; p 0.0079, adjusted 0.016");
  EXPECT_NEAR(figure.change.value(), 92.0 / 102 - 1, 1e-12);
}

TEST(AgainstBaseline, IsNoRegressionWhenItGotBetter) {
  EXPECT_EQ(throughput_of(kBefore, {110, 111, 112, 113, 114}).verdict, Against::kHeld);
}

TEST(AgainstBaseline, LetsTheMarginPass) {
  const std::vector<double> slower = {96, 97, 98, 99, 99.5};
  EXPECT_EQ(throughput_of(kBefore, slower).verdict, Against::kRegressed);
  // Worse by 4 %, shown to be by less than 10 %.
  EXPECT_EQ(throughput_of(kBefore, slower, 0.10).verdict, Against::kHeld);
  // By less than 4 %? That lies within the scatter.
  EXPECT_EQ(throughput_of(kBefore, slower, 0.04).verdict, Against::kCannotTell);
  EXPECT_EQ(throughput_of(kBefore, {80, 81, 82, 83, 84}, 0.10).verdict, Against::kRegressed);
}

TEST(AgainstBaseline, LatencyIsWorseWhenItIsHigher) {
  const auto figures =
      against_baseline(arm_of("a", kBefore, false), arm_of("b", {90, 91, 92, 93, 94}, true), 0, {});
  const auto p99 = std::ranges::find(figures, Figure::kLatencyP99, &AgainstBaseline::figure);
  ASSERT_NE(p99, figures.end());
  EXPECT_EQ(p99->verdict, Against::kRegressed);
  EXPECT_THAT(p99->line(), HasSubstr("p99 latency is 10.9 % higher"));
  EXPECT_TRUE(any_regressed(figures));
}

TEST(AgainstBaseline, SaysWhatHoldsItBack) {
  const AgainstBaseline noise = throughput_of(kBefore, {99, 101, 102, 103, 105});
  EXPECT_EQ(noise.verdict, Against::kCannotTell);
  EXPECT_THAT(noise.line(), HasSubstr("within what the runs scatter"));
  const AgainstBaseline one = throughput_of(kBefore, {50});
  EXPECT_EQ(one.verdict, Against::kCannotTell);
  EXPECT_THAT(one.line(), HasSubstr("1 run against 5 can settle nothing, however far apart"));
  // All of the baseline ran before: a difference within three times the scatter may be drift.
  const AgainstBaseline drift = throughput_of(kBefore, {90, 91, 92, 93, 94}, 0, true);
  EXPECT_EQ(drift.verdict, Against::kCannotTell);
  EXPECT_THAT(drift.line(), HasSubstr("may have drifted"));
  EXPECT_EQ(throughput_of(kBefore, {70, 71, 72, 73, 74}, 0, true).verdict, Against::kRegressed);
}

// The gate's promise: where nothing changed, it seldom fails. Two-sided 5 % over two figures that
// move together leave at most 2.5 % on the side of the worse.
TEST(AgainstBaselineSimulation, SeldomFailsOnNoise) {
  Random random(20'261'201);
  constexpr int kTrials = 2'000;
  int failed = 0;
  int failed_by_margin = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> before(5);
    std::vector<double> now(5);
    for (double& value : before) value = 100 * (1 + 0.02 * headroom::testing::normal(random));
    for (double& value : now) value = 100 * (1 + 0.02 * headroom::testing::normal(random));
    ContrastOptions options;
    options.estimates = false;
    const Arm old_runs = arm_of("a", before, false);
    failed += any_regressed(against_baseline(old_runs, arm_of("b", now, true), 0, options));
    // Worse by just the margin: still no more than its level.
    for (double& value : now) value *= 0.95;
    failed_by_margin +=
        any_regressed(against_baseline(old_runs, arm_of("b", now, true), 0.05, options));
  }
  EXPECT_LE(failed, kTrials * 0.035);
  EXPECT_LE(failed_by_margin, kTrials * 0.045);
}

}  // namespace
}  // namespace headroom::analysis
