#include "interop/utc.h"

#include <algorithm>
#include <cstdint>

namespace headroom::interop {
namespace {

// The number in text[at, at + digits), all of them digits.
std::optional<int> number(std::string_view text, std::size_t at, std::size_t digits) {
  int value = 0;
  for (const char c : text.substr(at, digits)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

}  // namespace

std::optional<WallTime> parse_utc(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00T00:00:00";
  if (text.size() < kForm.size() + 1 || text.back() != 'Z') return std::nullopt;
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    if (kForm[i] != '0' && text[i] != kForm[i]) return std::nullopt;
  }
  const auto year = number(text, 0, 4);
  const auto month = number(text, 5, 2);
  const auto day = number(text, 8, 2);
  const auto hour = number(text, 11, 2);
  const auto minute = number(text, 14, 2);
  const auto second = number(text, 17, 2);
  if (!year || !month || !day || !hour || !minute || !second) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year{*year},
                                         std::chrono::month{static_cast<unsigned>(*month)},
                                         std::chrono::day{static_cast<unsigned>(*day)}};
  // Nanoseconds since 1970 in 64 bits end in 2262.
  if (!date.ok() || *year < 1970 || *year > 2261 || *hour > 23 || *minute > 59 || *second > 59)
    return std::nullopt;
  Nanos time = std::chrono::sys_days{date}.time_since_epoch() + std::chrono::hours{*hour} +
               std::chrono::minutes{*minute} + std::chrono::seconds{*second};
  std::string_view fraction = text.substr(kForm.size(), text.size() - kForm.size() - 1);
  if (fraction.empty()) return WallTime{time};
  if (fraction.front() != '.' || fraction.size() < 2 || fraction.size() > 10) return std::nullopt;
  fraction.remove_prefix(1);
  const auto digits = number(fraction, 0, fraction.size());
  if (!digits) return std::nullopt;
  std::int64_t nanos = *digits;
  for (std::size_t i = fraction.size(); i < 9; ++i) nanos *= 10;
  return WallTime{time + Nanos{nanos}};
}

}  // namespace headroom::interop
