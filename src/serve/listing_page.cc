#include "serve/listing_page.h"

#include <nlohmann/json.hpp>

#include <algorithm>

#include "base/check.h"
#include "base/text.h"
#include "base/units.h"
#include "report/json_value.h"

namespace headroom::serve {
namespace {

using report::Json;
using report::number;

Json line_json(const Sparkline& line) {
  Json json = Json::array();
  for (const auto& value : line) json.push_back(number(value));
  return json;
}

Json entry_json(const RunEntry& entry) {
  Json json;
  json["scenario"] = entry.scenario;
  json["engine"] = entry.engine;
  json["target"] = entry.target;
  json["load"] = entry.load;
  json["started_utc"] = iso_time(entry.started);
  json["headline"] = entry.headline;
  json["tone"] = entry.tone;
  json["state"] = entry.state;
  json["regime"] = entry.regime ? Json(analysis::regime_name(*entry.regime)) : Json();
  json["limiter"] = entry.limiter ? Json(analysis::limiter_name(*entry.limiter)) : Json();
  json["measured_s"] = number(entry.measured_s);
  json["throughput_per_s"] = number(entry.throughput_per_s);
  json["p99_ns"] = report::nanos(entry.p99);
  json["open_loop"] = entry.open_loop;
  json["memory_used_max_ratio"] = number(entry.memory_used_max_ratio);
  json["evictions"] = number(entry.evictions);
  json["hit_ratio_client"] = number(entry.hit_ratio);
  json["warnings"] = entry.warnings;
  json["lines"] = {{"throughput_per_s", line_json(entry.throughput_line)},
                   {"p99_ns", line_json(entry.p99_line)},
                   {"memory_used_ratio", line_json(entry.memory_line)},
                   {"evictions_per_s", line_json(entry.evictions_line)}};
  return json;
}

}  // namespace

std::string listing_json(const Listing& listing, const std::string& directory) {
  Json json;
  json["directory"] = printable(directory);
  json["unread"] = listing.unread;
  json["too_many"] = listing.too_many;
  json["runs"] = Json::array();
  for (const ListedRun& run : listing.runs) {
    Json row;
    row["file"] = run.file;
    row["bytes"] = run.stamp.bytes + run.stamp.log_bytes;
    row["modified_utc"] =
        iso_time({Nanos{std::max(run.stamp.modified_ns, run.stamp.log_modified_ns)}});
    row["problem"] = run.problem.empty() ? Json() : Json(run.problem);
    row["entry"] = run.entry ? entry_json(*run.entry) : Json();
    json["runs"].push_back(std::move(row));
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

HttpResponse page_response(std::string html) {
  constexpr std::string_view kBefore = "http-equiv=\"Content-Security-Policy\" content=\"";
  const std::size_t at = html.find(kBefore);
  check(at != std::string::npos, "a page of web/ states its policy");
  const std::size_t begin = at + kBefore.size();
  const std::string policy = html.substr(begin, html.find('"', begin) - begin);
  HttpResponse response;
  response.content_type = "text/html; charset=utf-8";
  response.headers.emplace_back(
      "Content-Security-Policy",
      policy + "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
  response.body = std::move(html);
  return response;
}

}  // namespace headroom::serve
