// The list of runs as a page and as the JSON that it is made from.
#pragma once

#include <string>
#include <string_view>

#include "serve/catalogue.h"
#include "serve/http.h"

namespace headroom::serve {

// web/dist/catalogue.html, byte for byte.
[[nodiscard]] std::string_view listing_template();

// {"directory", "unread", "too_many", "runs": [{"file", "bytes", "modified_utc", "problem",
// "entry": {...} or null}]}, in one line. Keys with a unit end in it; what is not known is null.
[[nodiscard]] std::string listing_json(const Listing& listing, const std::string& directory);

// A page built by web/, with the policy that it states repeated where a browser cannot overlook it.
[[nodiscard]] HttpResponse page_response(std::string html);

}  // namespace headroom::serve
