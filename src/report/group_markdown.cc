// A group of runs as a Markdown document.
#include <fmt/format.h>

#include "analysis/prose.h"
#include "base/units.h"
#include "report/format.h"
#include "report/group.h"
#include "report/markdown_text.h"

namespace headroom::report {
namespace {

void add_contract(std::string& page, const Group& group) {
  if (group.contract.reasons.empty()) return;
  page += fmt::format("## Are they repeats of one thing? {}\n\n",
                      analysis::standing_name(group.contract.standing));
  for (const analysis::Reason& reason : group.contract.reasons)
    page += fmt::format("- **{}**: {} *{}*\n", reason.name, markdown_plain(reason.seen),
                        markdown_plain(analysis::reason_info(reason.kind).settle));
  page += '\n';
}

void add_figures(std::string& page, const Group& group) {
  page += "## Ranges, over the measure window\n\n";
  MarkdownCells cells = {{"figure", "runs", "min", "median", "max", "mean", "CV"}};
  for (std::size_t i = 0; i < group.members.size(); ++i)
    cells[0].push_back(fmt::format("run {}", i + 1));
  for (const GroupFigure& figure : group.figures) {
    cells.push_back({figure.label, fmt::format("{}", figure.spread.runs),
                     figure.text(figure.spread.min), figure.text(figure.spread.median),
                     figure.text(figure.spread.max), figure.text(figure.spread.mean),
                     percent_text(figure.spread.cv())});
    for (const auto& value : figure.values) cells.back().push_back(figure.text(value));
  }
  page += markdown_table(cells);
}

void add_runs(std::string& page, const Group& group) {
  page += "## Runs\n\n";
  MarkdownCells cells = {{"run", "file", "started", "state", "regime", "limiter"}};
  for (std::size_t i = 0; i < group.members.size(); ++i) {
    const analysis::ObservedRun& run = group.members[i].observed;
    cells.push_back(
        {fmt::format("{}", i + 1), markdown_plain(group.members[i].file),
         run.started ? iso_time(*run.started) : kNotAvailable, group.members[i].state,
         run.regime ? std::string(analysis::regime_name(*run.regime)) : kNotAvailable,
         run.limiter ? std::string(analysis::limiter_name(*run.limiter)) : kNotAvailable});
  }
  page += markdown_table(cells, true);
}

}  // namespace

std::string render_group_markdown(const Group& group) {
  std::string page(kMarkdownSignature);
  page += fmt::format("# {}: {}\n\n", markdown_plain(group.members.front().scenario),
                      markdown_plain(group_headline(group)));
  page += markdown_table({{"", ""},
                          {"target", markdown_plain(group.members.front().target)},
                          {"load", markdown_plain(group.members.front().load)}},
                         true);
  add_contract(page, group);
  add_figures(page, group);
  add_runs(page, group);
  page += "## What they agree on\n\n";
  MarkdownCells agreed = {{"verdict or setting", "value"}};
  for (const auto& [key, value] : group.agreed) {
    if (!key.starts_with("engine.config."))
      agreed.push_back({markdown_plain(key), markdown_plain(value)});
  }
  page += markdown_table(agreed, true);
  page += "## What they do not\n\n";
  if (group.differences.empty()) return page + "Nothing.\n";
  MarkdownCells differing = {{"verdict or setting"}};
  for (std::size_t i = 0; i < group.members.size(); ++i)
    differing[0].push_back(fmt::format("run {}", i + 1));
  for (const GroupDifference& difference : group.differences) {
    differing.push_back({markdown_plain(difference.key)});
    for (const auto& value : difference.values)
      differing.back().push_back(value ? markdown_plain(*value) : "unknown");
  }
  return page + markdown_table(differing, true);
}

}  // namespace headroom::report
