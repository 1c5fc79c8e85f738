#include "report/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "tests/support/golden.h"
#include "tests/support/sample_runs.h"

namespace headroom::report {
namespace {

using headroom::testing::RunBuilder;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// Splits a line that has no quoted commas.
std::vector<std::string_view> cells(std::string_view line) { return split(line, ','); }

std::vector<std::string> lines(const std::string& csv) {
  std::vector<std::string> result;
  for (const std::string_view line : split(csv, '\n')) {
    if (!line.empty()) result.emplace_back(line.substr(0, line.size() - 1));  // "\r"
  }
  return result;
}

std::string cell(const std::vector<std::string>& table, std::size_t row, std::string_view column) {
  const auto names = cells(table[0]);
  const auto found = std::ranges::find(names, column);
  if (found == names.end()) return "no such column";
  return std::string(cells(table[row])[static_cast<std::size_t>(found - names.begin())]);
}

TEST(Csv, ShowsAShortRun) {
  headroom::testing::expect_golden(
      "series_short.csv", render_csv(RunBuilder().warmup(1).measure(2).hole(0.4, 9).build()));
}

TEST(Csv, HasARowForEverySecondWithTheSameCells) {
  const auto table = lines(render_csv(RunBuilder().warmup(2).measure(40).build()));
  ASSERT_THAT(table, SizeIs(43));
  for (const std::string& line : table) EXPECT_EQ(cells(line).size(), cells(table[0]).size());
}

TEST(Csv, PutsValuesUnderTheirNames) {
  const auto table = lines(render_csv(RunBuilder().warmup(2).measure(3).build()));
  EXPECT_EQ(cell(table, 1, "phase"), "warmup");
  EXPECT_EQ(cell(table, 3, "phase"), "measure");
  EXPECT_EQ(cell(table, 3, "time_s"), "4");
  EXPECT_EQ(cell(table, 3, "completed"), "3300");
  EXPECT_EQ(cell(table, 3, "GET_hit"), "2700");
  EXPECT_EQ(cell(table, 3, "SET_p999_ns"), "");
  EXPECT_EQ(cell(table, 3, "SET_max_ns"), "120000");
  EXPECT_EQ(cell(table, 3, "command_calls{get}"), "7500");
  EXPECT_EQ(cell(table, 3, "maxmemory"), "67108864");
}

TEST(Csv, HasTheScheduleOfAnOpenLoopAndEmptyCellsWithoutOne) {
  const auto open = lines(render_csv(headroom::testing::open_loop_run().build()));
  EXPECT_EQ(cell(open, 11, "due"), "3300");
  EXPECT_EQ(cell(open, 11, "late"), "3300");
  EXPECT_EQ(cell(open, 11, "schedule_lag_max_ns"), "400000000");
  EXPECT_THAT(cell(open, 11, "response_max_ns"), "400120000");
  EXPECT_EQ(cell(open, 11, "all_max_ns"), "120000");
  const auto closed = lines(render_csv(RunBuilder().build()));
  EXPECT_EQ(cell(closed, 11, "due"), "");
  EXPECT_EQ(cell(closed, 11, "response_max_ns"), "");
}

TEST(Csv, WritesSamplesExactly) {
  const auto table =
      lines(render_csv(RunBuilder()
                           .measure(2)
                           .metric("CacheHits", [](double) { return 123'456'789'012.0; })
                           .metric("used_cpu_user_seconds", [](double) { return 0.1; })
                           .build()));
  EXPECT_EQ(cell(table, 1, "CacheHits"), "123456789012");
  EXPECT_EQ(cell(table, 1, "used_cpu_user_seconds"), "0.1");
}

TEST(Csv, LeavesCellsEmptyWhereNothingWasSampled) {
  const auto table = lines(render_csv(RunBuilder().measure(20).hole(5, 15).build()));
  EXPECT_NE(cell(table, 5, "CurrItems"), "");
  EXPECT_EQ(cell(table, 10, "CurrItems"), "");
}

TEST(Csv, QuotesAndEscapesForeignNames) {
  const auto run = RunBuilder()
                       .measure(1)
                       .edit([](record::Run& made) {
                         made.metrics.push_back({"command_calls", "a,\"b\"\n", {}});
                       })
                       .build();
  EXPECT_THAT(render_csv(run), HasSubstr("\"command_calls{a,\"\"b\"\"\\x0a}\""));
}

TEST(Csv, OfAnEmptyRunIsItsHeader) { EXPECT_THAT(lines(render_csv(record::Run{})), SizeIs(1)); }

}  // namespace
}  // namespace headroom::report
