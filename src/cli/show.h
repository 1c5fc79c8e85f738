// Shows a run file in one of the formats a user may ask for: read, summed up, rendered, printed.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/exit_code.h"

namespace headroom::cli {

enum class Format { kTerminal, kJson, kHtml };

// The summary of a run file, as show_run() prints it.
[[nodiscard]] Result<std::string> render_run(const std::filesystem::path& file, Format format,
                                             bool colour);

// Prints the summary of a run file to stdout. What went wrong is told on stderr.
[[nodiscard]] ExitCode show_run(const std::filesystem::path& file, Format format);

// Writes the HTML page of a run file to `page` (cli/page_file.h) and, if asked, has it shown.
// Prints nothing unless something went wrong.
[[nodiscard]] ExitCode show_page(const std::filesystem::path& file,
                                 const std::filesystem::path& page, bool open);

// Every line behind "# ".
[[nodiscard]] std::string commented(std::string_view text);

}  // namespace headroom::cli
