// docs/MEASUREMENT.md holds the catalogues of the code; HEADROOM_UPDATE_GOLDEN=1 writes the table
// of metrics anew.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "analysis/summary.h"
#include "record/event.h"
#include "record/metric.h"
#include "report/figure_list.h"
#include "tests/support/golden.h"

namespace headroom::report {
namespace {

using ::testing::HasSubstr;

std::filesystem::path manual_path() {
  return headroom::testing::source_folder() / "docs" / "MEASUREMENT.md";
}

std::string metrics_table() {
  std::string table = "| metric | of | kind | unit | what |\n|---|---|---|---|---|\n";
  for (const record::MetricInfo& metric : record::metric_catalogue()) {
    const char* source = metric.source == record::MetricSource::kEngine ? "engine"
                         : metric.source == record::MetricSource::kNode ? "node"
                                                                        : "generator";
    const char* kind = metric.kind == record::MetricKind::kCounter ? "counter" : "gauge";
    table += fmt::format("| `{}` | {} | {} | {} | {} |\n", metric.name, source, kind, metric.unit,
                         metric.help);
  }
  return table;
}

// The part of a manual between the marks of this name is this table.
void expect_table(const std::filesystem::path& path, const std::string& name,
                  const std::string& table) {
  const std::string begin = fmt::format("<!-- {}: begin -->\n", name);
  const std::string end = fmt::format("<!-- {}: end -->", name);
  std::string manual = headroom::testing::read_whole(path);
  const std::size_t from = manual.find(begin);
  const std::size_t to = manual.find(end);
  ASSERT_NE(from, std::string::npos);
  ASSERT_NE(to, std::string::npos);
  const std::size_t start = from + begin.size();
  if (std::getenv("HEADROOM_UPDATE_GOLDEN") != nullptr) {
    manual.replace(start, to - start, table);
    std::ofstream(path, std::ios::binary) << manual;
    return;
  }
  EXPECT_EQ(manual.substr(start, to - start), table) << "HEADROOM_UPDATE_GOLDEN=1 writes it anew";
}

TEST(MeasurementManual, HasTheTableOfAllMetrics) {
  expect_table(manual_path(), "metrics", metrics_table());
}

TEST(ExpectationsManual, HasTheTableOfAllFigures) {
  expect_table(headroom::testing::source_folder() / "docs" / "EXPECTATIONS.md", "figures",
               figure_list_markdown());
}

TEST(MeasurementManual, ExplainsEveryVerdictAndWarning) {
  const std::string manual = headroom::testing::read_whole(manual_path());
  for (int value = 0; value <= static_cast<int>(analysis::Limiter::kUnclear); ++value) {
    const auto name = analysis::limiter_name(static_cast<analysis::Limiter>(value));
    EXPECT_THAT(manual, HasSubstr(fmt::format("`{}`", name)));
  }
  for (int value = 0; value <= static_cast<int>(analysis::Regime::kRejecting); ++value) {
    const auto name = analysis::regime_name(static_cast<analysis::Regime>(value));
    EXPECT_THAT(manual, HasSubstr(fmt::format("| `{}` |", name)));
  }
  for (const record::WarningInfo& warning : record::warning_catalogue())
    EXPECT_THAT(manual, HasSubstr(fmt::format("| {} |", warning.name)));
}

}  // namespace
}  // namespace headroom::report
