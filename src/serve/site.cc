#include "serve/site.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "analysis/comparison.h"
#include "analysis/observed_run.h"
#include "base/text.h"
#include "report/compare_html.h"
#include "report/group.h"
#include "report/html.h"
#include "report/html_data.h"
#include "report/json.h"
#include "serve/arms_by_difference.h"
#include "serve/listing_page.h"
#include "serve/run_source.h"

namespace headroom::serve {
namespace {

// How long a list may take to read what it does not know yet: the page asks again for the rest.
constexpr Nanos kReadingBudget = std::chrono::milliseconds{500};
constexpr std::size_t kMostCompared = 200;

HttpResponse not_found() {
  return plain_response(404, "There is nothing of that name here; the list is at /.");
}

// Errors of reading name the file first; a page must not tell where the directory is.
HttpResponse unreadable(const std::string& file, const Error& error) {
  std::string what = error.message;
  if (const std::size_t at = what.find(": "); at != std::string::npos) what.erase(0, at + 2);
  return plain_response(422, printable(file) + ": " + printable(what, 1000));
}

HttpResponse json_response(std::string body) {
  HttpResponse response;
  response.content_type = "application/json; charset=utf-8";
  response.body = std::move(body);
  return response;
}

// The part of a path behind `prefix`; nullopt if it begins otherwise.
std::optional<std::string> behind(const std::string& path, std::string_view prefix) {
  if (!path.starts_with(prefix)) return std::nullopt;
  return path.substr(prefix.size());
}

}  // namespace

HttpResponse Site::answer(const HttpRequest& request) {
  if (request.path == "/") return list_page();
  if (request.path == "/runs.json") return list_json();
  if (const auto file = behind(request.path, "/run/")) return report_page(*file);
  if (const auto file = behind(request.path, "/json/")) return summary(*file);
  if (request.path == "/compare") return comparison(request);
  return not_found();
}

HttpResponse Site::list_page() {
  return page_response(report::fill_page(
      listing_template(),
      listing_json(catalogue_.list(kReadingBudget), catalogue_.directory().filename().string())));
}

HttpResponse Site::list_json() {
  return json_response(
      listing_json(catalogue_.list(kReadingBudget), catalogue_.directory().filename().string()));
}

HttpResponse Site::report_page(const std::string& file) const {
  const auto path = catalogue_.find(file);
  if (!path) return not_found();
  const auto read = read_summed_up(*path, file);
  if (!read) return unreadable(file, read.error());
  return page_response(report::render_html(read->run, read->summary, read->source, {.list = "/"}));
}

HttpResponse Site::summary(const std::string& file) const {
  const auto path = catalogue_.find(file);
  if (!path) return not_found();
  const auto read = read_summed_up(*path, file);
  if (!read) return unreadable(file, read.error());
  return json_response(report::render_json(read->run, read->summary, read->source));
}

HttpResponse Site::comparison(const HttpRequest& request) const {
  std::vector<report::GroupMember> members;
  std::set<std::string> seen;  // run ids
  const auto [first, last] = request.query.equal_range("run");
  for (auto asked = first; asked != last; ++asked) {
    const std::string& file = asked->second;
    if (members.size() == kMostCompared)
      return plain_response(400,
                            fmt::format("At most {} runs are compared at once.", kMostCompared));
    const auto path = catalogue_.find(file);
    if (!path) return not_found();
    const auto read = read_summed_up(*path, file);
    if (!read) return unreadable(file, read.error());
    if (!seen.insert(read->run.header.run_id).second) continue;  // the same run under another name
    members.push_back(report::member_of(read->run, read->summary, read->source));
  }
  if (members.size() < 2)
    return plain_response(400, "Choose two runs or more: /compare?run=A&run=B.");
  std::vector<analysis::ObservedRun> runs;
  for (const report::GroupMember& member : members) runs.push_back(member.observed);
  std::vector<analysis::Arm> arms = arms_by_difference(std::move(runs));
  if (arms.size() == 1)
    return page_response(
        report::render_group_html(report::make_group(std::move(members)), {.list = "/"}));
  const analysis::Comparison comparison =
      analysis::compare(std::move(arms), analysis::ComparisonOptions());
  return page_response(report::render_comparison_html(comparison));
}

}  // namespace headroom::serve
