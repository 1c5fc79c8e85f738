#include "analysis/contrast.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/contract.h"
#include "analysis/latency.h"
#include "base/random.h"
#include "stats/merged_quantile.h"
#include "stats/multiple.h"
#include "stats/power.h"
#include "stats/sample.h"

namespace headroom::analysis {
namespace {

// Figures of which more or less means something by itself.
constexpr std::array kTestable = {
    Figure::kThroughput,  Figure::kLatencyMean,   Figure::kLatencyP50,
    Figure::kLatencyP99,  Figure::kLatencyP999,   Figure::kOpsPerCpuSecond,
    Figure::kBytesPerKey, Figure::kFirstEviction, Figure::kHitRatio,
};

std::optional<Quantile> quantile_of(Figure figure) {
  switch (figure) {
    case Figure::kLatencyP50:
      return Quantile::kP50;
    case Figure::kLatencyP99:
      return Quantile::kP99;
    case Figure::kLatencyP999:
      return Quantile::kP999;
    default:
      return std::nullopt;
  }
}

bool within_drift(const Arm& first, const Arm& second, const Contrast& contrast) {
  if (!ordered_by_arm(first, second)) return false;
  const double scatter =
      std::max(*contrast.from.max - *contrast.from.min, *contrast.to.max - *contrast.to.min);
  return std::abs(*contrast.to.median - *contrast.from.median) <= kDriftFactor * scatter;
}

// A mean says nothing about runs whose quantiles are known.
bool is_superseded(Figure figure, const Arm& first, const Arm& second) {
  return figure == Figure::kLatencyMean && first.spread(Figure::kLatencyP50).every_run() &&
         second.spread(Figure::kLatencyP50).every_run();
}

Contrast begin_contrast(std::span<const Arm> arms, std::size_t i, std::size_t j, Figure figure,
                        const ContrastOptions& options) {
  Contrast contrast;
  contrast.figure = figure;
  contrast.first = i;
  contrast.second = j;
  contrast.from = arms[i].spread(figure);
  contrast.to = arms[j].spread(figure);
  contrast.primary = std::ranges::find(options.primary, figure) != options.primary.end();
  contrast.separation = separation_of(contrast.from, contrast.to);
  const auto from =
      contrast.from.mean && contrast.to.mean ? contrast.from.mean : contrast.from.median;
  const auto to = contrast.from.mean && contrast.to.mean ? contrast.to.mean : contrast.to.median;
  if (from && to && *from != 0) contrast.ratio = *to / *from;
  if (contrast.from.every_run() && contrast.to.every_run()) {
    contrast.test = stats::permutation_test(
        contrast.from.values, contrast.to.values,
        derive_seed(options.seed, {i, j, static_cast<std::uint64_t>(figure)}));
  }
  return contrast;
}

void decide(Contrast& contrast, std::span<const Arm> arms, double alpha) {
  const Arm& first = arms[contrast.first];
  const Arm& second = arms[contrast.second];
  const auto regime = first.regime();
  const auto other_regime = second.regime();
  if (regime && other_regime && regime != other_regime)
    contrast.decision = Decision::kRegimes;
  else if (*contrast.adjusted_p > alpha)
    contrast.decision =
        contrast.test->smallest_p > alpha ? Decision::kTooFewRuns : Decision::kNotFound;
  else
    contrast.decision =
        within_drift(first, second, contrast) ? Decision::kDrift : Decision::kDifferent;
}

// Adjusts and decides one family; whether all of it differ.
bool decide_family(std::vector<Contrast>& contrasts, bool primary, std::span<const Arm> arms,
                   double alpha) {
  std::vector<Contrast*> family;
  std::vector<double> p;
  for (Contrast& contrast : contrasts) {
    if (contrast.primary != primary || !contrast.test) continue;
    family.push_back(&contrast);
    p.push_back(contrast.test->p);
  }
  const std::vector<double> adjusted = stats::holm(p);
  bool all = true;
  for (std::size_t i = 0; i < family.size(); ++i) {
    family[i]->adjusted_p = adjusted[i];
    family[i]->fewest_runs = stats::fewest_runs_for(alpha / static_cast<double>(family.size()));
    decide(*family[i], arms, alpha);
    all = all && family[i]->decision == Decision::kDifferent;
  }
  return all;
}

void add_runs_needed(Contrast& contrast, const ContrastOptions& options) {
  const std::optional<double> from = contrast.from.cv();
  const std::optional<double> to = contrast.to.cv();
  if (!from || !to) return;
  const double alpha = contrast.adjusted_p && contrast.test->p > 0
                           ? options.alpha * contrast.test->p / *contrast.adjusted_p
                           : options.alpha;
  contrast.runs_needed = stats::runs_needed(options.smallest_difference, std::max(*from, *to),
                                            std::min(options.alpha, alpha), kPower);
}

// One mixture for each arm that has the histograms of all its runs.
std::vector<std::optional<stats::RunMixture>> mixtures_of(std::span<const Arm> arms) {
  std::vector<std::optional<stats::RunMixture>> mixtures;
  for (const Arm& arm : arms) {
    std::vector<stats::Histogram> histograms;
    for (const ObservedRun& run : arm.runs) {
      if (!run.latency.empty()) histograms.push_back(run.latency);
    }
    mixtures.emplace_back();
    if (!histograms.empty() && histograms.size() == arm.size()) mixtures.back().emplace(histograms);
  }
  return mixtures;
}

void add_estimates(std::vector<Contrast>& contrasts, std::span<const Arm> arms,
                   const ContrastOptions& options) {
  const auto mixtures = mixtures_of(arms);
  for (Contrast& contrast : contrasts) {
    if (!contrast.test) continue;
    const auto seed = derive_seed(options.seed, {contrast.first, contrast.second,
                                                 static_cast<std::uint64_t>(contrast.figure), 1});
    contrast.shift = stats::hodges_lehmann_shift(contrast.from.values, contrast.to.values);
    const auto quantile = quantile_of(contrast.figure);
    const auto& from = mixtures[contrast.first];
    const auto& to = mixtures[contrast.second];
    contrast.ratio_interval =
        quantile && from && to
            ? stats::ratio_of_merged_quantiles(*from, *to, quantile_value(*quantile), seed)
            : stats::ratio_of_medians(contrast.from.values, contrast.to.values, seed);
    if (options.margin)
      contrast.equivalence =
          stats::equivalence_test(contrast.from.values, contrast.to.values, *options.margin);
  }
}

}  // namespace

std::optional<Separation> separation_of(const Spread& first, const Spread& second) {
  if (!first.min || !first.max || !second.min || !second.max) return std::nullopt;
  if (*second.min > *first.max) return Separation::kAbove;
  if (*second.max < *first.min) return Separation::kBelow;
  return Separation::kOverlapping;
}

std::vector<Contrast> contrast_arms(std::span<const Arm> arms, const ContrastOptions& options) {
  std::vector<Contrast> contrasts;
  for (const Figure figure : kTestable) {
    for (std::size_t i = 0; i < arms.size(); ++i) {
      for (std::size_t j = i + 1; j < arms.size(); ++j) {
        if (is_superseded(figure, arms[i], arms[j])) continue;
        Contrast contrast = begin_contrast(arms, i, j, figure, options);
        if (contrast.from.known() && contrast.to.known()) contrasts.push_back(std::move(contrast));
      }
    }
  }
  const bool all_found = decide_family(contrasts, true, arms, options.alpha);
  if (all_found) {
    decide_family(contrasts, false, arms, options.alpha);
  } else {
    for (Contrast& contrast : contrasts) {
      if (!contrast.primary && contrast.test) contrast.decision = Decision::kNotTested;
    }
  }
  if (options.estimates) {
    for (Contrast& contrast : contrasts) add_runs_needed(contrast, options);
    add_estimates(contrasts, arms, options);
  }
  return contrasts;
}

}  // namespace headroom::analysis
