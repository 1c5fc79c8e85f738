#include "load/command.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"

namespace headroom::load {
namespace {

std::string head_text(std::string_view before, std::string_view prefix, std::size_t digits) {
  return fmt::format("{}${}\r\n{}", before, prefix.size() + digits, prefix);
}

}  // namespace

void Batch::grow(std::size_t needed) {
  const std::size_t capacity = std::max(needed, 2 * capacity_);
  auto bytes = std::make_unique<char[]>(capacity);
  std::memcpy(bytes.get(), bytes_.get(), size_);
  bytes_ = std::move(bytes);
  capacity_ = capacity;
}

bool CommandTemplate::fits(std::string_view before, std::string_view prefix) {
  return head_text(before, prefix, kMaxDigits).size() <= Batch::kHeadBytes;
}

CommandTemplate::CommandTemplate(std::string_view before, std::string_view prefix,
                                 std::string_view after)
    : after_(after) {
  check(fits(before, prefix), "a request's beginning fits into its template");
  for (std::size_t digits = 1; digits <= kMaxDigits; ++digits) {
    const std::string text = head_text(before, prefix, digits);
    std::copy(text.begin(), text.end(), heads_[digits].bytes.begin());
    heads_[digits].size = text.size();
  }
}

}  // namespace headroom::load
