#include "load/command.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"

namespace headroom::load {
namespace {

constexpr std::string_view kLineEnd = "\r\n";

}  // namespace

std::string CommandTemplate::value_part(std::string_view value) {
  std::string part = fmt::format("\r\n${}\r\n", value.size());
  part += value;
  part += kLineEnd;
  return part;
}

CommandTemplate::CommandTemplate(std::string_view name, std::string_view prefix,
                                 std::string_view value_part)
    : tail_(value_part.empty() ? kLineEnd : value_part) {
  const int words = value_part.empty() ? 2 : 3;
  for (std::size_t digits = 1; digits <= kMaxDigits; ++digits) {
    const std::string text = fmt::format("*{}\r\n${}\r\n{}\r\n${}\r\n{}", words, name.size(), name,
                                         prefix.size() + digits, prefix);
    check(text.size() <= Batch::kHeadBytes, "a command's beginning fits into its template");
    std::copy(text.begin(), text.end(), heads_[digits].bytes.begin());
    heads_[digits].size = text.size();
  }
}

}  // namespace headroom::load
