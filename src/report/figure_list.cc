#include "report/figure_list.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "analysis/expectations.h"
#include "base/text.h"
#include "report/page.h"
#include "scenario/expected_figure.h"

namespace headroom::report {
namespace {

using scenario::ExpectedFigure;
using scenario::ExpectedUnit;
using scenario::FigureScope;

// How a value of the figure is written.
std::string_view written(ExpectedUnit unit) {
  switch (unit) {
    case ExpectedUnit::kRate:
      return "50k/s";
    case ExpectedUnit::kShare:
    case ExpectedUnit::kRatio:
      return "95%";
    case ExpectedUnit::kNumber:
      return "1.5";
    case ExpectedUnit::kDuration:
      return "1ms";
    case ExpectedUnit::kBytes:
      return "64MiB";
    case ExpectedUnit::kCount:
      return "0";
  }
  return "";
}

// The figure with what may stand before it.
std::string form(const ExpectedFigure& figure) {
  switch (figure.scope) {
    case FigureScope::kRun:
      return std::string(figure.name);
    case FigureScope::kWindow:
      return fmt::format("[WINDOW.]{}", figure.name);
    case FigureScope::kOperations:
      return fmt::format("[WINDOW.][OPERATION.[OUTCOME.]]{}", figure.name);
    case FigureScope::kOutcomes:
      return fmt::format("[WINDOW.][OPERATION.]OUTCOME.{}", figure.name);
  }
  return std::string(figure.name);
}

std::string remark(const ExpectedFigure& figure) {
  return fmt::format("{}{}", figure.meaning, figure.open_loop ? " (open loop)" : "");
}

std::string names_line(std::string_view head, auto names) {
  return fmt::format("{}: {}", head, fmt::join(names, ", "));
}

}  // namespace

std::string render_figure_list() {
  Page page(false);
  page.line("What --expect and [expect] may be about: FIGURE < VALUE, with < <= > >= or ==.");
  page.section("FIGURES", "and how a value is written");
  std::vector<std::vector<std::string>> rows;
  for (const ExpectedFigure& figure : scenario::expected_figures())
    rows.push_back({std::string(figure.name), std::string(written(figure.unit)), remark(figure)});
  std::string text = std::move(page).text();
  std::size_t widest = 0;
  for (const auto& row : rows) widest = std::max(widest, row[0].size());
  for (const auto& row : rows)
    text += fmt::format("  {:<{}}  {:>5}  {}\n", row[0], widest, row[1], row[2]);
  text +=
      "\nBefore latency, response and hit or miss counts may stand an operation and an outcome:\n"
      "  GET.latency.p99   GET.hit.latency.p99   timeout.count   GET.miss.ratio\n";
  text += names_line("Outcomes", scenario::expected_outcomes()) + "\n";
  std::vector<std::string_view> windows;
  for (int i = 0; i < 4; ++i)
    windows.push_back(scenario::window_key(static_cast<scenario::ExpectedWindow>(i)));
  text += names_line("Windows", windows) + "\n  stable_segment.throughput\n";
  return text;
}

std::string render_figure_list(const analysis::Summary& summary) {
  const std::vector<analysis::FigureValue> values = analysis::figure_values(summary);
  std::size_t widest = 0;
  for (const analysis::FigureValue& value : values) widest = std::max(widest, value.path.size());
  std::string text;
  for (const analysis::FigureValue& value : values) {
    text += fmt::format("{:<{}}  {}\n", printable(value.path, 100), widest,
                        analysis::expected_value_text(value.unit, value.value));
  }
  return text;
}

std::string figure_list_markdown() {
  std::string table = "| figure | a value | in the JSON | what |\n|---|---|---|---|\n";
  for (const ExpectedFigure& figure : scenario::expected_figures()) {
    table += fmt::format("| `{}` | `{}` | `{}` | {} |\n", form(figure), written(figure.unit),
                         figure.json, remark(figure));
  }
  return table;
}

}  // namespace headroom::report
