#include "scenario/load_forms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenario/parse.h"
#include "scenario/print.h"

namespace headroom::scenario {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;

Result<Scenario> parse(const std::string& load) {
  return parse_scenario("[load]\n" + load, "/scenarios/test.toml");
}
Load load_of(const std::string& text) {
  const auto scenario = parse(text);
  EXPECT_TRUE(scenario) << (scenario ? "" : scenario.error().message);
  return scenario ? scenario->load : Load{};
}
std::string error_of(const std::string& text) {
  const auto scenario = parse(text);
  return scenario ? "no error" : scenario.error().message;
}

TEST(LoadForms, WithoutARateTheLoopIsClosed) {
  const Load load = load_of("");
  EXPECT_EQ(load.rate, std::nullopt);
  EXPECT_EQ(load.think_time, std::nullopt);
  EXPECT_EQ(load.emulated_rtt, std::nullopt);
}

TEST(LoadForms, RatesBecomeTheirNouns) {
  EXPECT_EQ(load_of("rate = 10000").rate, Rate(ConstantRate{10'000}));
  EXPECT_EQ(load_of("rate = \"10_000\"").rate, Rate(ConstantRate{10'000}));
  EXPECT_EQ(load_of("rate = \"ramp(0, 5000, 1m)\"").rate, Rate(RampRate{0, 5'000, minutes{1}}));
  EXPECT_EQ(load_of("rate = \"steps(100:1s, 200:500ms)\"").rate,
            Rate(StepsRate{{{100, seconds{1}}, {200, milliseconds{500}}}}));
  EXPECT_EQ(load_of("rate = \"sine(1000, 500, 10s)\"").rate,
            Rate(SineRate{1'000, 500, seconds{10}}));
  EXPECT_EQ(load_of("rate = \"file(day.csv)\"").rate, Rate(FileRate{"/scenarios/day.csv"}));
}

TEST(LoadForms, WhatIsPrintedReadsBack) {
  for (const char* const text :
       {"rate = 7", "rate = \"ramp(1, 2, 3s)\"\narrivals = \"poisson\"",
        "rate = \"steps(1:1s, 0:2s)\"", "rate = \"sine(5, 5, 1m)\"", "rate = \"file(/a.csv)\"",
        "think_time = \"5ms\"", "think_time = \"exponential(250us)\"",
        "emulated_rtt = \"350us\""}) {
    const auto scenario = parse(text);
    ASSERT_TRUE(scenario) << scenario.error().message;
    const auto again = parse_scenario(print_scenario(*scenario), "/scenarios/test.toml");
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(*again, *scenario) << text;
  }
  EXPECT_THAT(print_scenario(*parse("rate = 40")), HasSubstr("\nrate = 40 "));
}

TEST(LoadForms, ArrivalsBelongToARate) {
  EXPECT_EQ(load_of("rate = 5").arrivals, Arrivals::kEven);
  EXPECT_EQ(load_of("rate = 5\narrivals = \"poisson\"").arrivals, Arrivals::kPoisson);
  EXPECT_THAT(error_of("arrivals = \"poisson\""), HasSubstr("means nothing without load.rate"));
}

TEST(LoadForms, RefusesWhatContradictsItself) {
  EXPECT_THAT(error_of("rate = 5\nthink_time = \"1ms\""), HasSubstr("load.rate is given too"));
  EXPECT_THAT(error_of("rate = 5\nrequests = 10"), HasSubstr("give timing.measure instead"));
  EXPECT_THAT(error_of("rate = 0"), HasSubstr("0 is below the range"));
  EXPECT_THAT(error_of("rate = \"ramp(0, 0, 1s)\""), HasSubstr("asks for no request"));
  EXPECT_THAT(error_of("rate = \"steps(0:1s)\""), HasSubstr("asks for no request"));
  EXPECT_THAT(error_of("rate = \"sine(10, 11, 1s)\""), HasSubstr("give at most MEAN (10)"));
  EXPECT_THAT(error_of("request_timeout = \"1ms\"\nemulated_rtt = \"1ms\""),
              HasSubstr("every request would time out after 1ms"));
  EXPECT_THAT(parse_scenario("[target]\nkind = \"endpoint\"\nhost = \"a\"\n"
                             "[load]\nemulated_rtt = \"1ms\"",
                             "/x.toml")
                  .error()
                  .message,
              HasSubstr("is for target.kind = \"local\""));
}

}  // namespace
}  // namespace headroom::scenario
