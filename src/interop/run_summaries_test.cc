#include "interop/run_summaries.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "interop/utc.h"
#include "tests/support/golden.h"
#include "tests/support/json_schema.h"

namespace headroom::interop {
namespace {

using analysis::Figure;
using ::testing::HasSubstr;

std::string table(const std::string& group) {
  return R"({"schema": "headroom-run-summaries", "schema_version": 1, "groups": [)" + group + "]}";
}

std::string error_of(const std::string& json) {
  const auto arms = read_run_summaries(json, "t.json");
  return arms ? "no error" : arms.error().message;
}

const std::string kWhole = R"({"name": "a", "settings": {"timing.measure": "3600s",
  "load.workers": 9, "load.connections": 2, "load.pipeline": 1, "node.type": "cache.r5.large"},
  "regime": "headroom",
  "runs": [{"name": "first", "started_utc": "2026-05-28T05:25:50.5Z",
            "figures": {"throughput_per_s": 100, "headroom_ratio": -0.01}},
           {"limiter": "engine", "complete": true, "figures": {"throughput_per_s": 110}}],
  "figures": {"latency_mean_ns": {"min": 1, "max": 2}, "evictions": [0, 5]},
  "price": {"usd_per_hour": 0.2, "region": "r", "date": "2026-01-01", "source": "s"}})";

TEST(RunSummaries, HoldWhatIsStatedAndNothingElse) {
  const auto arms = read_run_summaries(table(kWhole), "t.json");
  ASSERT_TRUE(arms) << arms.error().message;
  const analysis::Arm& arm = arms->front();
  ASSERT_EQ(arm.size(), 2U);
  EXPECT_EQ(arm.runs[0].name, "first");
  EXPECT_EQ(arm.runs[1].name, "a #2");
  EXPECT_EQ(arm.runs[0].started->since_epoch, std::chrono::milliseconds{1'779'945'950'500});
  EXPECT_EQ(arm.setting("timing.measure"), "1h") << "canonical, so that 3600s and 1h are equal";
  EXPECT_EQ(arm.slots(), 18U);
  EXPECT_EQ(arm.regime(), analysis::Regime::kHeadroom);
  EXPECT_FALSE(arm.limiter()) << "one run does not say";
  EXPECT_FALSE(arm.runs[0].complete);
  EXPECT_EQ(arm.spread(Figure::kThroughput).mean, 105);
  EXPECT_EQ(arm.spread(Figure::kLatencyMean).max, 2);
  EXPECT_EQ(arm.spread(Figure::kEvictions).max, 5);
  EXPECT_FALSE(arm.spread(Figure::kHitRatio).known());
  EXPECT_EQ(arm.price->usd_per_hour, 0.2);
}

TEST(RunSummaries, FitTheirSchema) {
  const auto path =
      headroom::testing::source_folder() / "docs" / "schema" / "run_summaries.schema.json";
  const headroom::testing::SchemaChecker schema(
      nlohmann::json::parse(headroom::testing::read_whole(path)));
  EXPECT_THAT(schema.check(nlohmann::json::parse(table(kWhole))), ::testing::IsEmpty());
  EXPECT_THAT(schema.check(nlohmann::json::parse(table(R"({"name": "a"})"))),
              ::testing::Not(::testing::IsEmpty()));
}

TEST(RunSummaries, AreRefusedWithThePlaceAndTheRemedy) {
  struct Case {
    std::string json;
    const char* error;
  };
  const auto figures = [](const std::string& text) {
    return table(R"({"name": "a", "runs": 3, "figures": {)" + text + "}}");
  };
  const Case cases[] = {
      {"nonsense", "t.json: is not JSON"},
      {"[]", "t.json: table: is not an object"},
      {R"({"schema": "x"})", "schema: is not \"headroom-run-summaries\""},
      {table(R"({"name": "a"})"), "groups[0]: lacks runs"},
      {table(R"({"name": "a", "runs": 0})"), "groups[0].runs: is 0; give 1 to 10000 runs"},
      {table(R"({"name": "a", "runs": 1, "figure": {}})"), "did you mean figures?"},
      {table(R"({"name": "a", "runs": 1}, {"name": "a", "runs": 1})"),
       "groups[1].name: a is there already"},
      {figures(R"("throughput": [1, 2, 3])"), "throughput is no figure"},
      {figures(R"("throughput_pers": [1, 2, 3])"), "did you mean throughput_per_s?"},
      {figures(R"("throughput_per_s": [1, 2])"), "neither a range nor a list of 3 values"},
      {figures(R"("throughput_per_s": [1, 2, -3])"), "throughput_per_s[2]: is -3"},
      {figures(R"("hit_ratio": {"min": 61.25})"), "write 0.6125 for 61.25 %"},
      {figures(R"("evictions": {"min": 5, "max": 4})"), "has a min above its max"},
      {figures(R"("evictions": {"min": 5, "max": 7, "mean": 9})"), "outside its extremes"},
      {table(R"({"name": "a", "runs": 1, "settings": {"load.worker": 3}})"),
       "settings.load.worker: is no scenario key; did you mean load.workers?"},
      {table(R"({"name": "a", "runs": 1, "settings": {"timing.measure": "60"}})"),
       "settings.timing.measure"},
      {table(R"({"name": "a", "runs": 1, "regime": "full"})"),
       "groups[0].regime: is none of headroom, boundary, saturated, rejecting"},
      {table(R"({"name": "a", "runs": [{"started_utc": "yesterday"}]})"),
       "groups[0].runs[0].started_utc: is yesterday"},
      {table(R"({"name": "a", "runs": 1, "price": {"usd_per_hour": 1}})"), "lacks region"},
  };
  for (const Case& one : cases) EXPECT_THAT(error_of(one.json), HasSubstr(one.error)) << one.json;
}

TEST(Utc, TakesTheIsoFormAndNothingElse) {
  EXPECT_EQ(parse_utc("1970-01-01T00:00:01.000000001Z")->since_epoch, Nanos{1'000'000'001});
  for (const char* wrong :
       {"", "2026-05-28", "2026-05-28T05:25:50", "2026-13-28T05:25:50Z", "2026-05-28T05:25:50.Z",
        "2026-02-30T00:00:00Z", "2026-05-28 05:25:50Z", "2026-05-28T24:00:00Z",
        "2026-05-28T05:25:50.1234567890Z", "1969-12-31T23:59:59Z", "2026-05-28T05:25:5xZ"})
    EXPECT_FALSE(parse_utc(wrong)) << wrong;
}

}  // namespace
}  // namespace headroom::interop
