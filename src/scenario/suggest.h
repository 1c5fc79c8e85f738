// What the writer of a scenario probably meant. Pure.
#pragma once

#include <string>
#include <string_view>

#include "scenario/toml_document.h"
#include "scenario/value.h"

namespace headroom::scenario {

// For a key that is no option: `did you mean load.workers?`, else what there is.
[[nodiscard]] std::string suggest_key(std::string_view section, std::string_view name);
// For a section that is none.
[[nodiscard]] std::string suggest_section(std::string_view name);

// For a TOML value of a kind that the option does not take: what it is and how to write it, such as
// `60 has no unit; write "60s"`.
[[nodiscard]] std::string explain_kind(const OptionType& type, const TomlEntry& entry);

}  // namespace headroom::scenario
