// A comparison on the page, as JSON and as Markdown.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "report/compare_json.h"
#include "report/compare_markdown.h"
#include "report/compare_terminal.h"
#include "report/text.h"
#include "tests/support/golden.h"
#include "tests/support/json_schema.h"
#include "tests/support/run_builder.h"

namespace headroom::report {
namespace {

using headroom::testing::LoadSecond;
using headroom::testing::RunBuilder;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

analysis::ObservedRun observed(int number, std::uint32_t pipeline, std::uint64_t sets) {
  const record::Run run =
      RunBuilder()
          .load([&](std::int64_t) {
            LoadSecond load;
            load.sets = sets;
            load.set_latency = std::chrono::microseconds{100 * pipeline + 5 * number};
            return load;
          })
          .without("command_calls", "set")
          .without("command_calls", "get")
          .edit([&](record::Run& made) {
            made.header.scenario.load.pipeline = pipeline;
            made.header.started = WallTime{std::chrono::hours{490'000 + number}};
          })
          .build();
  return analysis::observe(run, analysis::summarize(run), "run-" + std::to_string(number) + ".run",
                           true);
}

// Four alternating runs an arm.
analysis::Comparison pipelines() {
  std::vector<analysis::Arm> arms(2);
  for (int i = 0; i < 8; ++i) {
    const bool second = i % 2 == 1;
    arms[second ? 1 : 0].runs.push_back(
        observed(i, second ? 4 : 1, static_cast<std::uint64_t>((second ? 1'200 : 500) + 7 * i)));
  }
  analysis::name_by_difference(arms);
  return analysis::compare(std::move(arms), {});
}

analysis::Comparison invalid() {
  std::vector<analysis::Arm> arms(2);
  arms[0].name = "A";
  arms[1].name = "B\x1b[31m";
  for (int i = 0; i < 2; ++i) {
    arms[static_cast<std::size_t>(i)].runs.push_back(observed(i, 1, 100));
  }
  arms[1].runs[0].faults.push_back({analysis::FaultKind::kIncomplete, "it was never finished"});
  return analysis::compare(std::move(arms), {});
}

TEST(Comparison, IsAPageOfEightyColumns) {
  const std::string page = render_comparison_terminal(pipelines(), {});
  for (const char* part : {"CONTRACT", "factor  load.pipeline: 1 against 4", "VERDICT", "RUNS",
                           "FIGURES", "SUPPORTED", "WHERE THIS COMPARISON STOPS"})
    EXPECT_THAT(page, HasSubstr(part));
  for (const std::string_view line : split(page, '\n')) EXPECT_LE(display_width(line), 80U) << line;
}

TEST(Comparison, MakesNoClaimWhenItIsInvalid) {
  const std::string page = render_comparison_terminal(invalid(), {});
  EXPECT_THAT(page, HasSubstr("incomplete: invalid"));
  EXPECT_THAT(page, Not(HasSubstr("SUPPORTED")));
  EXPECT_THAT(page, Not(HasSubstr("\x1b")));
  EXPECT_THAT(render_comparison_markdown(invalid()), HasSubstr("No claim is made"));
}

TEST(Comparison, IsMarkdownToo) {
  const std::string page = render_comparison_markdown(pipelines());
  EXPECT_THAT(page, HasSubstr("**load.pipeline = 4 has the higher throughput than"));
  EXPECT_THAT(page, HasSubstr("## Where this comparison stops"));
}

TEST(Comparison, FitsItsSchema) {
  const auto path =
      headroom::testing::source_folder() / "docs" / "schema" / "comparison.schema.json";
  const headroom::testing::SchemaChecker schema(json::parse(headroom::testing::read_whole(path)));
  EXPECT_THAT(schema.check(json::parse(render_comparison_json(pipelines()))), IsEmpty());
  EXPECT_THAT(schema.check(json::parse(render_comparison_json(invalid()))), IsEmpty());
}

TEST(ClaimsManual, ExplainsEveryClaimGuardAndReason) {
  const std::string manual =
      headroom::testing::read_whole(headroom::testing::source_folder() / "docs" / "CLAIMS.md");
  for (const analysis::ClaimInfo& claim : analysis::claim_catalogue()) {
    EXPECT_THAT(manual, HasSubstr("### " + std::string(claim.name) + "\n"));
    EXPECT_THAT(manual, HasSubstr(std::string(claim.asks)));
  }
  for (const analysis::GuardInfo& guard : analysis::guard_catalogue())
    EXPECT_THAT(manual, HasSubstr("| `" + std::string(guard.name) + "` | " +
                                  std::string(guard.meaning) + " |"));
  for (const analysis::ReasonInfo& reason : analysis::reason_catalogue()) {
    if (reason.kind == analysis::ReasonKind::kRunFault) continue;
    EXPECT_THAT(manual, HasSubstr("| `" + std::string(reason.name) + "` |"));
  }
}

TEST(RunSummariesManual, HasEveryFigure) {
  const std::string manual = headroom::testing::read_whole(headroom::testing::source_folder() /
                                                           "docs" / "RUN_SUMMARIES.md");
  for (const analysis::FigureInfo& figure : analysis::figure_catalogue())
    EXPECT_THAT(manual, HasSubstr("| `" + std::string(figure.key) + "` | " +
                                  std::string(figure.meaning) + " |"));
}

}  // namespace
}  // namespace headroom::report
