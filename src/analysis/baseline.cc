#include "analysis/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "analysis/prose.h"

namespace headroom::analysis {
namespace {

constexpr std::array<std::string_view, 3> kNames = {"regressed", "held", "cannot tell"};

// The value at which a run would be worse by just the margin.
double worsened(Figure figure, double value, double margin) {
  return figure_info(figure).better == Better::kHigher ? value * (1 - margin)
                                                       : value * (1 + margin);
}

Arm worsened(Arm arm, double margin) {
  for (ObservedRun& run : arm.runs) {
    for (auto& [figure, value] : run.figures) value = worsened(figure, value, margin);
  }
  for (auto& [figure, spread] : arm.stated) {
    for (double& value : spread.values) value = worsened(figure, value, margin);
    for (auto* part : {&spread.min, &spread.median, &spread.max, &spread.mean}) {
      if (*part) *part = worsened(figure, **part, margin);
    }
  }
  return arm;
}

bool is_worse(const Contrast& contrast) {
  const auto from = contrast.from.centre();
  const auto to = contrast.to.centre();
  if (!from || !to) return false;
  return figure_info(contrast.figure).better == Better::kHigher ? *to < *from : *to > *from;
}

std::string runs_wanted(const Contrast& contrast, const ContrastOptions& options) {
  if (!contrast.runs_needed) return {};
  return fmt::format("; {} runs on each side would find {}",
                     std::max(*contrast.runs_needed, contrast.fewest_runs),
                     percent(options.smallest_difference));
}

std::string why_not(const Contrast& contrast, const ContrastOptions& options) {
  switch (contrast.decision) {
    case Decision::kTooFewRuns:
      return fmt::format("{} against {} can settle nothing, however far apart{}",
                         counted(contrast.to.runs, "run"), contrast.from.runs,
                         contrast.runs_needed
                             ? runs_wanted(contrast, options)
                             : fmt::format("; at least {} on each side are needed",
                                           std::max<std::size_t>(contrast.fewest_runs, 4)));
    case Decision::kNotFound:
      return "the difference is within what the runs scatter" + runs_wanted(contrast, options);
    case Decision::kDrift:
      return fmt::format(
          "the baseline ran before, and the difference is within {:.0f} times what either side "
          "scatters: the machine may have drifted; repeat both, alternating",
          kDriftFactor);
    case Decision::kRegimes:
      return "the two were in different regimes, so it is that of different work";
    case Decision::kNotTested:
      return fmt::format("tested only if all figures stated in advance differ; --test {} states it",
                         figure_info(contrast.figure).key);
    case Decision::kUnknown:
    case Decision::kDifferent:
      break;
  }
  return "the value of every single run is not known";
}

}  // namespace

std::string_view against_name(Against against) {
  return kNames.at(static_cast<std::size_t>(against));
}

std::string AgainstBaseline::line() const {
  const FigureInfo& info = figure_info(figure);
  std::string text(info.label);
  if (change) {
    text += std::abs(*change) < 0.00005 ? " is the same"
                                        : fmt::format(" is {} {}", percent(std::abs(*change)),
                                                      *change < 0 ? "lower" : "higher");
  }
  const auto middle = [&](const Spread& spread) {
    const auto value = spread.median ? spread.median : spread.mean;
    return value ? figure_text(figure, *value) : std::string("n/a");
  };
  text += fmt::format(": {}, now {}", middle(before), middle(now));
  if (!evidence.empty()) text += "; " + evidence;
  return why.empty() ? text : text + "; " + why;
}

std::vector<AgainstBaseline> against_baseline(const Arm& baseline, const Arm& now, double margin,
                                              const ContrastOptions& options) {
  const std::array arms = {worsened(baseline, margin), now};
  std::vector<AgainstBaseline> figures;
  for (const Contrast& contrast : contrast_arms(arms, options)) {
    if (figure_info(contrast.figure).better == Better::kNeither) continue;
    AgainstBaseline figure;
    figure.figure = contrast.figure;
    figure.primary = contrast.primary;
    figure.before = baseline.spread(contrast.figure);
    figure.now = contrast.to;
    const auto before = figure.before.median ? figure.before.median : figure.before.mean;
    const auto after = figure.now.median ? figure.now.median : figure.now.mean;
    if (before && after && *before != 0) figure.change = *after / *before - 1;
    if (contrast.test && contrast.adjusted_p)
      figure.evidence =
          fmt::format("p {}, adjusted {}", p_text(contrast.test->p), p_text(*contrast.adjusted_p));
    if (contrast.decision == Decision::kDifferent)
      figure.verdict = is_worse(contrast) ? Against::kRegressed : Against::kHeld;
    else
      figure.why = why_not(contrast, options);
    figures.push_back(std::move(figure));
  }
  std::ranges::stable_sort(figures, [](const AgainstBaseline& a, const AgainstBaseline& b) {
    return a.primary && !b.primary;
  });
  return figures;
}

bool any_regressed(const std::vector<AgainstBaseline>& figures) {
  return std::ranges::find(figures, Against::kRegressed, &AgainstBaseline::verdict) !=
         figures.end();
}

}  // namespace headroom::analysis
