#include "analysis/comparison.h"

#include <algorithm>

#include "analysis/claims.h"
#include "base/check.h"

namespace headroom::analysis {
namespace {

void add_once(std::vector<std::string>& lines, const std::string& line) {
  if (std::ranges::find(lines, line) == lines.end()) lines.push_back(line);
}

std::vector<std::string> stops_of(const Comparison& comparison) {
  std::vector<std::string> stops;
  for (const Claim& claim : comparison.claims) {
    for (const Guard& guard : claim.guards) add_once(stops, guard.limit);
  }
  for (const Reason& reason : comparison.contract.reasons) add_once(stops, reason.seen);
  return stops;
}

}  // namespace

Comparison compare(std::vector<Arm> arms, ComparisonOptions options) {
  check(
      !arms.empty() && std::ranges::none_of(arms, [](const Arm& arm) { return arm.runs.empty(); }),
      "a comparison has arms, and an arm has runs");
  Comparison comparison;
  comparison.arms = std::move(arms);
  comparison.options = std::move(options);
  comparison.contract = check_contract(comparison.arms, comparison.options.intended);
  if (comparison.contract.standing != Standing::kInvalid) {
    comparison.contrasts = contrast_arms(comparison.arms, comparison.options.contrast);
    const ClaimContext context{comparison.arms, comparison.contract, comparison.contrasts,
                               comparison.options, comparison.claims};
    claim_orders(context);
    claim_same_band(context);
    claim_ladder(context);
    claim_capacity(context);
    claim_scaling(context);
    claim_cpu(context);
    claim_memory(context);
    claim_states(context);
    claim_cost(context);
  }
  comparison.stops = stops_of(comparison);
  return comparison;
}

}  // namespace headroom::analysis
