// Several loads and stages on the terminal page, as JSON and as CSV.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "analysis/summary.h"
#include "report/csv.h"
#include "report/json.h"
#include "report/terminal.h"
#include "tests/support/golden.h"
#include "tests/support/json_schema.h"
#include "tests/support/run_builder.h"
#include "tests/support/several_loads.h"

namespace headroom::report {
namespace {

using headroom::testing::RunBuilder;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

record::Run several() {
  return RunBuilder()
      .measure(30)
      .edit(headroom::testing::make_two_tenants)
      .edit([](record::Run& run) {
        headroom::testing::add_stage(run, "burst", seconds{10}, seconds{5});
      })
      .build();
}

std::string terminal(const record::Run& run) {
  return render_terminal(run, analysis::summarize(run), {}, {});
}

TEST(SeveralLoads, TheTerminalShowsEachLoadAndEachWindow) {
  EXPECT_THAT(terminal(several()),
              AllOf(HasSubstr("\nLOADS"), HasSubstr("\n  a "), HasSubstr("\n  b "),
                    HasSubstr("Every load's requests and outcomes add up"), HasSubstr("\nSTAGES"),
                    HasSubstr("before burst"), HasSubstr("10.0 s"), HasSubstr("after burst"),
                    HasSubstr("a: 1 worker x 2 connections"), HasSubstr("; stages: burst at 10s")));
}

TEST(SeveralLoads, ARunOfOneLoadShowsNeither) {
  EXPECT_THAT(terminal(RunBuilder().build()),
              AllOf(Not(HasSubstr("\nLOADS")), Not(HasSubstr("\nSTAGES"))));
}

TEST(SeveralLoads, TheJsonIsWhatTheSchemaSays) {
  const record::Run run = several();
  const auto json = nlohmann::json::parse(render_json(run, analysis::summarize(run), {}));
  const auto path = headroom::testing::source_folder() / "docs" / "schema" / "summary.schema.json";
  const headroom::testing::SchemaChecker schema(
      nlohmann::json::parse(headroom::testing::read_whole(path)));
  EXPECT_THAT(schema.check(json), IsEmpty());
  EXPECT_EQ(json["loads"].size(), 2U);
  EXPECT_EQ(json["loads"][1]["load"], "b");
  EXPECT_EQ(json["loads"][1]["completed"], 60'000);
  EXPECT_EQ(json["stages"].size(), 3U);
  EXPECT_EQ(json["stages"][1]["is_stage"], true);
  EXPECT_EQ(json["stages"][1]["summary"]["window"]["begin_ns"], 10'000'000'000);
}

TEST(SeveralLoads, TheCsvNamesTheStageOfEachSecond) {
  const std::string csv = render_csv(several());
  EXPECT_THAT(csv, AllOf(HasSubstr("\n12,measure,burst,1,"), HasSubstr("\n16,measure,burst,1,"),
                         HasSubstr("\n11,measure,,1,"), HasSubstr("\n17,measure,,1,"),
                         HasSubstr("a/SET_sent")));
}

}  // namespace
}  // namespace headroom::report
