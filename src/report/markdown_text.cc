#include "report/markdown_text.h"

#include <algorithm>

#include "base/text.h"

namespace headroom::report {

std::string markdown_plain(std::string_view foreign) {
  std::string text;
  for (const char c : printable(foreign, 1000)) {
    if (std::string_view("\\`*_[]<>#|~&").find(c) != std::string_view::npos) text += '\\';
    text += c;
  }
  return text;
}

std::string markdown_code(std::string_view text) {
  // Longer than any run of backticks inside, so that nothing inside ends it.
  std::size_t longest = 2;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  std::string block = fence + "\n";
  for (const std::string_view line : split(text, '\n')) {
    const bool last = line.data() + line.size() == text.data() + text.size();
    if (last && line.empty()) break;
    block += printable(line, 4000);
    block += '\n';
  }
  return block + fence + "\n";
}

std::string markdown_table(const MarkdownCells& cells, bool words) {
  std::string table;
  for (std::size_t row = 0; row < cells.size(); ++row) {
    table += '|';
    for (const std::string& cell : cells[row]) table += " " + cell + " |";
    table += '\n';
    if (row > 0) continue;
    table += '|';
    for (std::size_t i = 0; i < cells[0].size(); ++i) table += i == 0 || words ? "---|" : "--:|";
    table += '\n';
  }
  return table + "\n";
}

}  // namespace headroom::report
