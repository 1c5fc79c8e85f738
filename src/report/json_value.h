// Values of JSON as we write them.
#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string>

#include "base/clock.h"
#include "record/run.h"
#include "report/source.h"

namespace headroom::report {

using Json = nlohmann::ordered_json;

// null when absent or not finite. Whole numbers are exact (and written without a fraction); others
// are rounded to 10 significant digits, so that the last bits of a sum do not differ between
// compilers.
[[nodiscard]] Json number(std::optional<double> value);
// As it was sampled: nothing is rounded.
[[nodiscard]] Json exact(double value);
[[nodiscard]] Json nanos(std::optional<Nanos> value);
// Foreign text, safe to show.
[[nodiscard]] std::string text(std::string_view foreign);
[[nodiscard]] std::string_view seal_name(Seal seal);
// Indented by one blank a level, with a final newline; invalid UTF-8 is replaced.
[[nodiscard]] std::string dump(const Json& json);

}  // namespace headroom::report
