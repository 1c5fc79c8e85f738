#include "report/compare_html.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "report/compare_figures.h"
#include "report/compare_value.h"
#include "report/html_data.h"
#include "report/latency_curve.h"
#include "stats/histogram.h"

namespace headroom::report {
namespace {

using analysis::Comparison;

std::string_view unit_name(analysis::FigureUnit unit) {
  switch (unit) {
    case analysis::FigureUnit::kPerSecond:
      return "per_s";
    case analysis::FigureUnit::kRatio:
      return "ratio";
    case analysis::FigureUnit::kNanoseconds:
      return "ns";
    case analysis::FigureUnit::kSeconds:
      return "s";
    case analysis::FigureUnit::kCount:
      return "count";
    case analysis::FigureUnit::kBytes:
      return "bytes";
  }
  return "count";
}

std::string_view better_name(analysis::Better better) {
  switch (better) {
    case analysis::Better::kHigher:
      return "higher";
    case analysis::Better::kLower:
      return "lower";
    case analysis::Better::kNeither:
      return "neither";
  }
  return "neither";
}

// What the strip plots need to know of the figures, and how two arms differ in them.
Json figures_json(const Comparison& comparison) {
  Json json = Json::array();
  for (const analysis::Figure figure : shown_figures(comparison)) {
    const analysis::FigureInfo& info = analysis::figure_info(figure);
    Json contrasts = Json::array();
    for (const analysis::Contrast& contrast : comparison.contrasts) {
      if (contrast.figure == figure)
        contrasts.push_back({{"first", contrast.first},
                             {"second", contrast.second},
                             {"sentence", text(contrast_text(contrast))}});
    }
    json.push_back({{"key", info.key},
                    {"label", info.label},
                    {"unit", unit_name(info.unit)},
                    {"better", better_name(info.better)},
                    {"meaning", info.meaning},
                    {"contrasts", std::move(contrasts)}});
  }
  return json;
}

// Of all requests of an arm's runs together; an arm without every histogram has none.
Json arm_curves_json(const Comparison& comparison) {
  Json json = Json::array();
  for (const analysis::Arm& arm : comparison.arms) {
    stats::Histogram merged;
    const bool known = std::ranges::none_of(
        arm.runs, [](const analysis::ObservedRun& run) { return run.latency.empty(); });
    if (!known) continue;
    for (const analysis::ObservedRun& run : arm.runs) merged.merge(run.latency);
    json.push_back(curve_json(arm.name, "send", merged));
  }
  return json;
}

Json points_json(const std::vector<std::optional<double>>& points) {
  Json json = Json::array();
  // Five significant digits are more than a pixel.
  for (const std::optional<double>& point : points) {
    json.push_back(point ? Json(std::strtod(fmt::format("{:.5g}", *point).c_str(), nullptr))
                         : Json());
  }
  return json;
}

// By arm and run, in their order; null where a run's course is not known.
Json courses_json(const Comparison& comparison) {
  Json json = Json::array();
  for (const analysis::Arm& arm : comparison.arms) {
    Json runs = Json::array();
    for (const analysis::ObservedRun& run : arm.runs) {
      const analysis::Outline& outline = run.outline;
      if (outline.empty()) {
        runs.push_back(Json());
        continue;
      }
      runs.push_back({{"step_s", exact(outline.step_s)},
                      {"first_eviction_s", number(outline.first_eviction_s)},
                      {"throughput_per_s", points_json(outline.throughput_per_s)},
                      {"p99_ns", points_json(outline.p99_ns)},
                      {"memory_ratio", points_json(outline.memory_ratio)}});
    }
    json.push_back(std::move(runs));
  }
  return json;
}

Json catalogue_json(const Comparison& comparison) {
  Json json = Json::object();
  for (const analysis::Claim& claim : comparison.claims) {
    const analysis::ClaimInfo& info = analysis::claim_info(claim.kind);
    json[std::string(info.name)] = info.asks;
  }
  return json;
}

}  // namespace

std::string render_comparison_html(const Comparison& comparison) {
  Json json;
  json["title"] = text(comparison_title(comparison));
  json["comparison"] = comparison_json(comparison);
  json["figures"] = figures_json(comparison);
  json["curves"] = arm_curves_json(comparison);
  json["courses"] = courses_json(comparison);
  json["questions"] = catalogue_json(comparison);
  return page_with(json);
}

}  // namespace headroom::report
