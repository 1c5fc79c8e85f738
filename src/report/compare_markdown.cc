#include "report/compare_markdown.h"

#include <fmt/format.h>

#include "analysis/prose.h"
#include "report/compare_figures.h"
#include "report/markdown_text.h"

namespace headroom::report {
namespace {

using analysis::Comparison;
using analysis::Verdict;

void add_contract(std::string& page, const analysis::Contract& contract) {
  page += fmt::format("## Contract: {}\n\n", analysis::standing_name(contract.standing));
  for (const analysis::Difference& factor : contract.factors) {
    std::vector<std::string> values;
    for (const auto& value : factor.values)
      values.push_back(value ? markdown_plain(*value) : "unknown");
    page += fmt::format("- factor **{}**: {}\n", markdown_plain(factor.key),
                        fmt::join(values, " against "));
  }
  for (const analysis::Reason& reason : contract.reasons) {
    page += fmt::format("- **{}**: {} *{}*\n", reason.name, markdown_plain(reason.seen),
                        markdown_plain(analysis::reason_info(reason.kind).settle));
  }
  page += '\n';
}

void add_baseline(std::string& page, const Comparison& comparison) {
  if (comparison.against.empty()) return;
  page += "## Against the baseline\n\n";
  for (const analysis::Against verdict :
       {analysis::Against::kRegressed, analysis::Against::kHeld, analysis::Against::kCannotTell}) {
    for (const analysis::AgainstBaseline& figure : comparison.against) {
      if (figure.verdict == verdict)
        page += fmt::format("- **{}**: {}\n", analysis::against_name(verdict),
                            markdown_plain(figure.line()));
    }
  }
  page += '\n';
}

void add_expectations(std::string& page, const Comparison& comparison) {
  const std::vector<ExpectationCount> counts = count_expectations(comparison);
  if (counts.empty()) return;
  page += "## Expectations\n\n";
  for (const ExpectationCount& count : counts) {
    page += fmt::format("- **{}**: {}, by {} of {}\n", count.unmet.empty() ? "met" : "not met",
                        markdown_plain(count.condition), count.met,
                        analysis::counted(count.runs, "run"));
    for (const std::string& line : count.unmet)
      page += fmt::format("  - {}\n", markdown_plain(line));
  }
  page += '\n';
}

void add_figures(std::string& page, const Comparison& comparison) {
  page += "## Figures\n\n| figure | arm | runs | min | median | max | mean | CV |\n";
  page += "|---|---|--:|--:|--:|--:|--:|--:|\n";
  for (const analysis::Figure figure : shown_figures(comparison)) {
    for (const analysis::Arm& arm : comparison.arms) {
      const analysis::Spread spread = arm.spread(figure);
      const auto cv = spread.cv();
      page += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n",
                          analysis::figure_info(figure).label, markdown_plain(arm.name),
                          spread.runs, figure_cell(figure, spread.min),
                          figure_cell(figure, spread.median), figure_cell(figure, spread.max),
                          figure_cell(figure, spread.mean), cv ? analysis::percent(*cv) : "n/a");
    }
  }
  page += '\n';
}

void add_claims(std::string& page, const Comparison& comparison) {
  for (const auto& [verdict, title] : {std::pair{Verdict::kSupported, "Supported"},
                                       {Verdict::kNotSupported, "Not supported"},
                                       {Verdict::kCannotTell, "Cannot tell"}}) {
    const auto claims = claims_with(comparison, verdict);
    if (claims.empty()) continue;
    page += fmt::format("## {}\n\n", title);
    for (const analysis::Claim* claim : claims) {
      page += fmt::format("- **{}** ({})\n", markdown_plain(claim->statement),
                          analysis::claim_info(claim->kind).name);
      for (const std::string& evidence : claim->evidence)
        page += fmt::format("  - {}\n", markdown_plain(evidence));
      for (const analysis::Guard& guard : claim->guards)
        page += fmt::format("  - guard *{}*: {}\n", analysis::guard_info(guard.kind).name,
                            markdown_plain(guard.limit));
      if (!claim->settle.empty())
        page += fmt::format("  - to settle it: {}\n", markdown_plain(claim->settle));
    }
    page += '\n';
  }
}

}  // namespace

std::string render_comparison_markdown(const Comparison& comparison) {
  std::string page = fmt::format("# {}\n\n", markdown_plain(comparison_title(comparison)));
  add_contract(page, comparison.contract);
  add_baseline(page, comparison);
  add_expectations(page, comparison);
  if (comparison.contract.standing == analysis::Standing::kInvalid) {
    page += "No claim is made: nothing may be read from an invalid comparison.\n";
    return page;
  }
  add_figures(page, comparison);
  add_claims(page, comparison);
  page += "## Where this comparison stops\n\n";
  if (comparison.stops.empty()) page += "No guard fired.\n";
  for (const std::string& stop : comparison.stops)
    page += fmt::format("- {}\n", markdown_plain(stop));
  return page;
}

}  // namespace headroom::report
