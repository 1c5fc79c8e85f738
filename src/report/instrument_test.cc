#include "report/instrument.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/golden.h"
#include "tests/support/json_schema.h"
#include "tests/support/sample_checks.h"

namespace headroom::report {
namespace {

using analysis::InstrumentCheck;
using headroom::testing::expect_golden;
using headroom::testing::quiet_machine;
using headroom::testing::SchemaChecker;
using headroom::testing::starved_machine;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string page(const InstrumentCheck& check, bool colour = false) {
  return render_check_terminal(check, analysis::judge_instrument(check), {colour});
}

json document(const InstrumentCheck& check) {
  return json::parse(render_check_json(check, analysis::judge_instrument(check)));
}

TEST(CheckPage, ShowsAQuietMachine) { expect_golden("check_quiet.txt", page(quiet_machine())); }

TEST(CheckPage, ShowsAStarvedMachine) {
  expect_golden("check_starved.txt", page(starved_machine()));
}

TEST(CheckPage, ShowsAnUnfinishedOrUnknownNumberAsNotAvailable) {
  const std::string text = page(InstrumentCheck());
  EXPECT_THAT(text, HasSubstr("n/a"));
  EXPECT_THAT(text, Not(HasSubstr("nan")));
}

TEST(CheckPage, KeepsToEightyColumns) {
  for (const InstrumentCheck& check : {quiet_machine(), starved_machine()}) {
    std::istringstream lines(page(check));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
  }
}

TEST(CheckPage, HasColourOnlyWhereItIsWanted) {
  EXPECT_THAT(page(quiet_machine(), true), HasSubstr("\x1b["));
  EXPECT_THAT(page(quiet_machine()), Not(HasSubstr("\x1b[")));
}

TEST(CheckJson, FitsItsSchema) {
  const SchemaChecker schema(json::parse(headroom::testing::read_whole(
      headroom::testing::source_folder() / "docs" / "schema" / "check.schema.json")));
  for (const InstrumentCheck& check : {quiet_machine(), starved_machine(), InstrumentCheck()})
    EXPECT_THAT(schema.check(document(check)), IsEmpty());
  json unknown = document(quiet_machine());
  unknown["truths"][0]["quantiles"][0]["p42"] = 1;
  EXPECT_EQ(schema.check(unknown).size(), 1U);
}

TEST(CheckJson, IsExplainedInTheManual) {
  const std::string manual =
      headroom::testing::read_whole(headroom::testing::source_folder() / "docs" / "CHECK.md");
  const json parsed = document(quiet_machine());
  for (const auto& [key, value] : parsed.items()) EXPECT_THAT(manual, HasSubstr("`" + key + "`"));
}

TEST(CheckJson, HoldsTheNumbersOfTheCheck) {
  const InstrumentCheck check = quiet_machine();
  const json parsed = document(check);
  EXPECT_EQ(parsed["trust"], "trustworthy");
  EXPECT_EQ(parsed["truths"][0]["quantiles"][0]["measured_ns"],
            check.truths[0].quantiles[0].measured->count());
  EXPECT_EQ(parsed["truths"][1]["quantiles"][2]["holds"], nullptr);
  EXPECT_EQ(parsed["ceilings"][0]["operation_cpu_ns"], 4000);
  EXPECT_EQ(parsed["machine"]["quota_cpus"], nullptr);
}

}  // namespace
}  // namespace headroom::report
