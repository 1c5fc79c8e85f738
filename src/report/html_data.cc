#include "report/html_data.h"

#include <string_view>

#include "base/check.h"
#include "report/html.h"

namespace headroom::report {
namespace {

// Where a page wants its data; stands in it once.
constexpr std::string_view kDataMarker = "{{headroom-data}}";

// JSON that may stand inside <script>: outside its strings no such character occurs, and inside
// them the escape means the same.
std::string without_markup(std::string_view json) {
  std::string result;
  result.reserve(json.size() + json.size() / 64);
  for (const char c : json) {
    switch (c) {
      case '<':
        result += "\\u003c";
        break;
      case '>':
        result += "\\u003e";
        break;
      case '&':
        result += "\\u0026";
        break;
      default:
        result += c;
    }
  }
  return result;
}

}  // namespace

std::string fill_page(std::string_view page, std::string_view json) {
  const std::string data = without_markup(json);
  const std::size_t at = page.find(kDataMarker);
  check(at != std::string_view::npos, "a page of web/ has a place for its data");
  std::string html;
  html.reserve(page.size() + data.size());
  html += page.substr(0, at);
  html += data;
  html += page.substr(at + kDataMarker.size());
  return html;
}

std::string page_with(const Json& json) {
  return fill_page(html_template(), json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace headroom::report
