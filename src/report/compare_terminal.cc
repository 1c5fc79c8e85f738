#include "report/compare_terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "analysis/prose.h"
#include "base/text.h"
#include "report/compare_figures.h"
#include "report/page.h"

namespace headroom::report {
namespace {

using analysis::Arm;
using analysis::Claim;
using analysis::Comparison;
using analysis::Figure;
using analysis::Spread;
using analysis::Standing;
using analysis::Verdict;

constexpr std::size_t kLongest = 1000;  // of a sentence that holds foreign names

Tone standing_tone(Standing standing) {
  switch (standing) {
    case Standing::kComparable:
      return Tone::kGood;
    case Standing::kConditional:
      return Tone::kCaution;
    case Standing::kInvalid:
      return Tone::kBad;
  }
  return Tone::kPlain;
}

std::string capitalised(std::string_view words) {
  std::string text(words);
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z')
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return text;
}

std::string shown(const std::optional<std::string>& value) {
  return value ? printable(*value, 60) : "unknown";
}

void add_contract(Page& page, const Comparison& comparison) {
  const analysis::Contract& contract = comparison.contract;
  page.section("CONTRACT", "may these runs be compared?");
  page.paragraph("  verdict", analysis::standing_name(contract.standing),
                 standing_tone(contract.standing));
  for (const analysis::Difference& factor : contract.factors) {
    std::vector<std::string> values;
    for (const auto& value : factor.values) values.push_back(shown(value));
    page.paragraph("  factor", fmt::format("{}: {}", printable(factor.key, 60),
                                           fmt::join(values, " against ")));
  }
  for (const analysis::Reason& reason : contract.reasons) {
    const analysis::ReasonInfo& info = analysis::reason_info(reason.kind);
    page.line(fmt::format("  ! {}{}", reason.name,
                          info.standing == Standing::kInvalid ? ": invalid" : ""),
              standing_tone(info.standing));
    page.paragraph("", printable(reason.seen, kLongest));
    page.paragraph("       ->", info.settle);
  }
}

// What got worse than the baseline, what did not, and what nobody can tell.
void add_baseline(Page& page, const Comparison& comparison) {
  if (comparison.against.empty()) return;
  const double margin = comparison.options.contrast.margin.value_or(0);
  const bool worse = analysis::any_regressed(comparison.against);
  page.section("AGAINST THE BASELINE",
               fmt::format("{}{}", worse ? "worse" : "nothing is shown to be worse",
                           margin > 0 ? fmt::format(" by more than {}", analysis::percent(margin))
                                      : std::string()));
  for (const auto& [verdict, label, tone] :
       {std::tuple{analysis::Against::kRegressed, "  WORSE", Tone::kBad},
        {analysis::Against::kHeld, "  held", Tone::kGood},
        {analysis::Against::kCannotTell, "  ?", Tone::kPlain}}) {
    for (const analysis::AgainstBaseline& figure : comparison.against) {
      if (figure.verdict == verdict)
        page.paragraph(label, printable(figure.line(), kLongest), tone);
    }
  }
}

// A line a condition and run that does not meet it.
void add_expectations(Page& page, const Comparison& comparison) {
  const std::vector<ExpectationCount> counts = count_expectations(comparison);
  if (counts.empty()) return;
  page.section("EXPECTATIONS", "of every run");
  for (const ExpectationCount& count : counts) {
    page.paragraph(count.unmet.empty() ? "  met" : "  NOT MET",
                   fmt::format("{}: met by {} of {}", count.condition, count.met,
                               analysis::counted(count.runs, "run")),
                   count.unmet.empty() ? Tone::kPlain : Tone::kBad);
    for (const std::string& line : count.unmet) page.paragraph("", printable(line, kLongest));
  }
}

// A row an arm; then, of two arms or more, how each pair differs.
void add_figure(Page& page, const Comparison& comparison, Figure figure) {
  std::vector<std::vector<std::string>> cells = {
      {std::string(analysis::figure_info(figure).label), "min", "median", "max", "mean", "CV"}};
  for (const Arm& arm : comparison.arms) {
    const Spread spread = arm.spread(figure);
    const auto cv = spread.cv();
    cells.push_back({"  " + printable(arm.name, 24), figure_cell(figure, spread.min),
                     figure_cell(figure, spread.median), figure_cell(figure, spread.max),
                     figure_cell(figure, spread.mean), cv ? analysis::percent(*cv) : "n/a"});
  }
  page.table(cells);
  for (const analysis::Contrast& contrast : comparison.contrasts) {
    if (contrast.figure != figure) continue;
    const std::string pair =
        comparison.arms.size() < 3
            ? std::string()
            : fmt::format("{} / {}: ", printable(comparison.arms[contrast.second].name, 24),
                          printable(comparison.arms[contrast.first].name, 24));
    page.paragraph("", pair + contrast_text(contrast));
  }
}

// Every run's throughput: what no summary may hide.
void add_runs(Page& page, const Comparison& comparison) {
  page.section("RUNS", "throughput of every run");
  for (const Arm& arm : comparison.arms) {
    page.line("  " + printable(arm.name, 76), Tone::kStrong);
    const Spread spread = arm.spread(Figure::kThroughput);
    bool any = false;
    for (const analysis::ObservedRun& run : arm.runs) {
      const auto value = run.figures.find(Figure::kThroughput);
      if (value == run.figures.end()) continue;
      any = true;
      page.line(fmt::format("    {:>12}  {}",
                            analysis::figure_text(Figure::kThroughput, value->second),
                            printable(run.name, 60)));
    }
    if (any) continue;
    for (const double value : spread.values)
      page.line(fmt::format("    {:>12}", analysis::figure_text(Figure::kThroughput, value)));
    if (spread.values.empty()) page.line("    the values of single runs are not known");
  }
}

void add_claim(Page& page, const Claim& claim, Tone tone) {
  page.line(fmt::format("  {}", analysis::claim_info(claim.kind).name), tone);
  page.paragraph("", printable(claim.statement, kLongest), Tone::kStrong);
  for (const std::string& evidence : claim.evidence)
    page.paragraph("", printable(evidence, kLongest));
  for (const analysis::Guard& guard : claim.guards) {
    page.paragraph("       !", fmt::format("{}: {}", analysis::guard_info(guard.kind).name,
                                           printable(guard.limit, kLongest)));
  }
  if (!claim.settle.empty()) page.paragraph("       ->", printable(claim.settle, kLongest));
}

void add_claims(Page& page, const Comparison& comparison) {
  struct Group {
    Verdict verdict;
    std::string_view title;
    Tone tone;
  };
  constexpr Group kGroups[] = {{Verdict::kSupported, "SUPPORTED", Tone::kGood},
                               {Verdict::kNotSupported, "NOT SUPPORTED", Tone::kBad},
                               {Verdict::kCannotTell, "CANNOT TELL", Tone::kCaution}};
  for (const Group& group : kGroups) {
    const auto claims = claims_with(comparison, group.verdict);
    if (claims.empty()) continue;
    page.section(group.title, analysis::counted(claims.size(), "claim"));
    for (const Claim* claim : claims) add_claim(page, *claim, group.tone);
  }
}

// What was asked in advance, in a line each.
void add_verdict(Page& page, const Comparison& comparison) {
  page.section("VERDICT", fmt::format("{} supported, {} not supported, {} cannot tell",
                                      claims_with(comparison, Verdict::kSupported).size(),
                                      claims_with(comparison, Verdict::kNotSupported).size(),
                                      claims_with(comparison, Verdict::kCannotTell).size()));
  for (const Claim& claim : comparison.claims) {
    if (!claim.primary) continue;
    page.paragraph("        -", fmt::format("{} {}.", printable(claim.statement, kLongest),
                                            capitalised(analysis::verdict_name(claim.verdict))));
  }
}

void add_stops(Page& page, const Comparison& comparison) {
  page.section("WHERE THIS COMPARISON STOPS");
  if (comparison.stops.empty()) page.line("  No guard fired.");
  for (const std::string& stop : comparison.stops)
    page.paragraph("        -", printable(stop, kLongest));
}

}  // namespace

std::string render_comparison_terminal(const Comparison& comparison,
                                       const TerminalOptions& options) {
  Page page(options.colour);
  page.paragraph("compare", comparison_title(comparison), Tone::kStrong);
  add_contract(page, comparison);
  add_baseline(page, comparison);
  add_expectations(page, comparison);
  if (comparison.contract.standing == Standing::kInvalid) {
    page.section("CLAIMS");
    page.line("  None: nothing may be read from an invalid comparison.", Tone::kBad);
    add_runs(page, comparison);
    return std::move(page).text();
  }
  add_verdict(page, comparison);
  add_runs(page, comparison);
  page.section("FIGURES", "n/a: not known, or too few runs");
  for (const Figure figure : shown_figures(comparison)) add_figure(page, comparison, figure);
  add_claims(page, comparison);
  add_stops(page, comparison);
  return std::move(page).text();
}

}  // namespace headroom::report
