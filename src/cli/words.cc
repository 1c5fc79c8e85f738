#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "cli/commands.h"

namespace headroom::cli {
namespace {

// "bash, zsh or fish"
std::string alternatives(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

}  // namespace

void accept_words(CLI::Option& option, std::vector<std::string> words, Invocation& invocation) {
  option.check(CLI::Validator(
      [words](const std::string& word) {
        if (std::ranges::find(words, word) != words.end()) return std::string();
        return fmt::format("{} is unknown; give {}", printable(word), alternatives(words));
      },
      ""));
  invocation.words[&option] = std::move(words);
}

void refuse_empty(CLI::Option& option) {
  option.check(CLI::Validator(
      [](const std::string& word) {
        return word.empty() ? std::string("is empty") : std::string();
      },
      ""));
}

std::string quoted_words(std::span<const std::string> words) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,+@%";
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

void add_expect_flag(CLI::App& command, std::vector<std::string>& conditions) {
  command
      .add_option("--expect", conditions,
                  "What the run must show, such as 'latency.p99 < 1ms'; else exit code 5. May be "
                  "repeated; headroom report --list-figures has the figures")
      ->type_name("CONDITION")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

}  // namespace headroom::cli
