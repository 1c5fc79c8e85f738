// Puts data into the pages that web/ builds.
#pragma once

#include <string>
#include <string_view>

#include "report/json_value.h"

namespace headroom::report {

// A page of web/ with the JSON in its place, which it may not leave: no markup can begin in it.
[[nodiscard]] std::string fill_page(std::string_view page, std::string_view json);
// The page of reports and comparisons (html_template()).
[[nodiscard]] std::string page_with(const Json& json);

}  // namespace headroom::report
