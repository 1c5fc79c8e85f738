// What a file may be, or may have been meant, that is not what a subcommand takes.
#pragma once

#include <filesystem>

#include "base/result.h"

namespace headroom::cli {

// Fails (kUsage) for what is certainly no scenario, with the way out: a run file, or no file at all
// where one of a similar name is in the current directory or in scenarios/. All else passes, and is
// left unread if it is not a regular file.
[[nodiscard]] Status check_scenario_file(const std::filesystem::path& path);

}  // namespace headroom::cli
