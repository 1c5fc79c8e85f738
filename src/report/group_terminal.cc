// A group of runs as a page of plain text.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "analysis/prose.h"
#include "base/text.h"
#include "base/units.h"
#include "report/format.h"
#include "report/group.h"
#include "report/page.h"
#include "report/text.h"

namespace headroom::report {
namespace {

constexpr std::size_t kRunLabelWidth = 13;
constexpr std::size_t kPictureWidth = 48;
constexpr std::size_t kSettingWidth = 28;
constexpr std::size_t kMostDrawn = 12;  // runs; of more only the median

std::string figure_of(const GroupMember& member, analysis::Figure figure) {
  const auto found = member.observed.figures.find(figure);
  return found == member.observed.figures.end() ? kNotAvailable
                                                : analysis::figure_text(figure, found->second);
}

// What the runs are called in tables: their numbers; names of files are long.
std::string number_of(std::size_t run) { return fmt::format("{}", run + 1); }

void add_runs(Page& page, const Group& group) {
  page.section("RUNS", "as they were given");
  std::vector<std::vector<std::string>> cells = {
      {"", "started (UTC)", "throughput", "p99", "regime", "limiter", "state"}};
  for (std::size_t i = 0; i < group.members.size(); ++i) {
    const GroupMember& member = group.members[i];
    const analysis::ObservedRun& run = member.observed;
    std::string started = run.started ? iso_time(*run.started).substr(0, 19) : kNotAvailable;
    std::ranges::replace(started, 'T', ' ');
    cells.push_back(
        {number_of(i), started, figure_of(member, analysis::Figure::kThroughput),
         member.open_loop ? latency_text(member.response_p99)
                          : figure_of(member, analysis::Figure::kLatencyP99),
         run.regime ? std::string(analysis::regime_name(*run.regime)) : kNotAvailable,
         run.limiter ? std::string(analysis::limiter_name(*run.limiter)) : kNotAvailable,
         member.state});
  }
  page.table(cells);
  if (group.members.front().open_loop) page.line("  p99 is of response latency.");
  for (std::size_t i = 0; i < group.members.size(); ++i) {
    page.line(fmt::format("  {} is {}", number_of(i), printable(group.members[i].file, 70)));
  }
}

void add_ranges(Page& page, const Group& group) {
  page.section("RANGES", "window: measure; every run counts once");
  std::vector<std::vector<std::string>> cells = {{"", "min", "median", "max", "CV"}};
  bool partly = false;
  for (const GroupFigure& figure : group.figures) {
    const bool all = figure.spread.runs == group.members.size();
    partly |= !all;
    cells.push_back({figure.label + (all ? "" : " *"), figure.text(figure.spread.min),
                     figure.text(figure.spread.median), figure.text(figure.spread.max),
                     percent_text(figure.spread.cv())});
  }
  page.table(cells);
  if (partly) page.line("  * not all runs know it; of those that do");
}

// "  key   value", the value wrapped in its own column.
void add_setting(Page& page, std::string_view key, std::string_view value) {
  std::string head = "  " + pad_right(printable(key, kSettingWidth), kSettingWidth) + " ";
  for (const std::string& part : wrap(value, Page::kWidth - display_width(head))) {
    page.line(head + part);
    head = std::string(kSettingWidth + 3, ' ');
  }
}

void add_agreement(Page& page, const Group& group) {
  page.section("WHAT THEY AGREE ON", analysis::counted(group.agreed.size(), "verdict or setting",
                                                       "verdicts and settings"));
  for (const auto& [key, value] : group.agreed) {
    // The rest is in the JSON: engines have hundreds of settings.
    if (!key.starts_with("engine.config.")) add_setting(page, key, printable(value, 200));
  }
  page.section("WHAT THEY DO NOT", group.differences.empty() ? "nothing" : "run by run");
  for (const GroupDifference& difference : group.differences) {
    std::vector<std::string> values;
    for (const auto& value : difference.values)
      values.push_back(value ? printable(*value, 60) : "unknown");
    add_setting(page, difference.key, fmt::format("{}", fmt::join(values, " | ")));
  }
}

void add_contract(Page& page, const Group& group) {
  if (group.contract.reasons.empty()) return;
  page.section("ARE THEY REPEATS OF ONE THING?", analysis::standing_name(group.contract.standing));
  for (const analysis::Reason& reason : group.contract.reasons) {
    page.line(fmt::format("  ! {}", reason.name), Tone::kCaution);
    page.paragraph("", printable(reason.seen, 1000));
    page.paragraph("       ->", analysis::reason_info(reason.kind).settle);
  }
}

std::optional<double> largest(const GroupValues& values) {
  std::optional<double> top;
  for (const auto& value : values) top = std::max(top, value);
  return top;
}

void add_picture(Page& page, const Group& group, GroupLine line, Join join, std::string_view title,
                 const std::function<std::string(double)>& text) {
  const auto index = static_cast<std::size_t>(line);
  std::optional<double> top;
  std::size_t longest = 0;
  for (const GroupMember& member : group.members) {
    top = std::max(top, largest(member.lines.at(index)));
    longest = std::max(longest, member.lines.at(index).size());
  }
  if (!top || *top <= 0) return;
  const std::size_t step = values_per_column(longest, kPictureWidth);
  page.line(
      fmt::format("  {}, a column is {} s; its height from 0 (·) to {}", title, step, text(*top)));
  const auto draw = [&](std::string_view label, GroupValues values, Tone tone) {
    values.resize(longest);  // all on one axis of time
    const auto columns = resample(values, kPictureWidth, join);
    const auto own = largest(values);
    page.line(fmt::format("  {} {} {}", pad_right(label, kRunLabelWidth),
                          pad_right(sparkline(columns, *top), kPictureWidth),
                          own ? text(*own) : std::string(kNotAvailable)),
              tone);
  };
  if (group.members.size() <= kMostDrawn) {
    for (std::size_t i = 0; i < group.members.size(); ++i)
      draw("run " + number_of(i), group.members[i].lines.at(index), Tone::kPlain);
  }
  draw("median", median_line(group, line), Tone::kStrong);
}

void add_over_time(Page& page, const Group& group) {
  page.section("OVER TIME", "from the begin of measuring");
  const auto per_s = [](double value) { return human_count(value) + "/s"; };
  add_picture(page, group, GroupLine::kThroughput, Join::kMean, "throughput", per_s);
  add_picture(page, group, GroupLine::kP99, Join::kMax, "p99",
              [](double value) { return human_duration(Nanos{static_cast<std::int64_t>(value)}); });
  add_picture(page, group, GroupLine::kMemoryUsed, Join::kMax, "memory used",
              [](double value) { return percent_text(value); });
  add_picture(page, group, GroupLine::kEvictions, Join::kMean, "evictions", per_s);
}

}  // namespace

std::string render_group_terminal(const Group& group, const TerminalOptions& options) {
  Page page(options.colour);
  page.line(group_headline(group), group_tone(group));
  const GroupMember& first = group.members.front();
  page.paragraph("target", first.target);
  page.paragraph("load", first.load);
  add_contract(page, group);
  add_runs(page, group);
  add_ranges(page, group);
  add_over_time(page, group);
  add_agreement(page, group);
  return std::move(page).text();
}

}  // namespace headroom::report
