// Writes reports where the user wants them, and shows pages.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace headroom::cli {

// Replaces nothing but an older page of ours: any other file that is there, such as a run file
// named by mistake, stays as it is (kUsage). What is no regular file (a pipe, a device) is written
// to.
[[nodiscard]] Status write_page(const std::filesystem::path& path, std::string_view html);

// The same of a Markdown document.
[[nodiscard]] Status write_markdown(const std::filesystem::path& path, std::string_view text);

// Asks the desktop to show a page (xdg-open), a file or what is served under a URL, without waiting
// for the program that does. kIncomplete if there is nothing to ask, or it refuses.
[[nodiscard]] Status open_page(const std::filesystem::path& path);
[[nodiscard]] Status open_url(const std::string& url);

}  // namespace headroom::cli
