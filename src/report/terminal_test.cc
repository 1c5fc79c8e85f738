#include "report/terminal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "report/text.h"
#include "tests/support/golden.h"
#include "tests/support/sample_runs.h"

namespace headroom::report {
namespace {

using headroom::testing::expect_golden;
using headroom::testing::RunBuilder;
using ::testing::HasSubstr;
using ::testing::Not;

std::string rendered(const record::Run& run, const Source& source = {}, bool colour = false) {
  return render_terminal(run, analysis::summarize(run), source, {colour});
}

const Source kSealed = {"runs/first-run-20260528T202640Z.run", Seal::kSealed,
                        "3fa2b9c1d4e5f60718293a4b5c6d7e8f3fa2b9c1d4e5f60718293a4b5c6d7e8f"};

std::vector<record::Run> all_runs() {
  std::vector<record::Run> runs;
  runs.push_back(headroom::testing::boundary_run().build());
  runs.push_back(headroom::testing::headroom_run().build());
  runs.push_back(headroom::testing::killed_run().build());
  runs.push_back(headroom::testing::rejecting_run().build());
  runs.push_back(RunBuilder().without_telemetry().build());
  runs.emplace_back();
  return runs;
}

TEST(Terminal, ShowsABoundaryRun) {
  expect_golden("terminal_boundary.txt",
                rendered(headroom::testing::boundary_run().build(), kSealed));
}

TEST(Terminal, ShowsAHeadroomRun) {
  expect_golden("terminal_headroom.txt",
                rendered(headroom::testing::headroom_run().build(), kSealed));
}

TEST(Terminal, ShowsARejectingRun) {
  expect_golden("terminal_rejecting.txt", rendered(headroom::testing::rejecting_run().build()));
}

TEST(Terminal, ShowsAKilledRunWithHostileTexts) {
  const std::string page =
      rendered(headroom::testing::killed_run().build(), {"runs/x.run", Seal::kIncomplete, ""});
  expect_golden("terminal_killed.txt", page);
  for (const char c : page) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
}

TEST(Terminal, ShowsAnEmptyRun) { expect_golden("terminal_empty.txt", rendered(record::Run{})); }

TEST(Terminal, NeverIsWiderThan80ColumnsNorEndsALineWithBlanks) {
  for (const record::Run& run : all_runs()) {
    const std::string page = rendered(run, kSealed);
    for (const std::string_view line : split(page, '\n')) {
      EXPECT_LE(display_width(line), 80U) << line;
      EXPECT_FALSE(line.ends_with(' ')) << line;
    }
  }
}

TEST(Terminal, ColourOnlyAddsToThePlainText) {
  for (const record::Run& run : all_runs()) {
    std::string coloured = rendered(run, kSealed, true);
    EXPECT_THAT(coloured, HasSubstr("\x1b["));
    std::string plain;
    for (std::size_t at = 0; at < coloured.size(); ++at) {
      if (coloured[at] == '\x1b')
        at = coloured.find('m', at);
      else
        plain += coloured[at];
    }
    EXPECT_EQ(plain, rendered(run, kSealed));
  }
}

TEST(Terminal, ShowsWarningsAndVerdictsAboveTheNumbers) {
  const std::string page = rendered(headroom::testing::boundary_run().build());
  EXPECT_LT(page.find("VERDICT"), page.find("WARNINGS"));
  EXPECT_LT(page.find("WARNINGS"), page.find("THROUGHPUT"));
  EXPECT_THAT(page, HasSubstr("->"));
}

TEST(Terminal, SaysLoudlyThatAFileWasChanged) {
  EXPECT_THAT(rendered(RunBuilder().build(), {"x.run", Seal::kTampered, "ab"}),
              HasSubstr("CHANGED SINCE IT WAS SEALED"));
  EXPECT_THAT(rendered(RunBuilder().build()), Not(HasSubstr("seal")));
}

TEST(Terminal, ShowsWhatEndedWithoutAReply) {
  const auto run = RunBuilder()
                       .edit([](record::Run& made) {
                         made.intervals[0].counts[1].outcomes[6] = 3;  // lost
                       })
                       .build();
  EXPECT_THAT(rendered(run), HasSubstr("GET lost 3"));
}

}  // namespace
}  // namespace headroom::report
