// Gates: what a run must show, and what may not get worse than a baseline, by exit code.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/e2e/harness.h"

namespace headroom::e2e {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using Json = nlohmann::json;

class ExpectTest : public EngineTest {
 protected:
  std::string scenario_with(const std::string& more) {
    return local_scenario(engine(),
                          "maxmemory = \"64MiB\"\n"
                          "[workload]\nvalue_size = \"100B\"\nkeys = 10000\nprefill = true\n"
                          "[load]\nworkers = 1\nconnections = 2\n"
                          "[timing]\nmeasure = \"1s\"\n" +
                              more);
  }
};
HEADROOM_FOR_EACH_ENGINE(ExpectTest);

TEST_P(ExpectTest, ARunThatShowsWhatIsExpectedEndsWell) {
  const std::string file = path("good.run");
  const Finished finished = run_headroom(
      {"run",
       scenario_with("[expect]\nconditions = [\"failed.count == 0\", \"hit_ratio > 99%\"]\n"),
       "--expect", "GET.hit.latency.p50 < 1s", "--expect", "evictions == 0", "-o", file, "--quiet"},
      options());
  EXPECT_EQ(finished.exit_code, 0) << finished.err << finished.out;
  EXPECT_THAT(finished.out, AllOf(HasSubstr("EXPECTATIONS"), HasSubstr("all 4 met"),
                                  HasSubstr("met     evictions == 0: it is 0 (measure, 1")));
  // The run file keeps them all, and says so again.
  const Finished report = run_headroom({"report", file, "--json"}, options());
  EXPECT_EQ(report.exit_code, 0) << report.err;
  const Json expectations = Json::parse(report.out).at("expectations");
  ASSERT_EQ(expectations.size(), 4U);
  EXPECT_EQ(expectations[2].at("condition"), "GET.hit.latency.p50 < 1s");
  EXPECT_EQ(expectations[2].at("met"), true);
}

TEST_P(ExpectTest, ARunThatDoesNotEndsWithFiveAndTheReason) {
  const std::string file = path("bad.run");
  const Finished finished =
      run_headroom({"run", scenario_with(""), "--expect", "throughput > 100M/s", "--expect",
                    "failed.count == 0", "-o", file, "--quiet"},
                   options());
  EXPECT_EQ(finished.exit_code, 5) << finished.err;
  EXPECT_THAT(error_lines(finished),
              ElementsAre(AllOf(StartsWith("headroom: not met: throughput > 100M/s: it is "),
                                HasSubstr(" /s (measure, 1"))));
  EXPECT_THAT(finished.out, HasSubstr("1 of 2 not met"));

  const Finished more = run_headroom({"report", file, "--expect", "stable_segment.latency.p99 < 1s",
                                      "--expect", "GET.latency.p99 < 1h"},
                                     options());
  EXPECT_EQ(more.exit_code, 5);
  EXPECT_THAT(more.out, AllOf(HasSubstr("2 of 4 not met"),
                              HasSubstr("stable_segment.latency.p99 < 1s: n/a, ")));

  const Finished figures = run_headroom({"report", "--list-figures", file}, options());
  EXPECT_EQ(figures.exit_code, 0) << figures.err;
  EXPECT_THAT(figures.out, AllOf(HasSubstr("GET.hit.latency.p99 "), HasSubstr("SET.ok.count ")));
}

class GateTest : public Test {
 protected:
  // A table of runs that have these throughputs.
  std::string table(const std::string& name, const std::string& throughputs, std::size_t runs) {
    const std::string file = path(name);
    const std::string text = fmt::format(
        R"({{"schema": "headroom-run-summaries", "schema_version": 1, "groups": [
          {{"name": "{}", "runs": {}, "figures": {{"throughput_per_s": [{}]}}}}]}})",
        name, runs, throughputs);
    EXPECT_TRUE(write_file(file, text));
    return file;
  }
};

TEST_F(GateTest, FailsOnASupportedRegressionAndOnNothingElse) {
  const std::string old_runs = table("old.json", "100, 101, 102, 103, 104", 5);
  const auto against = [&](const std::string& now, std::vector<std::string> flags = {}) {
    std::vector<std::string> arguments = {"compare", now,      "--baseline",
                                          old_runs,  "--test", "throughput_per_s"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    return run_headroom(arguments, options());
  };
  const Finished worse = against(table("worse.json", "90, 91, 92, 93, 94", 5));
  EXPECT_EQ(worse.exit_code, 5) << worse.err;
  EXPECT_THAT(error_lines(worse),
              ElementsAre(HasSubstr("regressed: throughput is 9.8 % lower: 102 /s, now 92 /s")));
  EXPECT_THAT(worse.out, HasSubstr("AGAINST THE BASELINE"));

  const std::string slightly = table("slightly.json", "97, 98, 99, 99.4, 99.5", 5);
  EXPECT_EQ(against(slightly).exit_code, 5);
  const Finished within = against(slightly, {"--margin", "10%", "--json"});
  EXPECT_EQ(within.exit_code, 0) << within.err;
  const Json baseline = Json::parse(within.out).at("baseline");
  EXPECT_EQ(baseline.at("regressed"), false);
  EXPECT_EQ(baseline.at("figures").at(0).at("verdict"), "held");

  const Finished noise = against(table("noise.json", "98, 101, 103, 104, 105", 5));
  EXPECT_EQ(noise.exit_code, 0) << noise.err;
  EXPECT_THAT(error_lines(noise), IsEmpty());
  EXPECT_THAT(noise.out, HasSubstr("nothing is shown to be worse"));

  const Finished lone = against(table("lone.json", "50", 1));
  EXPECT_EQ(lone.exit_code, 0) << lone.err;
  EXPECT_THAT(lone.out, HasSubstr("can settle nothing"));
}

TEST_F(GateTest, AsksEveryRunOfAComparison) {
  const std::string runs = table("runs.json", "100, 101, 102, 103, 90", 5);
  const Finished finished = run_headroom(
      {"compare", runs, "--expect", "throughput > 95", "--expect", "latency.p99 < 1s"}, options());
  EXPECT_EQ(finished.exit_code, 5) << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("throughput > 95: met by 4 of 5 runs"));
  EXPECT_THAT(finished.err, AllOf(HasSubstr("throughput > 95: it is 90 /s"),
                                  HasSubstr("latency.p99 < 1s: n/a, the table does not state it")));
}

TEST_F(GateTest, RefusesWhatCannotBeMeant) {
  const Finished typo =
      run_headroom({"report", "x.run", "--expect", "latency.p9 < 1ms"}, options());
  EXPECT_EQ(typo.exit_code, 2);
  EXPECT_THAT(typo.err, HasSubstr("--expect \"latency.p9 < 1ms\": latency.p9 is no figure; did you "
                                  "mean latency.p90?"));
  const Finished listed = run_headroom({"report", "--list-figures"}, options());
  EXPECT_EQ(listed.exit_code, 0);
  EXPECT_THAT(listed.out, HasSubstr("  latency.p99.9 "));
  EXPECT_EQ(run_headroom({"report"}, options()).exit_code, 2);
  EXPECT_EQ(run_headroom({"run", "x.toml", "--margin", "5%"}, options()).exit_code, 2);
}

TEST_F(GateTest, WritesThePageOfAComparison) {
  const std::string runs = table("runs.json", "100, 101, 102, 103, 90", 5);
  const std::string page = path("page.html");
  const Finished finished = run_headroom({"compare", runs, "--html", page}, options());
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_THAT(finished.out, IsEmpty());
  EXPECT_THAT(read_file(page).value(), AllOf(StartsWith("<!doctype html><!-- Headroom report -->"),
                                             HasSubstr("\"comparison\":")));
  // A file that is no page stays what it is.
  EXPECT_EQ(run_headroom({"compare", runs, "--html", runs}, options()).exit_code, 2);
  EXPECT_THAT(read_file(runs).value(), StartsWith("{"));
}

}  // namespace
}  // namespace headroom::e2e
