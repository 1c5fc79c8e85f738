#include "report/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/golden.h"
#include "tests/support/json_schema.h"
#include "tests/support/sample_runs.h"

namespace headroom::report {
namespace {

using headroom::testing::expect_golden;
using headroom::testing::RunBuilder;
using headroom::testing::SchemaChecker;
using nlohmann::json;
using ::testing::IsEmpty;

std::string rendered(const record::Run& run, const Source& source = {}) {
  return render_json(run, analysis::summarize(run), source);
}

SchemaChecker summary_schema() {
  const auto path = headroom::testing::source_folder() / "docs" / "schema" / "summary.schema.json";
  return SchemaChecker(json::parse(headroom::testing::read_whole(path)));
}

TEST(Json, ShowsABoundaryRun) {
  expect_golden("summary_boundary.json", rendered(headroom::testing::boundary_run().build(),
                                                  {"x.run", Seal::kSealed, "ab"}));
}

TEST(Json, FitsItsSchemaForEveryKindOfRun) {
  const SchemaChecker schema = summary_schema();
  std::vector<record::Run> runs;
  runs.push_back(headroom::testing::boundary_run().build());
  runs.push_back(headroom::testing::headroom_run().build());
  runs.push_back(headroom::testing::killed_run().build());
  runs.push_back(headroom::testing::rejecting_run().build());
  runs.push_back(headroom::testing::open_loop_run().build());
  runs.push_back(headroom::testing::failed_run().build());
  runs.push_back(RunBuilder().without_telemetry().build());
  runs.emplace_back();
  for (const record::Run& run : runs)
    EXPECT_THAT(schema.check(json::parse(rendered(run))), IsEmpty()) << run.header.scenario.name;
}

TEST(Json, IsRefusedByTheSchemaWhenAKeyIsMissingUnknownOrOfAnotherType) {
  const SchemaChecker schema = summary_schema();
  const json good = json::parse(rendered(RunBuilder().build()));
  json missing = good;
  missing["measure"].erase("evictions");
  EXPECT_EQ(schema.check(missing), std::vector<std::string>{"$.measure lacks \"evictions\""});
  json unknown = good;
  unknown["measure"]["window"]["p42"] = 1;
  EXPECT_EQ(schema.check(unknown),
            std::vector<std::string>{"$.measure.window has the unknown key p42"});
  json wrong = good;
  wrong["measure"]["completed"] = "many";
  EXPECT_EQ(schema.check(wrong).size(), 1U);
}

TEST(Json, HoldsTheNumbersOfTheSummary) {
  const auto run = headroom::testing::boundary_run().build();
  const auto summary = analysis::summarize(run);
  const json parsed = json::parse(rendered(run));
  EXPECT_EQ(parsed["measure"]["completed"], summary.measure.completed);
  EXPECT_EQ(parsed["measure"]["window"]["begin_ns"], 0);
  EXPECT_EQ(parsed["memory"]["first_eviction_ns"], summary.first_eviction->count());
  EXPECT_EQ(parsed["measure"]["latencies"][0]["p99_ns"], summary.measure.latencies[0].p99->count());
  EXPECT_EQ(parsed["regime"]["name"], "boundary");
}

TEST(Json, HasTheScheduleOfAnOpenLoopAndBothLatencies) {
  const json summary = json::parse(rendered(headroom::testing::open_loop_run().build()));
  EXPECT_EQ(summary["schedule"]["asked_per_s"], 3'300);
  EXPECT_EQ(summary["schedule"]["unsent"], 180);
  EXPECT_EQ(summary["schedule"]["oldest_unsent_ns"], 35'000'000);
  std::map<std::string, double> p99;
  for (const json& row : summary["measure"]["latencies"]) {
    if (row["operation"] == "all") p99[row["from"]] = row["p99_ns"];
  }
  EXPECT_LT(p99.at("send"), 200e3);
  EXPECT_GT(p99.at("intended"), 399e6);
  EXPECT_TRUE(json::parse(rendered(RunBuilder().build()))["schedule"].is_null());
}

TEST(Json, IsNullWithAReasonWhereANumberIsMissing) {
  const json parsed = json::parse(rendered(RunBuilder().without_telemetry().build()));
  EXPECT_TRUE(parsed["measure"]["evictions"].is_null());
  EXPECT_EQ(parsed["not_available"]["measure.evictions"], "Evictions was not sampled");
}

TEST(Json, OfARunThatMeasuredNothingHasNoWarnings) {
  const json parsed = json::parse(rendered(headroom::testing::failed_run().build()));
  EXPECT_TRUE(parsed["warnings"].empty());
  EXPECT_TRUE(parsed["measure"]["throughput_per_s"].is_null());
  EXPECT_EQ(parsed["limiter"]["evidence"], "Nothing was measured.");
}

TEST(Json, EscapesHostileTexts) {
  const json parsed = json::parse(rendered(headroom::testing::killed_run().build()));
  EXPECT_EQ(parsed["run"]["scenario"], "evil \\x1b[31mname\\x07 \\xff");
}

TEST(Json, NeverRoundsWholeNumbers) {
  const auto run =
      RunBuilder().metric("CurrItems", [](double) { return 123'456'789'012.0; }).build();
  EXPECT_EQ(json::parse(rendered(run))["memory"]["peak_keys"], 123'456'789'012);
  const json parsed = json::parse(render_series_json(run));
  for (const json& series : parsed["metrics"]) {
    if (series["metric"] != "CurrItems") continue;
    EXPECT_EQ(series["value"][0], 123'456'789'012);
  }
}

TEST(SeriesJson, HoldsEverySecondAndEverySample) {
  const auto run = RunBuilder().warmup(2).measure(3).build();
  const json parsed = json::parse(render_series_json(run));
  ASSERT_EQ(parsed["seconds"].size(), 5U);
  EXPECT_EQ(parsed["seconds"][0]["phase"], "warmup");
  EXPECT_EQ(parsed["seconds"][4]["completed"], 3'300);
  EXPECT_EQ(parsed["seconds"][4]["operations"][1]["hit"], 2'700);
  EXPECT_TRUE(parsed["seconds"][4]["operations"][0]["latency"]["p999_ns"].is_null());
  EXPECT_EQ(parsed["metrics"].size(), run.metrics.size());
  EXPECT_EQ(parsed["metrics"][0]["metric"], "BytesUsedForCache");
  EXPECT_EQ(parsed["metrics"][0]["unit"], "bytes");
  EXPECT_EQ(parsed["metrics"][0]["cumulative"], false);
  EXPECT_EQ(parsed["metrics"][0]["value"].size(), run.metrics[0].points.size());
}

}  // namespace
}  // namespace headroom::report
