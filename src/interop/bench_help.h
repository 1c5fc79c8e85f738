// The tables of flags as people read them. Pure.
#pragma once

#include <string>

namespace headroom::interop {

// For `headroom bench --help`. Plain text, at most 80 columns, ends with a newline.
[[nodiscard]] std::string bench_help();

// docs/BENCH.md, whole.
[[nodiscard]] std::string bench_markdown();

}  // namespace headroom::interop
