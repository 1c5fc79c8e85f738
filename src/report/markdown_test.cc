#include "report/markdown.h"

#include <gmock/gmock.h>

#include <regex>

#include "report/markdown_text.h"
#include "tests/support/golden.h"
#include "tests/support/sample_runs.h"

namespace headroom::report {
namespace {

using headroom::testing::expect_golden;
using headroom::testing::RunBuilder;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string rendered(const record::Run& run, Seal seal = Seal::kSealed) {
  return render_markdown(run, analysis::summarize(run),
                         {"runs/a.run", seal, seal == Seal::kSealed ? "3fa2b9c1" : ""});
}

TEST(Markdown, ShowsABoundaryRun) {
  expect_golden("report_boundary.md", rendered(headroom::testing::boundary_run().build()));
}

TEST(Markdown, ShowsAnOpenLoop) {
  expect_golden("report_open_loop.md", rendered(headroom::testing::open_loop_run().build()));
}

TEST(Markdown, ShowsARunThatWasKilled) {
  expect_golden("report_killed.md",
                rendered(headroom::testing::killed_run().build(), Seal::kIncomplete));
}

TEST(Markdown, SaysWhyAFigureIsNotThere) {
  const std::string page = rendered(RunBuilder().without_telemetry().build());
  EXPECT_THAT(page, HasSubstr("| memory used, max | n/a | "));
  EXPECT_THAT(page, Not(HasSubstr("| memory used, max | n/a |  |")));
}

TEST(Markdown, IsNothingButTextWhateverTheRunHolds) {
  const std::string evil = "<script>alert(1)</script> [x](http://evil) | `a`\n# head\n```\n";
  RunBuilder builder;
  builder.edit([&](record::Run& run) {
    run.header.scenario.name = evil;
    run.header.command_line = evil;
    run.header.scenario_toml = evil;
    run.header.operations[0] = evil;
    run.facts["engine.version"] = evil;
  });
  const std::string page = rendered(builder.build());
  // Outside of code blocks nothing of it means anything.
  std::string before = page.substr(0, page.find("## How to reproduce"));
  // What a backslash stands before is nothing but itself.
  before = std::regex_replace(before, std::regex(R"(\\[\\`*_\[\]<>#|~&])"), "");
  EXPECT_THAT(before, AllOf(Not(HasSubstr("<script")), Not(HasSubstr("[x")),
                            Not(HasSubstr("\n# head")), Not(HasSubstr("`"))));
  // Inside of them nothing ends the block.
  EXPECT_THAT(page, HasSubstr("\n````\n<script>alert(1)</script>"));
}

TEST(Markdown, CanBeToldFromOtherDocuments) {
  EXPECT_TRUE(is_markdown_report(rendered(RunBuilder().build())));
  EXPECT_FALSE(is_markdown_report("# My notes\n"));
  EXPECT_FALSE(is_markdown_report(""));
}

TEST(MarkdownText, FencesCodeLongerThanAnyFenceInside) {
  EXPECT_EQ(markdown_code("a\n"), "```\na\n```\n");
  EXPECT_THAT(markdown_code("````\n"), StartsWith("`````\n````\n"));
}

TEST(MarkdownText, MakesTables) {
  EXPECT_EQ(markdown_table({{"x", "y"}, {"a", "1"}}), "| x | y |\n|---|--:|\n| a | 1 |\n\n");
  EXPECT_EQ(markdown_table({{"x", "y"}, {"a", "b"}}, true), "| x | y |\n|---|---|\n| a | b |\n\n");
}

}  // namespace
}  // namespace headroom::report
