// The published command lines of tests/data/bench_lines.txt. Header only.
#pragma once

#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/golden.h"

namespace headroom::testing {

struct BenchLine {
  std::string source;
  std::string outcome;             // "runs", "refused TEXT"
  std::vector<std::string> words;  // as a shell would hand them over, the program's name first
};

// Splits at blanks outside quotes; within the line, quotes of either kind are taken off.
[[nodiscard]] inline std::vector<std::string> shell_words(std::string_view line) {
  std::vector<std::string> words;
  char quote = '\0';
  bool in_word = false;
  for (const char c : line) {
    if (quote != '\0' ? c == quote : c == '\'' || c == '"') {
      quote = quote != '\0' ? '\0' : c;
    } else if (c == ' ' && quote == '\0') {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    const bool is_quote = (c == '\'' || c == '"') && (quote == '\0' || c == quote);
    if (!is_quote) words.back() += c;
  }
  return words;
}

[[nodiscard]] inline std::vector<BenchLine> bench_lines() {
  std::vector<BenchLine> lines;
  std::ifstream file(source_folder() / "tests" / "data" / "bench_lines.txt");
  BenchLine next;
  for (std::string text; std::getline(file, text);) {
    if (text.starts_with("from  ")) next.source = text.substr(6);
    if (text.starts_with("then  ")) next.outcome = text.substr(6);
    if (!text.starts_with("line  ")) continue;
    next.words = shell_words(text.substr(6));
    lines.push_back(next);
  }
  return lines;
}

}  // namespace headroom::testing
