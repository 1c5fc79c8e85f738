// What was expected, met or not, on the terminal page and in JSON; the list of figures. Internal to
// `report` but for the list.
#pragma once

#include <span>
#include <string>

#include "analysis/expectations.h"
#include "report/json_value.h"
#include "report/page.h"

namespace headroom::report {

// Nothing where nothing was expected.
void add_expectations(Page& page, std::span<const analysis::ExpectationResult> results);
[[nodiscard]] Json expectations_json(std::span<const analysis::ExpectationResult> results);

}  // namespace headroom::report
