// The option table as people read it. Pure.
#pragma once

#include <string>

namespace headroom::scenario {

// For `headroom run --help`: every option with its range, default and meaning. Plain text, at most
// 80 columns, ends with a newline.
[[nodiscard]] std::string options_help();

// docs/SCENARIO.md, whole.
[[nodiscard]] std::string options_markdown();

}  // namespace headroom::scenario
