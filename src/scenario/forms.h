// Reading and printing of values that have one of several forms: "uniform", "zipf(0.99)",
// "list(100B:7, 1KiB:3)". A part of value.h, which is what others include.
#pragma once

#include <string>
#include <string_view>

#include "scenario/value.h"

namespace headroom::scenario {

[[nodiscard]] std::string wanted_forms(const FormsType& type);
[[nodiscard]] Result<Value> read_forms(const FormsType& type, std::string_view text);
[[nodiscard]] std::string print_forms(const FormsType& type, const Call& call);

}  // namespace headroom::scenario
