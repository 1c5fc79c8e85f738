#include "report/compare_json.h"

#include "base/units.h"
#include "report/compare_figures.h"
#include "report/compare_value.h"
#include "report/expectations.h"
#include "report/json_value.h"

namespace headroom::report {
namespace {

using analysis::Comparison;

Json texts(const std::vector<std::string>& lines) {
  Json json = Json::array();
  for (const std::string& line : lines) json.push_back(text(line));
  return json;
}

template <class Enum, class Name>
Json word(const std::optional<Enum>& value, Name name) {
  return value ? Json(name(*value)) : Json();
}

Json run_json(const analysis::ObservedRun& run) {
  Json json;
  json["name"] = text(run.name);
  json["imported"] = run.imported;
  json["started_utc"] = run.started ? Json(iso_time(*run.started)) : Json();
  json["regime"] = word(run.regime, analysis::regime_name);
  json["limiter"] = word(run.limiter, analysis::limiter_name);
  json["complete"] = run.complete ? Json(*run.complete) : Json();
  json["adds_up"] = run.adds_up ? Json(*run.adds_up) : Json();
  json["faults"] = Json::array();
  for (const analysis::Fault& fault : run.faults)
    json["faults"].push_back(
        {{"kind", analysis::fault_name(fault.kind)}, {"seen", text(fault.seen)}});
  json["figures"] = Json::object();
  for (const auto& [figure, value] : run.figures)
    json["figures"][std::string(analysis::figure_info(figure).key)] = number(value);
  json["expectations"] = expectations_json(run.expectations);
  return json;
}

Json spread_json(const analysis::Spread& spread) {
  Json json;
  json["runs"] = spread.runs;
  json["values"] = Json::array();
  for (const double value : spread.values) json["values"].push_back(number(value));
  json["min"] = number(spread.min);
  json["median"] = number(spread.median);
  json["max"] = number(spread.max);
  json["mean"] = number(spread.mean);
  json["cv_ratio"] = number(spread.cv());
  return json;
}

Json arm_json(const analysis::Arm& arm, const std::vector<analysis::Figure>& figures) {
  Json json;
  json["name"] = text(arm.name);
  json["runs"] = Json::array();
  for (const analysis::ObservedRun& run : arm.runs) json["runs"].push_back(run_json(run));
  json["figures"] = Json::object();
  for (const analysis::Figure figure : figures)
    json["figures"][std::string(analysis::figure_info(figure).key)] =
        spread_json(arm.spread(figure));
  return json;
}

Json difference_json(const analysis::Difference& difference) {
  Json json = {{"key", text(difference.key)}, {"factor", text(difference.factor)}};
  json["values"] = Json::array();
  for (const auto& value : difference.values)
    json["values"].push_back(value ? Json(text(*value)) : Json());
  return json;
}

Json contract_json(const analysis::Contract& contract) {
  Json json;
  json["standing"] = analysis::standing_name(contract.standing);
  json["reasons"] = Json::array();
  for (const analysis::Reason& reason : contract.reasons) {
    const analysis::ReasonInfo& info = analysis::reason_info(reason.kind);
    json["reasons"].push_back({{"name", reason.name},
                               {"standing", analysis::standing_name(info.standing)},
                               {"seen", text(reason.seen)},
                               {"settle", info.settle}});
  }
  json["factors"] = Json::array();
  for (const auto& factor : contract.factors) json["factors"].push_back(difference_json(factor));
  json["controls"] = Json::array();
  for (const auto& control : contract.controls)
    json["controls"].push_back(difference_json(control));
  return json;
}

std::string_view decision_name(analysis::Decision decision) {
  switch (decision) {
    case analysis::Decision::kDifferent:
      return "different";
    case analysis::Decision::kNotFound:
      return "not-found";
    case analysis::Decision::kTooFewRuns:
      return "too-few-runs";
    case analysis::Decision::kDrift:
      return "drift";
    case analysis::Decision::kRegimes:
      return "regimes";
    case analysis::Decision::kNotTested:
      return "not-tested";
    case analysis::Decision::kUnknown:
      return "unknown";
  }
  return "unknown";
}

Json separation_json(const std::optional<analysis::Separation>& separation) {
  if (!separation) return {};
  switch (*separation) {
    case analysis::Separation::kAbove:
      return "above";
    case analysis::Separation::kBelow:
      return "below";
    case analysis::Separation::kOverlapping:
      return "overlapping";
  }
  return {};
}

Json contrast_json(const Comparison& comparison, const analysis::Contrast& contrast) {
  Json json;
  json["figure"] = analysis::figure_info(contrast.figure).key;
  json["first"] = text(comparison.arms[contrast.first].name);
  json["second"] = text(comparison.arms[contrast.second].name);
  json["primary"] = contrast.primary;
  json["separation"] = separation_json(contrast.separation);
  json["ratio"] = number(contrast.ratio);
  json["p"] = contrast.test ? number(contrast.test->p) : Json();
  json["p_smallest"] = contrast.test ? number(contrast.test->smallest_p) : Json();
  json["p_exact"] = contrast.test ? Json(contrast.test->exact) : Json();
  json["p_adjusted"] = number(contrast.adjusted_p);
  json["decision"] = decision_name(contrast.decision);
  json["shift"] = number(contrast.shift);
  const auto& estimate = contrast.ratio_interval;
  json["estimate_ratio"] = estimate ? number(estimate->value) : Json();
  json["estimate_ratio_low"] = estimate ? number(estimate->low) : Json();
  json["estimate_ratio_high"] = estimate ? number(estimate->high) : Json();
  json["equivalence_p"] = contrast.equivalence ? number(contrast.equivalence->p) : Json();
  json["runs_needed"] = contrast.runs_needed ? Json(*contrast.runs_needed) : Json();
  return json;
}

// null where nothing was held against a baseline.
Json baseline_json(const Comparison& comparison) {
  if (!comparison.options.baseline) return {};
  Json json;
  json["margin_ratio"] = number(comparison.options.contrast.margin.value_or(0));
  json["regressed"] = analysis::any_regressed(comparison.against);
  json["figures"] = Json::array();
  for (const analysis::AgainstBaseline& figure : comparison.against) {
    json["figures"].push_back({{"figure", analysis::figure_info(figure.figure).key},
                               {"primary", figure.primary},
                               {"verdict", analysis::against_name(figure.verdict)},
                               {"change_ratio", number(figure.change)},
                               {"sentence", text(figure.line())}});
  }
  return json;
}

Json claim_json(const analysis::Claim& claim) {
  Json json;
  json["claim"] = analysis::claim_info(claim.kind).name;
  json["statement"] = text(claim.statement);
  json["verdict"] = analysis::verdict_name(claim.verdict);
  json["evidence"] = texts(claim.evidence);
  json["guards"] = Json::array();
  for (const analysis::Guard& guard : claim.guards) {
    json["guards"].push_back(
        {{"guard", analysis::guard_info(guard.kind).name}, {"limit", text(guard.limit)}});
  }
  json["settle"] = claim.settle.empty() ? Json() : Json(text(claim.settle));
  return json;
}

}  // namespace

Json comparison_json(const Comparison& comparison) {
  const std::vector<analysis::Figure> figures = shown_figures(comparison);
  Json json;
  json["schema"] = "headroom-comparison";
  json["schema_version"] = kComparisonSchemaVersion;
  json["contract"] = contract_json(comparison.contract);
  json["baseline"] = baseline_json(comparison);
  json["arms"] = Json::array();
  for (const analysis::Arm& arm : comparison.arms) json["arms"].push_back(arm_json(arm, figures));
  json["contrasts"] = Json::array();
  for (const analysis::Contrast& contrast : comparison.contrasts)
    json["contrasts"].push_back(contrast_json(comparison, contrast));
  json["claims"] = Json::array();
  for (const analysis::Claim& claim : comparison.claims)
    json["claims"].push_back(claim_json(claim));
  json["stops"] = texts(comparison.stops);
  return json;
}

std::string render_comparison_json(const Comparison& comparison) {
  return dump(comparison_json(comparison));
}

}  // namespace headroom::report
