// Writes the HTML page of a run where the user wants it, and shows it.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.h"

namespace headroom::cli {

// Replaces nothing but an older page of ours: any other file that is there, such as a run file
// named by mistake, stays as it is (kUsage). What is no regular file (a pipe, a device) is written
// to.
[[nodiscard]] Status write_page(const std::filesystem::path& path, std::string_view html);

// Asks the desktop to show a file (xdg-open), without waiting for the program that does.
// kIncomplete if there is nothing to ask, or it refuses.
[[nodiscard]] Status open_page(const std::filesystem::path& path);

}  // namespace headroom::cli
