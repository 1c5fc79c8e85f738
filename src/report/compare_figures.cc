#include "report/compare_figures.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/prose.h"
#include "base/text.h"
#include "report/format.h"

namespace headroom::report {
namespace {

std::string p_text(double p) { return p < 0.0001 ? "< 0.0001" : fmt::format("{:.2g}", p); }

}  // namespace

std::vector<analysis::Figure> shown_figures(const analysis::Comparison& comparison) {
  std::vector<analysis::Figure> figures;
  for (const analysis::FigureInfo& info : analysis::figure_catalogue()) {
    if (std::ranges::any_of(comparison.arms, [&](const analysis::Arm& arm) {
          return arm.spread(info.figure).known();
        }))
      figures.push_back(info.figure);
  }
  return figures;
}

std::string figure_cell(analysis::Figure figure, std::optional<double> value) {
  return value ? analysis::figure_text(figure, *value) : kNotAvailable;
}

std::string contrast_text(const analysis::Contrast& contrast) {
  std::string text = !contrast.separation ? "ranges not known"
                     : *contrast.separation == analysis::Separation::kOverlapping ? "overlapping"
                                                                                  : "separated";
  if (contrast.ratio) text += fmt::format(", ratio {:.3f}", *contrast.ratio);
  if (contrast.ratio_interval && contrast.ratio_interval->low && contrast.ratio_interval->high)
    text += fmt::format(" ({:.3f} to {:.3f})", *contrast.ratio_interval->low,
                        *contrast.ratio_interval->high);
  if (contrast.test && contrast.adjusted_p)
    return text + fmt::format(", p {}, adjusted {}", p_text(contrast.test->p),
                              p_text(*contrast.adjusted_p));
  return contrast.test ? text + ", not tested" : text;
}

std::string comparison_title(const analysis::Comparison& comparison) {
  std::vector<std::string> arms;
  for (const analysis::Arm& arm : comparison.arms)
    arms.push_back(
        fmt::format("{} ({})", printable(arm.name, 60), analysis::counted(arm.size(), "run")));
  return fmt::format("{}", fmt::join(arms, " against "));
}

std::vector<const analysis::Claim*> claims_with(const analysis::Comparison& comparison,
                                                analysis::Verdict verdict) {
  std::vector<const analysis::Claim*> claims;
  for (const analysis::Claim& claim : comparison.claims) {
    if (claim.verdict == verdict) claims.push_back(&claim);
  }
  return claims;
}

std::vector<ExpectationCount> count_expectations(const analysis::Comparison& comparison) {
  std::vector<ExpectationCount> counts;
  for (const analysis::Arm& arm : comparison.arms) {
    for (const analysis::ObservedRun& run : arm.runs) {
      counts.resize(std::max(counts.size(), run.expectations.size()));
      for (std::size_t i = 0; i < run.expectations.size(); ++i) {
        const analysis::ExpectationResult& result = run.expectations[i];
        counts[i].condition = result.expectation.text();
        ++counts[i].runs;
        if (result.met)
          ++counts[i].met;
        else
          counts[i].unmet.push_back(fmt::format("{}: {}", run.name, result.line()));
      }
    }
  }
  return counts;
}

}  // namespace headroom::report
