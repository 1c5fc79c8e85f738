// Claims that one arm has more, or less, of something than another; and that it has as much.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/claims.h"
#include "analysis/prose.h"

namespace headroom::analysis {
namespace {

struct Pair {
  const Arm& high;  // by the centre of the figure
  const Arm& low;
};

Pair ordered(const ClaimContext& context, const Contrast& contrast) {
  const Arm& first = context.arms[contrast.first];
  const Arm& second = context.arms[contrast.second];
  const auto from = contrast.from.centre();
  const auto to = contrast.to.centre();
  return from && to && *to > *from ? Pair{second, first} : Pair{first, second};
}

ClaimKind order_kind(Figure figure) {
  switch (figure) {
    case Figure::kThroughput:
      return ClaimKind::kThroughputOrder;
    case Figure::kOpsPerCpuSecond:
      return ClaimKind::kCpuEfficiency;
    case Figure::kBytesPerKey:
      return ClaimKind::kMemoryEfficiency;
    case Figure::kFirstEviction:
      return ClaimKind::kCliffTiming;
    case Figure::kHitRatio:
      return ClaimKind::kHitRatio;
    default:
      return ClaimKind::kLatencyOrder;
  }
}

std::string order_statement(const ClaimContext& context, const Contrast& contrast) {
  const auto [high, low] = ordered(context, contrast);
  const std::string_view label = figure_info(contrast.figure).label;
  switch (contrast.figure) {
    case Figure::kOpsPerCpuSecond:
      return fmt::format("{} serves more operations per engine CPU second than {}.", high.name,
                         low.name);
    case Figure::kBytesPerKey:
      return fmt::format("{} needs less memory for a key than {}.", low.name, high.name);
    case Figure::kFirstEviction:
      return fmt::format("{} begins to evict later than {}.", high.name, low.name);
    default:
      if (figure_info(contrast.figure).better == Better::kLower)
        return fmt::format("{} has the lower {} than {}.", low.name, label, high.name);
      return fmt::format("{} has the higher {} than {}.", high.name, label, low.name);
  }
}

std::string runs_text(const Contrast& contrast, const ComparisonOptions& options) {
  const double wanted = options.contrast.smallest_difference;
  if (!contrast.runs_needed)
    return contrast.from.cv() && contrast.to.cv()
               ? fmt::format(
                     "At this spread more than 1,000 runs an arm would be needed to find "
                     "a difference of {}.",
                     percent(wanted))
               : fmt::format("At least {} runs an arm.",
                             std::max<std::size_t>(contrast.fewest_runs, 4));
  return fmt::format(
      "{} runs an arm would find a difference of {} at this spread in 8 of 10 "
      "comparisons.",
      std::max(*contrast.runs_needed, contrast.fewest_runs), percent(wanted));
}

std::string test_evidence(const Contrast& contrast) {
  std::string text = fmt::format("Permutation test of the means: p = {}{}",
                                 contrast.test->exact ? "" : "about ", p_text(contrast.test->p));
  if (contrast.adjusted_p && *contrast.adjusted_p != contrast.test->p)
    text += fmt::format(", {} adjusted for all that is tested", p_text(*contrast.adjusted_p));
  return text + ".";
}

std::string estimate_evidence(const ClaimContext& context, const Contrast& contrast) {
  const stats::Estimate& ratio = *contrast.ratio_interval;
  std::string text = fmt::format("{} / {} = {:.3f}", context.arms[contrast.second].name,
                                 context.arms[contrast.first].name, ratio.value);
  if (ratio.low && ratio.high)
    text += fmt::format(", 95 % interval {:.3f} to {:.3f}", *ratio.low, *ratio.high);
  if (contrast.shift) {
    text += fmt::format("; shift {}{}", *contrast.shift < 0 ? "-" : "",
                        figure_text(contrast.figure, std::abs(*contrast.shift)));
  }
  return text + ".";
}

std::string primary_labels(const ContrastOptions& options) {
  std::vector<std::string> labels;
  for (const Figure figure : options.primary) labels.emplace_back(figure_info(figure).label);
  return listed(labels);
}

// Every run of both arms has one and the same value: there is nothing to order.
bool all_the_same(const Contrast& contrast) {
  return contrast.from.min && contrast.from.min == contrast.from.max &&
         contrast.to.min == contrast.from.min && contrast.to.max == contrast.from.max;
}

// Sets verdict, guard and remedy from what the test decided.
void judge(Claim& claim, const ClaimContext& context, const Contrast& contrast) {
  const std::string a = context.arms[contrast.first].name;
  const std::string b = context.arms[contrast.second].name;
  const std::string_view label = figure_info(contrast.figure).label;
  const auto cannot = [&](GuardKind guard, std::string limit, std::string settle) {
    claim.verdict = Verdict::kCannotTell;
    claim.guards.push_back({guard, std::move(limit)});
    claim.settle = std::move(settle);
  };
  switch (contrast.decision) {
    case Decision::kDifferent:
      claim.verdict = Verdict::kSupported;
      return;
    case Decision::kTooFewRuns:
      return cannot(
          GuardKind::kTooFewRuns,
          fmt::format("{} against {} runs cannot settle the {} of {} and {}: however far apart, "
                      "p cannot go below {}.",
                      contrast.from.runs, contrast.to.runs, label, a, b,
                      p_text(contrast.test->smallest_p)),
          runs_text(contrast, context.options));
    case Decision::kNotFound:
      return cannot(GuardKind::kNotFound,
                    fmt::format("No difference in {} between {} and {} was found, which does not "
                                "make them equal.",
                                label, a, b),
                    runs_text(contrast, context.options));
    case Decision::kDrift:
      return cannot(GuardKind::kDrift,
                    fmt::format("The runs of {} and {} came one arm after the other, and their {} "
                                "differs by no more than {:.0f} times what one arm scatters: the "
                                "machine may have drifted.",
                                a, b, label, kDriftFactor),
                    "Repeat the runs with the arms alternating: A, B, A, B.");
    case Decision::kRegimes:
      return cannot(GuardKind::kRegimes,
                    fmt::format("{} and {} were in different regimes: their {} is that of "
                                "different work.",
                                a, b, label),
                    "Compare runs in the same regime.");
    case Decision::kNotTested:
      return cannot(
          GuardKind::kNotTested,
          fmt::format("Figures that were not stated in advance were not tested, because "
                      "those that were ({}) were not all found to differ.",
                      primary_labels(context.options.contrast)),
          fmt::format("State it before the runs: --test {}.", figure_info(contrast.figure).key));
    case Decision::kUnknown:
      return cannot(
          GuardKind::kNotStated,
          fmt::format("The {} of every single run of {} and {} is not known.", label, a, b),
          "Give the value of every run.");
  }
}

void claim_separation(const ClaimContext& context, const Contrast& contrast) {
  if (contrast.figure != Figure::kThroughput || !contrast.separation) return;
  const auto [high, low] = ordered(context, contrast);
  Claim claim;
  claim.kind = ClaimKind::kSeparation;
  claim.statement =
      fmt::format("Every run of {} exceeded every run of {} in throughput.", high.name, low.name);
  claim.evidence = {arm_spread(high, Figure::kThroughput), arm_spread(low, Figure::kThroughput)};
  const Spread high_spread = high.spread(Figure::kThroughput);
  const Spread low_spread = low.spread(Figure::kThroughput);
  if (*contrast.separation == Separation::kOverlapping) {
    claim.verdict = Verdict::kNotSupported;
    claim.guards.push_back(
        {GuardKind::kOverlap,
         fmt::format(
             "The throughput ranges of {} and {} overlap ({} to {}): no separation.", high.name,
             low.name,
             figure_text(Figure::kThroughput, std::max(*high_spread.min, *low_spread.min)),
             figure_text(Figure::kThroughput, std::min(*high_spread.max, *low_spread.max)))});
    claim.settle = "More runs show whether the ranges part; a margin shows whether they are equal.";
  } else {
    claim.verdict = Verdict::kSupported;
    if (contrast.decision != Decision::kDifferent)
      claim.guards.push_back({GuardKind::kTheseRunsOnly,
                              fmt::format("That every run of {} exceeded every run of {} holds "
                                          "for these runs; it is not shown for the next.",
                                          high.name, low.name)});
  }
  context.claims.push_back(std::move(claim));
}

void add_context_guards(Claim& claim, const ClaimContext& context, const Contrast& contrast) {
  const Arm& first = context.arms[contrast.first];
  const Arm& second = context.arms[contrast.second];
  if (contrast.figure == Figure::kHitRatio &&
      (evicted(first).value_or(false) || evicted(second).value_or(false))) {
    claim.guards.push_back(
        {GuardKind::kEvictions,
         fmt::format("A higher hit ratio with evictions ({} and {}) has to be read together with "
                     "them.",
                     arm_spread(first, Figure::kEvictions),
                     arm_spread(second, Figure::kEvictions))});
    claim.evidence.push_back(arm_spread(first, Figure::kEvictions));
    claim.evidence.push_back(arm_spread(second, Figure::kEvictions));
  }
  if (first.size() != second.size() && contrast.figure == Figure::kThroughput)
    claim.guards.push_back(
        {GuardKind::kUnequalRepeats,
         fmt::format("{} has {} and {} has {}: the repeat counts are unequal.", first.name,
                     counted(first.size(), "run"), second.name, counted(second.size(), "run"))});
}

}  // namespace

void claim_orders(const ClaimContext& context) {
  for (const Contrast& contrast : context.contrasts) {
    claim_separation(context, contrast);
    if (all_the_same(contrast)) continue;
    Claim claim;
    claim.primary = contrast.primary;
    claim.kind = order_kind(contrast.figure);
    claim.statement = order_statement(context, contrast);
    claim.evidence = {arm_spread(context.arms[contrast.first], contrast.figure),
                      arm_spread(context.arms[contrast.second], contrast.figure)};
    if (contrast.figure == Figure::kFirstEviction && contrast.from.centre() &&
        contrast.to.centre()) {
      claim.evidence.push_back(fmt::format(
          "They lie {} apart.",
          figure_text(contrast.figure, std::abs(*contrast.to.centre() - *contrast.from.centre()))));
    }
    if (contrast.test && contrast.adjusted_p) claim.evidence.push_back(test_evidence(contrast));
    if (contrast.ratio_interval) claim.evidence.push_back(estimate_evidence(context, contrast));
    judge(claim, context, contrast);
    add_context_guards(claim, context, contrast);
    context.claims.push_back(std::move(claim));
  }
}

void claim_same_band(const ClaimContext& context) {
  const std::optional<double> margin = context.options.contrast.margin;
  for (const Contrast& contrast : context.contrasts) {
    if (!contrast.primary || (!margin && contrast.separation != Separation::kOverlapping)) continue;
    const std::string& a = context.arms[contrast.first].name;
    const std::string& b = context.arms[contrast.second].name;
    const std::string_view label = figure_info(contrast.figure).label;
    Claim claim;
    claim.kind = ClaimKind::kSameBand;
    claim.statement =
        margin ? fmt::format("{} and {} have the same {} within {}.", a, b, label, percent(*margin))
               : fmt::format("{} and {} have the same {}.", a, b, label);
    if (!margin) {
      claim.guards.push_back(
          {GuardKind::kNoMargin, fmt::format("That {} and {} have the same {} is not shown by "
                                             "overlapping ranges.",
                                             a, b, label)});
      claim.settle = "State the margin within which arms count as equal: --margin 5%.";
    } else if (!contrast.equivalence) {
      claim.guards.push_back(
          {GuardKind::kNotStated,
           fmt::format("Whether {} and {} have the same {} needs two runs of each at least.", a, b,
                       label)});
      claim.settle = "Make more runs.";
    } else {
      const stats::EquivalenceTest& test = *contrast.equivalence;
      claim.evidence.push_back(
          fmt::format("{} / {} = {:.3f}; two one-sided tests within {}: p = {}.", b, a, test.ratio,
                      percent(*margin), p_text(test.p)));
      if (test.p <= context.options.contrast.alpha) {
        claim.verdict = Verdict::kSupported;
      } else if (contrast.decision == Decision::kDifferent &&
                 std::abs(std::log(test.ratio)) > std::log1p(*margin)) {
        claim.verdict = Verdict::kNotSupported;
      } else {
        claim.guards.push_back({GuardKind::kTooFewRuns,
                                fmt::format("The runs of {} and {} are too few, or scatter too "
                                            "much, to exclude a difference in {} beyond {}.",
                                            a, b, label, percent(*margin))});
        claim.settle = "Make more runs, or state a wider margin.";
      }
    }
    context.claims.push_back(std::move(claim));
  }
}

void claim_ladder(const ClaimContext& context) {
  if (context.arms.size() < 3) return;
  std::vector<std::string> names;
  for (const Arm& arm : context.arms) names.push_back(arm.name);
  Claim claim;
  claim.kind = ClaimKind::kGenerationLadder;
  claim.statement =
      fmt::format("Throughput rises with every step: {}.", fmt::join(names, ", then "));
  claim.verdict = Verdict::kSupported;
  for (std::size_t i = 0; i + 1 < context.arms.size(); ++i) {
    const Arm& lower = context.arms[i];
    const Arm& upper = context.arms[i + 1];
    const auto separation =
        separation_of(lower.spread(Figure::kThroughput), upper.spread(Figure::kThroughput));
    if (!separation) {
      claim.verdict = Verdict::kCannotTell;
      claim.guards.push_back(
          {GuardKind::kNotStated, fmt::format("The throughput ranges of {} and {} are not known.",
                                              lower.name, upper.name)});
      break;
    }
    if (*separation == Separation::kAbove) continue;
    claim.verdict = Verdict::kNotSupported;
    claim.evidence.push_back(arm_spread(lower, Figure::kThroughput));
    claim.evidence.push_back(arm_spread(upper, Figure::kThroughput));
    claim.guards.push_back(
        {GuardKind::kOverlap,
         *separation == Separation::kBelow
             ? fmt::format("{} lies below {}: this is no ladder.", upper.name, lower.name)
             : fmt::format("{} and {} are neighbours on the ladder and overlap.", upper.name,
                           lower.name)});
  }
  if (claim.verdict == Verdict::kSupported) {
    for (const Arm& arm : context.arms)
      claim.evidence.push_back(arm_spread(arm, Figure::kThroughput));
    const bool shown = std::ranges::all_of(context.contrasts, [](const Contrast& contrast) {
      return contrast.figure != Figure::kThroughput || contrast.second != contrast.first + 1 ||
             contrast.decision == Decision::kDifferent;
    });
    if (!shown) {
      claim.verdict = Verdict::kCannotTell;
      claim.guards.push_back({GuardKind::kTooFewRuns,
                              "Every step of the ladder is separated in these runs, but too few "
                              "of them to show it for the next."});
      claim.settle = "Make more runs of every arm.";
    }
  } else {
    claim.settle = "More runs of the neighbours that are not separated upwards.";
  }
  context.claims.push_back(std::move(claim));
}

}  // namespace headroom::analysis
