#include "report/html.h"

#include <nlohmann/json.hpp>

#include "report/head.h"
#include "report/html_data.h"
#include "report/html_series.h"
#include "report/json_value.h"
#include "report/summary_json.h"

namespace headroom::report {
namespace {

// What the template begins with.
constexpr std::string_view kSignature = "<!doctype html><!-- Headroom report -->";

std::string_view tone_name(Tone tone) {
  switch (tone) {
    case Tone::kGood:
      return "good";
    case Tone::kCaution:
      return "caution";
    case Tone::kBad:
      return "bad";
    case Tone::kPlain:
    case Tone::kStrong:
      break;
  }
  return "plain";
}

Json words_json(const record::Run& run, const analysis::Summary& summary, const Source& source) {
  const auto [state, tone] = state_text(run, source);
  return {{"headline", headline(summary)},
          {"headline_tone", tone_name(regime_tone(summary))},
          {"target", target_text(run)},
          {"load", load_text(run.header.scenario)},
          {"measured", measured_text(summary)},
          {"state", state},
          {"state_tone", tone_name(tone)},
          {"left_behind", run.end ? Json() : Json(left_behind(run))}};
}

}  // namespace

std::string render_html(const record::Run& run, const analysis::Summary& summary,
                        const Source& source) {
  const Nanos origin = summary.measure.window.begin;
  const std::vector<Column> columns = make_columns(run, summary);
  Json json;
  json["words"] = words_json(run, summary, source);
  json["summary"] = summary_json(run, summary, source);
  json["origin_ns"] = origin.count();
  json["time"] = columns_json(run, columns, origin);
  json["heat_map"] = heat_map_json(run, columns, origin);
  json["curves"] = curves_json(run, summary);
  json["marks"] = marks_json(run, summary, columns, origin);
  return page_with(json);
}

bool is_html_report(std::string_view text) { return text.starts_with(kSignature); }

}  // namespace headroom::report
