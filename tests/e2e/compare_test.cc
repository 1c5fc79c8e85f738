// Real pairs of runs, compared: what is one scenario is not told apart, what differs is.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/e2e/harness.h"

namespace headroom::e2e {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Json = nlohmann::json;

class CompareTest : public EngineTest {
 protected:
  // A short run that stays below its memory limit; `settings` as after --set.
  std::string make_run(const std::string& name, const std::vector<std::string>& settings = {}) {
    const std::string file = path(name);
    std::vector<std::string> arguments = {"run", scenario_, "-o", file, "--quiet"};
    for (const std::string& setting : settings) {
      arguments.push_back("--set");
      arguments.push_back(setting);
    }
    const Finished finished = run_headroom(arguments, options());
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    return file;
  }
  void write_scenario() {
    scenario_ = local_scenario(engine(),
                               "maxmemory = \"64MiB\"\n"
                               "[workload]\nvalue_size = \"100B\"\nkeys = 10000\nprefill = true\n"
                               "[load]\nworkers = 1\nconnections = 4\n"
                               "[timing]\nmeasure = \"1s\"\n");
  }
  Finished compare(std::vector<std::string> left, std::vector<std::string> right,
                   std::vector<std::string> flags = {}) {
    std::vector<std::string> arguments = {"compare"};
    arguments.insert(arguments.end(), left.begin(), left.end());
    if (!right.empty()) arguments.emplace_back("--vs");
    arguments.insert(arguments.end(), right.begin(), right.end());
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    return run_headroom(arguments, options());
  }
  // Verdicts by claim and the words of its statement.
  static std::vector<std::string> supported(const Json& json) {
    std::vector<std::string> claims;
    for (const Json& claim : json.at("claims")) {
      if (claim.at("verdict") == "supported")
        claims.push_back(claim.at("claim").get<std::string>());
    }
    return claims;
  }

 private:
  std::string scenario_;
};
HEADROOM_FOR_EACH_ENGINE(CompareTest);

TEST_P(CompareTest, TellsAPipelineOfFourFromOneAndOneScenarioNotFromItself) {
  write_scenario();
  std::vector<std::string> one;
  std::vector<std::string> same;
  std::vector<std::string> four;
  for (int i = 0; i < 5; ++i) {  // alternating, so that drift is no difference
    one.push_back(make_run(fmt::format("one-{}.run", i)));
    same.push_back(make_run(fmt::format("same-{}.run", i)));
    four.push_back(make_run(fmt::format("four-{}.run", i), {"load.pipeline=4"}));
  }
  // Five against five would find a difference by chance once in twenty times; three cannot.
  const Finished equal = compare({one[0], one[1], one[2]}, {same[0], same[1], same[2]}, {"--json"});
  ASSERT_EQ(equal.exit_code, 0) << equal.err << equal.out;
  const Json nothing = Json::parse(equal.out);
  EXPECT_THAT(nothing.at("contract").at("factors"), IsEmpty());
  for (const Json& contrast : nothing.at("contrasts")) {
    EXPECT_NE(contrast.at("decision"), "different") << contrast.dump();
  }

  const Finished other = compare(one, four, {"--json"});
  ASSERT_EQ(other.exit_code, 0) << other.err << other.out;
  const Json difference = Json::parse(other.out);
  ASSERT_EQ(difference.at("contract").at("factors").size(), 1U);
  EXPECT_EQ(difference.at("contract").at("factors")[0].at("key"), "load.pipeline");
  EXPECT_EQ(difference.at("arms")[1].at("name"), "load.pipeline = 4");
  EXPECT_THAT(supported(difference), ::testing::Contains("throughput-order"));

  const Finished by = compare({one[0], one[1], four[0], four[1]}, {}, {"--by", "load.pipeline"});
  EXPECT_EQ(by.exit_code, 0) << by.err;
  EXPECT_THAT(by.out, HasSubstr("load.pipeline = 1 (2 runs) against load.pipeline = 4 (2 runs)"));
  EXPECT_THAT(by.out, HasSubstr("WHERE THIS COMPARISON STOPS"));

  const Finished twice = compare({one[0]}, {one[0]});
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_THAT(twice.err, HasSubstr("given already"));
}

TEST_P(CompareTest, IsInvalidWithARunThatWasKilled) {
  expect_leftovers();
  write_scenario();
  const std::string whole = make_run("whole.run");
  const std::string cut = path("cut.run");
  {
    Headroom headroom(
        {"run", local_scenario(engine(), "[timing]\nmeasure = \"30s\"\n"), "-o", cut, "--quiet"},
        options());
    ASSERT_TRUE(wait_until([&] { return std::filesystem::exists(cut); }, std::chrono::seconds{20}));
    const auto measuring = [&] {
      const Finished report = run_headroom({"report", cut, "--json"}, options());
      if (report.exit_code != 0) return false;
      const Json json = Json::parse(report.out, nullptr, false);
      return !json.is_discarded() && json.at("measure").at("completed") > 0;
    };
    ASSERT_TRUE(wait_until(measuring, std::chrono::seconds{30}));
    headroom.signal(SIGKILL);
    ASSERT_FALSE(headroom.wait(std::chrono::seconds{10}).exit_code);
  }
  const Finished finished = compare({whole}, {cut});
  EXPECT_EQ(finished.exit_code, 7) << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("verdict invalid"));
  EXPECT_THAT(finished.out, HasSubstr("incomplete: invalid"));
  EXPECT_THAT(finished.out, HasSubstr("cut.run"));
  EXPECT_THAT(finished.out, ::testing::Not(HasSubstr("SUPPORTED")));
}

class CompareTableTest : public Test {};

TEST_F(CompareTableTest, ComparesTheGroupsOfATable) {
  const std::string table = path("table.json");
  ASSERT_TRUE(write_file(table, R"({"schema": "headroom-run-summaries", "schema_version": 1,
    "groups": [
      {"name": "small", "runs": 4, "figures": {"throughput_per_s": [100, 101, 102, 103]}},
      {"name": "large", "runs": 4, "figures": {"throughput_per_s": [200, 201, 202, 204]}}]})"));
  const Finished imported = run_headroom({"import", "summary", table}, options());
  EXPECT_EQ(imported.exit_code, 0) << imported.err;
  EXPECT_THAT(imported.out, HasSubstr("2 groups of runs"));
  const Finished compared =
      run_headroom({"compare", table, "--test", "throughput_per_s", "--markdown"}, options());
  EXPECT_EQ(compared.exit_code, 0) << compared.err;
  EXPECT_THAT(compared.out, HasSubstr("**large has the higher throughput than small.**"));
  const Finished refused = run_headroom({"compare", table, "--test", "throughput"}, options());
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("throughput is unknown"));
}

}  // namespace
}  // namespace headroom::e2e
