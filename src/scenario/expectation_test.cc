#include "scenario/expectation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "scenario/expected_figure.h"
#include "scenario/parse.h"
#include "scenario/print.h"

namespace headroom::scenario {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Expectation parsed(std::string_view text) {
  auto expectation = parse_expectation(text);
  EXPECT_TRUE(expectation) << expectation.error().message;
  return expectation.value_or(Expectation{});
}

std::string refusal(std::string_view text) {
  const auto expectation = parse_expectation(text);
  EXPECT_FALSE(expectation) << text;
  return expectation ? "" : expectation.error().message;
}

TEST(Expectation, HasAWindowAnOperationAnOutcomeAndAFigure) {
  const Expectation plain = parsed("latency.p99 < 1ms");
  EXPECT_EQ(plain.window, ExpectedWindow::kMeasure);
  EXPECT_EQ(plain.operation, "");
  EXPECT_EQ(plain.outcome, "");
  EXPECT_EQ(plain.figure, "latency.p99");
  EXPECT_EQ(plain.comparison, Comparison::kBelow);
  EXPECT_EQ(plain.limit, 1e6);
  const Expectation full = parsed("before_first_eviction.GET.hit.latency.p99.9<=500us");
  EXPECT_EQ(full.window, ExpectedWindow::kBeforeFirstEviction);
  EXPECT_EQ(full.operation, "GET");
  EXPECT_EQ(full.outcome, "hit");
  EXPECT_EQ(full.figure, "latency.p99.9");
  EXPECT_EQ(full.comparison, Comparison::kAtMost);
  EXPECT_EQ(full.limit, 5e5);
  EXPECT_EQ(full.text(), "before_first_eviction.GET.hit.latency.p99.9 <= 500us");
  // An operation's name may have dots.
  EXPECT_EQ(parsed("cart.v2.latency.max < 1s").operation, "cart.v2");
  EXPECT_EQ(parsed("timeout.count == 0").outcome, "timeout");
  EXPECT_EQ(parsed("SET.failed.ratio < 0.1%").outcome, "failed");
  EXPECT_EQ(parsed("all.latency.p50 < 1ms").operation, "");
}

TEST(Expectation, TakesTheNamesOfTheJsonAndShortOnesToo) {
  EXPECT_EQ(parsed("measure.throughput_per_s > 1").figure, "throughput");
  EXPECT_EQ(parsed("hit_ratio_client > 50%").figure, "hit_ratio");
  EXPECT_EQ(parsed("hit_ratio_engine > 50%").figure, "hit_ratio_engine");
  EXPECT_EQ(parsed("headroom > 20%").figure, "memory.headroom");
  EXPECT_EQ(parsed("memory.headroom_ratio > 20%").figure, "memory.headroom");
  EXPECT_EQ(parsed("latency.p999 < 1ms").figure, "latency.p99.9");
}

TEST(Expectation, ReadsValuesInTheFiguresUnit) {
  EXPECT_EQ(parsed("throughput >= 50k/s").limit, 50'000);
  EXPECT_EQ(parsed("throughput >= 1.5M").limit, 1'500'000);
  EXPECT_EQ(parsed("throughput >= 48912").limit, 48'912);
  EXPECT_EQ(parsed("hit_ratio >= 95%").limit, 0.95);
  EXPECT_EQ(parsed("hit_ratio >= 0.95").limit, 0.95);
  EXPECT_EQ(parsed("memory_used_max <= 110%").limit, 1.1);
  EXPECT_EQ(parsed("memory.used_max < 64MiB").limit, 64.0 * 1024 * 1024);
  EXPECT_EQ(parsed("first_eviction > 2m").limit, 120e9);
  EXPECT_EQ(parsed("evictions == 0").limit, 0);
  EXPECT_EQ(parsed("in_flight_mean < 6.5").limit, 6.5);
}

TEST(Expectation, SaysWhatIsWrongWhatIsWantedAndWhatWasMeant) {
  EXPECT_THAT(refusal("latency.p98 < 1ms"),
              AllOf(StartsWith("\"latency.p98 < 1ms\": latency.p98 is no figure"),
                    HasSubstr("did you mean latency.p9")));
  EXPECT_THAT(refusal("GET.latncy.p99 < 1ms"), HasSubstr("did you mean GET.latency.p99?"));
  EXPECT_THAT(refusal("weather < 1"), EndsWith("`headroom report --list-figures` has all"));
  EXPECT_THAT(refusal("latency.p99 1ms"), HasSubstr("compares with none of < <= > >= =="));
  EXPECT_THAT(refusal("latency.p99 != 1ms"), HasSubstr("compares with none of"));
  EXPECT_THAT(refusal("latency.p99 <"), HasSubstr("lacks a side"));
  EXPECT_THAT(refusal("latency.p99 < 1"), HasSubstr("give a duration such as \"1ms\""));
  EXPECT_THAT(refusal("hit_ratio > 95"), HasSubstr("95 is above the range; give a share"));
  EXPECT_THAT(refusal("evictions < -1"), HasSubstr("give a count"));
  EXPECT_THAT(refusal("throughput > fast"), HasSubstr("give a rate such as \"50k/s\""));
  EXPECT_THAT(refusal("count == 0"), HasSubstr("write OUTCOME.count or OPERATION.OUTCOME.count"));
  EXPECT_THAT(refusal("hit.latency.p99 < 1ms"), HasSubstr("write OPERATION.hit.latency.p99"));
  EXPECT_THAT(refusal("GET.throughput > 1"), HasSubstr("is of all operations together"));
  EXPECT_THAT(refusal("stable_segment.headroom > 1%"), HasSubstr("is of the whole run"));
  EXPECT_THAT(refusal("a\x1b[31m < 1"), HasSubstr("is no condition"));
}

TEST(Expectation, ComparesAsItsSignSays) {
  EXPECT_TRUE(holds(1, Comparison::kBelow, 2));
  EXPECT_FALSE(holds(2, Comparison::kBelow, 2));
  EXPECT_TRUE(holds(2, Comparison::kAtMost, 2));
  EXPECT_FALSE(holds(2, Comparison::kAbove, 2));
  EXPECT_TRUE(holds(2, Comparison::kAtLeast, 2));
  EXPECT_TRUE(holds(2, Comparison::kEqual, 2));
  EXPECT_FALSE(holds(2.5, Comparison::kEqual, 2));
}

TEST(ExpectedFigures, HaveNamesThatAreFoundAndNoTwoAlike) {
  std::set<std::string_view> names;
  for (const ExpectedFigure& figure : expected_figures()) {
    EXPECT_TRUE(names.insert(figure.name).second) << figure.name;
    std::string_view path = figure.name;
    EXPECT_EQ(find_expected_figure(path), &figure) << figure.name;
    EXPECT_EQ(path, "");
    EXPECT_FALSE(figure.meaning.empty());
  }
}

constexpr std::string_view kScenario = R"([target]
kind = "local"
maxmemory = "64MiB"
[expect]
conditions = ["latency.p99 < 1ms", "GET.hit.latency.p50 <= 300us"]
)";

TEST(ExpectSection, IsAListThatIsKeptByTheCanonicalPrint) {
  const auto scenario = parse_scenario(kScenario, "x.toml");
  ASSERT_TRUE(scenario) << scenario.error().message;
  ASSERT_EQ(scenario->expect.size(), 2U);
  EXPECT_EQ(scenario->expect[1].text(), "GET.hit.latency.p50 <= 300us");
  const std::string printed = print_scenario(*scenario);
  EXPECT_THAT(printed, HasSubstr("\n[expect]\nconditions = [\n  \"latency.p99 < 1ms\",\n"
                                 "  \"GET.hit.latency.p50 <= 300us\",\n]\n"));
  const auto again = parse_scenario(printed, "x.toml");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_TRUE(*again == *scenario);
}

TEST(ExpectSection, MayBeReplacedByOneText) {
  const std::vector<std::string> overrides = {"expect.conditions=hit_ratio > 90%; evictions == 0"};
  const auto scenario = parse_scenario(kScenario, "x.toml", overrides);
  ASSERT_TRUE(scenario) << scenario.error().message;
  std::vector<std::string> texts;
  for (const Expectation& one : scenario->expect) texts.push_back(one.text());
  EXPECT_THAT(texts, ElementsAre("hit_ratio > 90%", "evictions == 0"));
}

TEST(ExpectSection, RefusesWhatTheScenarioCanNeverShow) {
  const auto refused = [](const std::string& condition) {
    const std::string text =
        "[target]\nkind = \"local\"\nmaxmemory = \"64MiB\"\n[expect]\n"
        "conditions = [\"" +
        condition + "\"]\n";
    const auto scenario = parse_scenario(text, "x.toml");
    return scenario ? std::string() : scenario.error().message;
  };
  EXPECT_EQ(refused("GTE.latency.p99 < 1ms"),
            "x.toml:5: expect.conditions: \"GTE.latency.p99 < 1ms\": GTE is no operation of the "
            "workload; did you mean GET?");
  EXPECT_THAT(refused("response.p99 < 1ms"), HasSubstr("exists in open loop only"));
  EXPECT_THAT(refused("latency.p99 < 1"),
              StartsWith("x.toml:5: expect.conditions: \"latency.p99 < 1\": "));
  EXPECT_EQ(refused("GET.latency.p99 < 1ms"), "");
}

TEST(ExpectSection, RefusesWhatIsNoListOfTexts) {
  for (const char* value : {"3", "[1, 2]", "true"}) {
    const auto scenario = parse_scenario(
        fmt::format(
            "[target]\nkind = \"local\"\nmaxmemory = \"64MiB\"\n[expect]\nconditions = {}\n",
            value),
        "x.toml");
    ASSERT_FALSE(scenario) << value;
    EXPECT_THAT(scenario.error().message, HasSubstr("a list of at most 100 conditions")) << value;
  }
}

TEST(AddExpectations, NamesTheFlagAndAddsToTheScenarios) {
  auto scenario = parse_scenario(kScenario, "x.toml");
  ASSERT_TRUE(scenario);
  const std::vector<std::string> good = {"evictions == 0"};
  ASSERT_TRUE(add_expectations(*scenario, "--expect", good));
  EXPECT_EQ(scenario->expect.size(), 3U);
  const std::vector<std::string> bad = {"DEL.latency.p99 < 1ms"};
  const Status refused = add_expectations(*scenario, "--expect", bad);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, StartsWith("--expect \"DEL.latency.p99 < 1ms\": DEL is no"));
}

}  // namespace
}  // namespace headroom::scenario
