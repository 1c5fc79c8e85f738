// Text that Markdown takes for nothing but text. Internal to `report`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headroom::report {

// What a Markdown document of ours begins with, so that only such a one is overwritten.
inline constexpr std::string_view kMarkdownSignature = "<!-- Headroom report -->\n";

// In one line; no character of it means anything to Markdown or HTML.
[[nodiscard]] std::string markdown_plain(std::string_view foreign);
// As a block that is shown as it stands.
[[nodiscard]] std::string markdown_code(std::string_view text);
using MarkdownCells = std::vector<std::vector<std::string>>;
// The first row is the head; first column left-aligned, the others right-aligned unless `words`.
// Cells are Markdown already.
[[nodiscard]] std::string markdown_table(const MarkdownCells& cells, bool words = false);

}  // namespace headroom::report
