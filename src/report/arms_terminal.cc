#include "report/arms_terminal.h"

#include <fmt/format.h>

#include <vector>

#include "analysis/prose.h"
#include "base/text.h"
#include "report/compare_figures.h"
#include "report/page.h"

namespace headroom::report {
namespace {

void add_arm(Page& page, const analysis::Arm& arm) {
  page.section(printable(arm.name, 60), analysis::counted(arm.size(), "run"));
  for (const auto& [key, value] : arm.runs.front().settings) {
    const auto agreed = arm.setting(key);
    page.row(printable(key, 40), "", agreed ? printable(*agreed, 60) : "differs between the runs");
  }
  const auto regime = arm.regime();
  page.row("regime", "", regime ? analysis::regime_name(*regime) : "not stated of every run");
  const auto limiter = arm.limiter();
  page.row("limiter", "", limiter ? analysis::limiter_name(*limiter) : "not stated of every run");
  std::vector<std::vector<std::string>> cells = {{"", "min", "median", "max", "mean", "runs"}};
  std::vector<std::string> missing;
  for (const analysis::FigureInfo& info : analysis::figure_catalogue()) {
    const analysis::Spread spread = arm.spread(info.figure);
    if (!spread.known()) {
      missing.emplace_back(info.label);
      continue;
    }
    cells.push_back({std::string(info.label), figure_cell(info.figure, spread.min),
                     figure_cell(info.figure, spread.median), figure_cell(info.figure, spread.max),
                     figure_cell(info.figure, spread.mean),
                     spread.every_run() ? "each" : "together"});
  }
  page.table(cells);
  if (!missing.empty())
    page.paragraph("  unknown", fmt::format("{}", fmt::join(missing, ", ")), Tone::kCaution);
}

}  // namespace

std::string render_arms_terminal(std::span<const analysis::Arm> arms,
                                 const TerminalOptions& options) {
  Page page(options.colour);
  page.line(analysis::counted(arms.size(), "group") + " of runs", Tone::kStrong);
  for (const analysis::Arm& arm : arms) add_arm(page, arm);
  return std::move(page).text();
}

}  // namespace headroom::report
