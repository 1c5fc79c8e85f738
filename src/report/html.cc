#include "report/html.h"

#include <nlohmann/json.hpp>

#include "base/check.h"
#include "report/head.h"
#include "report/html_data.h"
#include "report/html_series.h"
#include "report/json_value.h"
#include "report/summary_json.h"

namespace headroom::report {
namespace {

// What every page of web/ begins with.
constexpr std::string_view kSignature = "<!doctype html><!-- Headroom ";
// What the policy of every page begins with.
constexpr std::string_view kNothingAllowed = "default-src 'none';";

Json words_json(const record::Run& run, const analysis::Summary& summary, const Source& source) {
  const auto [state, tone] = state_text(run, source);
  const bool running = source.seal == Seal::kRunning;
  return {{"headline",
           running && !summary.measured_anything() ? "Not measuring yet" : headline(summary)},
          {"headline_tone", tone_name(regime_tone(summary))},
          {"target", target_text(run)},
          {"load", load_text(run.header.scenario)},
          {"measured", measured_text(summary)},
          {"state", state},
          {"state_tone", tone_name(tone)},
          {"left_behind", run.end || running ? Json() : Json(left_behind(run))}};
}

}  // namespace

std::string page_data(const record::Run& run, const analysis::Summary& summary,
                      const Source& source, const Served& served) {
  const Nanos origin = summary.measure.window.begin;
  const std::vector<Column> columns = make_columns(run, summary);
  const auto path = [](const std::string& text) { return text.empty() ? Json() : Json(text); };
  Json json;
  json["words"] = words_json(run, summary, source);
  json["summary"] = summary_json(run, summary, source);
  json["origin_ns"] = origin.count();
  json["time"] = columns_json(run, columns, origin);
  json["heat_map"] = heat_map_json(run, columns, origin);
  json["curves"] = curves_json(run, summary);
  json["slowest"] = slowest_json(run, summary);
  json["marks"] = marks_json(run, summary, columns, origin);
  json["served"] = {
      {"list", path(served.list)},
      {"events", path(served.events)},
      {"phase", path(served.phase)},
      {"left_s",
       served.left ? number(std::chrono::duration<double>(*served.left).count()) : Json()}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string page_of(std::string_view data, bool grows) {
  std::string html = fill_page(html_template(), data);
  if (!grows) return html;
  // It may ask its own server, and nobody else.
  const std::size_t policy = html.find(kNothingAllowed);
  check(policy != std::string::npos, "the template of the report has a policy");
  html.insert(policy + kNothingAllowed.size(), " connect-src 'self';");
  return html;
}

std::string render_html(const record::Run& run, const analysis::Summary& summary,
                        const Source& source, const Served& served) {
  return page_of(page_data(run, summary, source, served), !served.events.empty());
}

bool is_html_report(std::string_view text) { return text.starts_with(kSignature); }

}  // namespace headroom::report
