#include "analysis/comparison.h"

#include <algorithm>
#include <optional>
#include <set>

#include "analysis/claims.h"
#include "base/check.h"
#include "base/text.h"

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

void name_by_difference(std::vector<Arm>& arms) {
  std::optional<std::string> telling;
  std::set<std::string> factors;
  for (const ObservedRun& run : arms.front().runs) {
    for (const auto& [key, value] : run.settings) {
      if (role_of(key) != Role::kFactor) continue;
      std::set<std::optional<std::string>> values;
      for (const Arm& arm : arms) values.insert(arm.setting(key));
      if (values.size() != arms.size() || values.contains(std::nullopt)) continue;
      if (factors.insert(factor_of(key)).second && !telling) telling = key;
    }
  }
  if (factors.size() != 1) return;
  for (Arm& arm : arms) arm.name = *telling + " = " + printable(*arm.setting(*telling), 60);
}

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
    if (comparison.options.baseline) {
      comparison.against = against_baseline(comparison.arms.at(0), comparison.arms.at(1),
                                            comparison.options.contrast.margin.value_or(0),
                                            comparison.options.contrast);
    }
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
