// Puts data into the page that web/ builds. Internal to `report`.
#pragma once

#include <string>

#include "report/json_value.h"

namespace headroom::report {

// The template with the JSON in its place, which it may not leave: no markup can begin in it.
[[nodiscard]] std::string page_with(const Json& json);

}  // namespace headroom::report
