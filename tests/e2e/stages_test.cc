// Several loads in one run, and stages of measure, through the binary against real engines.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <algorithm>

#include "analysis/summary.h"
#include "tests/e2e/harness.h"

namespace headroom::e2e {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class StagesTest : public EngineTest {
 protected:
  [[nodiscard]] Finished run_shipped(const std::string& name, std::vector<std::string> more) const {
    std::vector<std::string> arguments = {"run", (scenario_dir() / name).string(), "--set",
                                          "target.engine_path=" + engine().string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_headroom(arguments, options());
  }
};
HEADROOM_FOR_EACH_ENGINE(StagesTest);

const analysis::WindowSummary* stage_of(const analysis::Summary& summary, const std::string& name) {
  const auto found = std::ranges::find_if(
      summary.stages, [&](const auto& stage) { return stage.summary.window.name == name; });
  return found == summary.stages.end() ? nullptr : &found->summary;
}

TEST_P(StagesTest, AFillInTheMiddleDrivesMemoryOverTheCliff) {
  const std::string file = path("stages.run");
  const Finished ended = run_shipped(
      "stages.toml", {"--set", "timing.measure=7s", "--set", "target.maxmemory=48MiB", "--set",
                      "stage.0.at=2s", "--set", "stage.0.for=3s", "--set", "stage.0.fill=closed(4)",
                      "--set", "stage.1.at=5500ms", "--set", "stage.1.for=1s", "-o", file});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_THAT(ended.out,
              AllOf(HasSubstr("\nSTAGES"), HasSubstr("before fill"), HasSubstr("fill to burst"),
                    HasSubstr("\nLOADS"), HasSubstr("fill (fill)")));
  const record::Run run = read(file);
  const analysis::Summary summary = analysis::summarize(run);
  ASSERT_THAT(summary.stages, SizeIs(5)) << ended.out;
  const auto* before = stage_of(summary, "before fill");
  const auto* fill = stage_of(summary, "fill");
  const auto* burst = stage_of(summary, "burst");
  ASSERT_TRUE(before != nullptr && fill != nullptr && burst != nullptr);

  EXPECT_EQ(before->evictions, 0);
  EXPECT_GT(fill->evictions.value_or(0), 0) << ended.out;
  EXPECT_LT(before->memory_used_max_ratio.value(), 0.7);
  EXPECT_GT(fill->memory_used_max_ratio.value(), 0.95);
  EXPECT_EQ(summary.regime.regime, analysis::Regime::kBoundary);
  EXPECT_EQ(before->outcomes.at("fill/SET").at(record::Outcome::kOk), 0U);
  EXPECT_GT(fill->outcomes.at("fill/SET").at(record::Outcome::kOk), 5'000U);
  // The burst asks for three times as much of the load that was there before.
  EXPECT_GT(burst->throughput_per_s.value(), 2 * before->throughput_per_s.value());

  // Every second belongs to one window, and every request to one load.
  std::uint64_t completed = 0;
  Nanos at = summary.measure.window.begin;
  for (const analysis::StageSummary& stage : summary.stages) {
    EXPECT_EQ(stage.summary.window.begin, at);
    at = stage.summary.window.end;
    completed += stage.summary.completed;
  }
  EXPECT_EQ(at, summary.measure.window.end);
  EXPECT_EQ(completed, summary.measure.completed);
  ASSERT_THAT(summary.loads, SizeIs(2));
  EXPECT_EQ(summary.loads[0].measure.completed + summary.loads[1].measure.completed,
            summary.measure.completed);
  for (const analysis::LoadSummary& load : summary.loads) EXPECT_TRUE(load.adds_up) << load.name;
  EXPECT_TRUE(summary.conservation.client_adds_up);
  EXPECT_TRUE(summary.conservation.engine_agrees.value_or(true)) << ended.out;
}

TEST_P(StagesTest, TwoTenantsHaveResultsOfTheirOwn) {
  const std::string file = path("tenants.run");
  const Finished ended =
      run_shipped("two-tenants.toml", {"--set", "timing.measure=4s", "--set", "stage.0.for=2s",
                                       "--set", "tenant.0.rate=1000", "-o", file});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const record::Run run = read(file);
  EXPECT_THAT(run.header.operations, ::testing::ElementsAre("web/SET", "web/GET", "batch/SET"));
  EXPECT_EQ(run.facts.at("workload.keys.web"), "20000");
  const analysis::Summary summary = analysis::summarize(run);
  ASSERT_THAT(summary.loads, SizeIs(2));
  const analysis::LoadSummary& web = summary.loads[0];
  const analysis::LoadSummary& batch = summary.loads[1];
  ASSERT_TRUE(web.schedule);
  EXPECT_EQ(web.schedule->due, 4'000U);
  EXPECT_EQ(web.measure.hit_ratio_client, 1) << "its keys were prefilled, and are its own";
  EXPECT_FALSE(batch.schedule);
  EXPECT_EQ(batch.measure.hit_ratio_client, std::nullopt);
  EXPECT_FALSE(summary.schedule) << "a closed loop is among them";
  EXPECT_TRUE(web.adds_up && batch.adds_up);
  EXPECT_EQ(summary.conservation.engine_agrees, true) << ended.out;

  const auto* alone = stage_of(summary, "web-alone");
  ASSERT_NE(alone, nullptr);
  EXPECT_EQ(alone->outcomes.at("batch/SET").at(record::Outcome::kOk), 0U);
  EXPECT_GT(batch.measure.completed, 0U);
  // Both key spaces are in the engine: nothing was shared.
  EXPECT_LE(points(run, "CurrItems").back().value, 22'000);
  EXPECT_GT(points(run, "CurrItems").back().value, 20'000);
}

TEST_P(StagesTest, JsonAndCsvHaveThemToo) {
  const std::string file = path("both.run");
  const Finished ended = run_headroom(
      {"run",
       local_scenario(engine(),
                      "[workload]\nvalue_size = \"100B\"\nkeys = 500\n[timing]\nmeasure = \"2s\"\n"
                      "[[tenant]]\nname = \"a\"\nrate = 100\n[[tenant]]\nname = \"b\"\nrate = 50\n"
                      "[[stage]]\nname = \"half\"\nat = \"500ms\"\nfor = \"1s\"\n"
                      "rate = \"factor(2)\"\n"),
       "-o", file, "--json"},
      options());
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const auto json = nlohmann::json::parse(ended.out);
  ASSERT_THAT(json["loads"], SizeIs(2));
  EXPECT_EQ(json["loads"][0]["load"], "a");
  EXPECT_EQ(json["loads"][0]["schedule"]["due"], 300);
  EXPECT_EQ(json["loads"][1]["schedule"]["due"], 150);
  EXPECT_EQ(json["schedule"]["due"], 450);
  ASSERT_THAT(json["stages"], SizeIs(3));
  EXPECT_EQ(json["stages"][1]["summary"]["window"]["name"], "half");
  EXPECT_EQ(json["stages"][1]["summary"]["window"]["begin_ns"], 500'000'000);
  EXPECT_EQ(json["stages"][1]["summary"]["window"]["end_ns"], 1'500'000'000);

  const Finished csv = run_headroom({"export", file, "--format", "csv"}, options());
  ASSERT_EQ(csv.exit_code, 0) << csv.err;
  EXPECT_THAT(csv.out, AllOf(HasSubstr("phase,stage,length_s"), HasSubstr(",measure,half,"),
                             HasSubstr("a/SET_sent"), HasSubstr("b/GET_hit")));
}

TEST_P(StagesTest, ADryRunTellsThem) {
  const Finished plan = run_shipped("stages.toml", {"--dry-run"});
  ASSERT_EQ(plan.exit_code, 0) << plan.err;
  EXPECT_THAT(plan.out, AllOf(HasSubstr("stage      fill, 15s to 40s: fill = 2000"),
                              HasSubstr("stage      burst, 45s to 50s: rate = factor(3)"),
                              HasSubstr("measure    fill: ")));
  const Finished overlap = run_shipped("stages.toml", {"--dry-run", "--set", "stage.1.at=39s"});
  EXPECT_EQ(overlap.exit_code, 2);
  EXPECT_THAT(error_lines(overlap), SizeIs(1));
  EXPECT_THAT(overlap.err, HasSubstr("\"burst\" begins at 39s, before \"fill\" ends (40s)"));
}

}  // namespace
}  // namespace headroom::e2e
