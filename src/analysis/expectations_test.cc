#include "analysis/expectations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "analysis/expected_value.h"
#include "analysis/summary.h"
#include "tests/support/run_builder.h"
#include "tests/support/sample_runs.h"

namespace headroom::analysis {
namespace {

using headroom::testing::RunBuilder;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<scenario::Expectation> expect(const std::vector<std::string>& conditions) {
  auto expectations = scenario::read_expectations("--expect", conditions);
  EXPECT_TRUE(expectations) << expectations.error().message;
  return expectations.value_or(std::vector<scenario::Expectation>{});
}

ExpectationResult check_one(const std::string& condition, const record::Run& run) {
  const auto results = check_expectations(expect({condition}), summarize(run));
  EXPECT_EQ(results.size(), 1U);
  return results.at(0);
}

TEST(Expectations, AreThoseOfTheScenarioInTheSummary) {
  const Summary summary = summarize(RunBuilder()
                                        .edit([](record::Run& run) {
                                          run.header.scenario.expect =
                                              expect({"latency.p99 < 1ms", "throughput > 1M/s"});
                                        })
                                        .build());
  ASSERT_EQ(summary.expectations.size(), 2U);
  EXPECT_TRUE(summary.expectations[0].met);
  EXPECT_EQ(summary.expectations[0].line(), "latency.p99 < 1ms: it is 120 us (measure, 40.0 s)");
  EXPECT_FALSE(summary.expectations[1].met);
  EXPECT_EQ(summary.expectations[1].line(), "throughput > 1M/s: it is 3,300 /s (measure, 40.0 s)");
  EXPECT_FALSE(all_met(summary.expectations));
}

TEST(Expectations, AreAboutOperationsAndOutcomes) {
  const record::Run run = RunBuilder().build();  // SET 120 us, GET 100 us; of 1,000 GETs 100 miss
  EXPECT_TRUE(check_one("GET.latency.p99 < 110us", run).met);
  EXPECT_TRUE(check_one("GET.hit.latency.p50 < 110us", run).met);
  EXPECT_TRUE(check_one("SET.latency.p50 > 110us", run).met);  // only ok: there is no other row
  EXPECT_TRUE(check_one("SET.ok.latency.p50 > 110us", run).met);
  EXPECT_EQ(check_one("GET.miss.count == 12000", run).value, 12'000);
  EXPECT_TRUE(check_one("GET.miss.count == 12000", run).met);
  EXPECT_EQ(check_one("GET.miss.ratio < 1%", run).value, 0.1);
  EXPECT_FALSE(check_one("GET.miss.ratio < 1%", run).met);
  EXPECT_EQ(check_one("failed.count == 0", run).value, 0);
  EXPECT_TRUE(check_one("timeout.ratio == 0%", run).met);
}

TEST(Expectations, AreAboutWindows) {
  const record::Run run = headroom::testing::boundary_run().build();
  EXPECT_TRUE(check_one("before_first_eviction.evictions == 0", run).met);
  EXPECT_FALSE(check_one("after_first_eviction.evictions == 0", run).met);
  EXPECT_TRUE(check_one("before_first_eviction.latency.p99 < 100us", run).met);
  EXPECT_FALSE(check_one("after_first_eviction.latency.p99 < 100us", run).met);
  EXPECT_THAT(check_one("after_first_eviction.latency.p99 < 100us", run).line(),
              HasSubstr("(after first eviction, "));
  EXPECT_TRUE(check_one("memory.first_eviction > 15s", run).met);
  EXPECT_TRUE(check_one("stable_segment.throughput > 1", run).met);
}

TEST(Expectations, OfWhatIsNotAvailableAreNotMetAndSayWhy) {
  const record::Run run = RunBuilder().without("Evictions").build();
  const ExpectationResult evictions = check_one("evictions == 0", run);
  EXPECT_FALSE(evictions.met);
  EXPECT_FALSE(evictions.value);
  EXPECT_THAT(evictions.line(), HasSubstr("evictions == 0: n/a, "));
  EXPECT_THAT(check_one("throughput_cv_per_minute < 5%", run).why,
              HasSubstr("needs 3 full minutes"));
  EXPECT_THAT(check_one("before_first_eviction.throughput > 1", run).why,
              HasSubstr("evictions did not begin"));
  EXPECT_THAT(check_one("GET.error.latency.p99 < 1s", run).why, HasSubstr("no such request"));
  EXPECT_THAT(check_one("node.held < 1%", run).why, HasSubstr("no CPU quota"));
  EXPECT_THAT(check_one("memory.first_eviction > 1s", RunBuilder().build()).why,
              HasSubstr("nothing was evicted"));
}

TEST(Expectations, AreNotMetByARunThatDidNotComplete) {
  const record::Run run = RunBuilder().killed_after(9).build();
  const ExpectationResult result = check_one("latency.p99 < 1s", run);
  EXPECT_TRUE(result.value);
  EXPECT_FALSE(result.met);
  EXPECT_THAT(result.line(), HasSubstr("but the run did not complete"));
  EXPECT_FALSE(check_one("throughput > 1", headroom::testing::failed_run().build()).met);
}

TEST(Expectations, ThatFailByAHairShowTheHair) {
  const record::Run run = RunBuilder()
                              .load([](std::int64_t) {
                                headroom::testing::LoadSecond load;
                                load.get_latency = std::chrono::nanoseconds{1'000'400};
                                load.set_latency = load.get_latency;
                                return load;
                              })
                              .build();
  const ExpectationResult result = check_one("latency.max <= 1ms", run);
  EXPECT_FALSE(result.met);
  EXPECT_THAT(result.line(), AllOf(HasSubstr("it is 1000400ns"), Not(HasSubstr("it is 1 ms"))));
}

// Whatever may be expected has a value in some run: none is a name without a figure.
TEST(Expectations, EveryFigureHasAValueInSomeRun) {
  std::set<std::string> found;
  const auto collect = [&](const record::Run& run) {
    Summary summary = summarize(run);
    summary.node = NodeCpu{"", 1, 0.5, 0.1, 0.1, 100, 50, 50};
    for (const FigureValue& value : figure_values(summary)) {
      std::string_view path = value.path;
      found.insert(std::string(scenario::find_expected_figure(path)->name));
    }
  };
  collect(headroom::testing::headroom_run().build());
  collect(headroom::testing::boundary_run().build());
  collect(headroom::testing::open_loop_run().build());
  for (const scenario::ExpectedFigure& figure : scenario::expected_figures())
    EXPECT_THAT(found, Contains(std::string(figure.name)));
}

TEST(FigureValues, HaveOperationsAndOutcomesThatOccurred) {
  const auto values = figure_values(summarize(RunBuilder().build()));
  const auto has = [&](const std::string& path) {
    return std::ranges::any_of(values, [&](const FigureValue& v) { return v.path == path; });
  };
  for (const char* path : {"throughput", "latency.p99", "GET.latency.p99", "GET.hit.latency.p99",
                           "GET.miss.ratio", "failed.count", "memory.headroom"})
    EXPECT_TRUE(has(path)) << path;
  EXPECT_FALSE(has("GET.error.count"));
  EXPECT_FALSE(has("response.p99"));
}

TEST(Outcomes, OfExpectationsAreThoseOfTheRecord) {
  std::set<std::string_view> known(scenario::expected_outcomes().begin(),
                                   scenario::expected_outcomes().end());
  EXPECT_EQ(known.erase(scenario::kFailedOutcome), 1U);
  for (const record::Outcome outcome : record::kOutcomes)
    EXPECT_EQ(known.erase(outcome_name(outcome)), 1U) << outcome_name(outcome);
  EXPECT_TRUE(known.empty());
}

}  // namespace
}  // namespace headroom::analysis
