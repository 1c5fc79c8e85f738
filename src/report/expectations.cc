#include "report/expectations.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/prose.h"

namespace headroom::report {

void add_expectations(Page& page, std::span<const analysis::ExpectationResult> results) {
  if (results.empty()) return;
  const auto failed = static_cast<std::size_t>(
      std::ranges::count(results, false, &analysis::ExpectationResult::met));
  page.section("EXPECTATIONS", failed == 0
                                   ? fmt::format("all {} met", results.size())
                                   : fmt::format("{} of {} not met", failed, results.size()));
  for (const analysis::ExpectationResult& result : results) {
    page.paragraph(result.met ? "  met" : "  NOT MET", result.line(),
                   result.met ? Tone::kPlain : Tone::kBad);
  }
}

Json expectations_json(std::span<const analysis::ExpectationResult> results) {
  Json json = Json::array();
  for (const analysis::ExpectationResult& result : results) {
    json.push_back({{"condition", text(result.expectation.text())},
                    {"figure", text(result.expectation.path())},
                    {"comparison", scenario::comparison_sign(result.expectation.comparison)},
                    {"limit", number(result.expectation.limit)},
                    {"value", number(result.value)},
                    {"window", result.window.empty() ? Json() : Json(text(result.window))},
                    {"met", result.met},
                    {"why", result.why.empty() ? Json() : Json(text(result.why))},
                    {"sentence", text(result.line())}});
  }
  return json;
}

}  // namespace headroom::report
