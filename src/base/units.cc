#include "base/units.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <span>

namespace headroom {
namespace {

__extension__ using Wide = unsigned __int128;

struct Unit {
  std::string_view name;
  std::uint64_t factor;
};

constexpr std::uint64_t kMinuteNs = 60'000'000'000;

// Ascending.
constexpr std::array kDurationUnits = {
    Unit{"ns", 1},
    Unit{"us", 1'000},
    Unit{"ms", 1'000'000},
    Unit{"s", 1'000'000'000},
    Unit{"m", kMinuteNs},
    Unit{"h", 60 * kMinuteNs},
    Unit{"d", 24 * 60 * kMinuteNs},
};
constexpr std::array kByteUnits = {
    Unit{"B", 1},
    Unit{"kB", 1'000},
    Unit{"KiB", 1ULL << 10U},
    Unit{"MB", 1'000'000},
    Unit{"MiB", 1ULL << 20U},
    Unit{"GB", 1'000'000'000},
    Unit{"GiB", 1ULL << 30U},
    Unit{"TB", 1'000'000'000'000},
    Unit{"TiB", 1ULL << 40U},
};
constexpr std::array kBinaryUnits = {
    Unit{"B", 1},
    Unit{"KiB", 1ULL << 10U},
    Unit{"MiB", 1ULL << 20U},
    Unit{"GiB", 1ULL << 30U},
    Unit{"TiB", 1ULL << 40U},
};
constexpr std::array kReadableDurationUnits = {
    Unit{"ns", 1},
    Unit{"us", 1'000},
    Unit{"ms", 1'000'000},
    Unit{"s", 1'000'000'000},
    Unit{"min", kMinuteNs},
    Unit{"h", 60 * kMinuteNs},
    Unit{"d", 24 * 60 * kMinuteNs},
};
constexpr std::array kReadableCountUnits = {
    Unit{"", 1},
    Unit{"k", 1'000},
    Unit{"M", 1'000'000},
    Unit{"G", 1'000'000'000},
    Unit{"T", 1'000'000'000'000},
};

// How a quantity is written, for the parser and for its errors.
struct Grammar {
  std::string_view noun;
  std::string_view form;
  std::string_view finest;  // what a value is a whole number of
  std::span<const Unit> units;
  std::uint64_t highest;
  std::string_view highest_text;
};
constexpr Grammar kDurationGrammar{
    "duration",
    "a number with one of ns, us, ms, s, m, h, d, such as \"60s\" or \"1.5h\"",
    "nanoseconds",
    kDurationUnits,
    static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()),
    "106751d",
};
constexpr Grammar kBytesGrammar{
    "size",
    "a number with one of B, kB, MB, GB, TB, KiB, MiB, GiB, TiB, such as \"384MiB\" or \"1024B\"",
    "bytes",
    kByteUnits,
    std::numeric_limits<std::uint64_t>::max(),
    "16777215TiB",
};

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A decimal number split into the digits of mantissa / 10^decimals.
struct Decimal {
  Wide mantissa = 0;
  unsigned decimals = 0;
  bool too_long = false;
  std::size_t length = 0;  // bytes of text that belong to it; 0: there is no number
};

// Digits, and optionally a point with digits on both sides.
Decimal read_decimal(std::string_view text) {
  constexpr unsigned kMaxDigits = 24;  // times the largest factor, still below 2^128
  Decimal result;
  unsigned digits = 0;
  const auto take = [&](char c) {
    result.mantissa = result.mantissa * 10 + static_cast<unsigned>(c - '0');
    if (result.mantissa != 0 && ++digits > kMaxDigits) result.too_long = true;
  };
  std::size_t at = 0;
  while (at < text.size() && is_digit(text[at]) && !result.too_long) take(text[at++]);
  if (at == 0 || result.too_long) return {result.mantissa, 0, result.too_long, at};
  if (at + 1 < text.size() && text[at] == '.' && is_digit(text[at + 1])) {
    std::size_t end = at + 1;
    while (end < text.size() && is_digit(text[end])) ++end;
    std::size_t last = end;  // zeros at the end of a fraction say nothing
    while (last > at + 1 && text[last - 1] == '0') --last;
    for (std::size_t i = at + 1; i < last && !result.too_long; ++i) take(text[i]);
    // A fraction of more digits than any unit has decimals is inexact whatever its digits are.
    if (last - at - 1 > kMaxDigits) result.too_long = true;
    result.decimals = static_cast<unsigned>(last - at - 1);
    at = end;
  }
  result.length = at;
  return result;
}

Result<std::uint64_t> parse_quantity(std::string_view text, const Grammar& grammar) {
  const auto malformed = [&] {
    return fail(ErrorKind::kUsage, "\"{}\" is no {}: want {}", text, grammar.noun, grammar.form);
  };
  if (text == "0") return std::uint64_t{0};
  if (text.size() > 1 && text.front() == '-' && is_digit(text[1]))
    return fail(ErrorKind::kUsage, "\"{}\" is negative: a {} is 0 or more", text, grammar.noun);
  const Decimal number = read_decimal(text);
  if (number.length == 0) return malformed();
  const auto too_large = [&] {
    return fail(ErrorKind::kUsage, "\"{}\" is too large: a {} is at most {}", text, grammar.noun,
                grammar.highest_text);
  };
  const auto inexact = [&] {
    return fail(ErrorKind::kUsage, "\"{}\" is not a whole number of {}", text, grammar.finest);
  };
  if (number.too_long) return number.decimals > 0 ? Result<std::uint64_t>(inexact()) : too_large();
  const std::string_view name = text.substr(number.length);
  if (name.empty())
    return fail(ErrorKind::kUsage, "\"{}\" has no unit: want {}", text, grammar.form);
  const auto unit = std::ranges::find(grammar.units, name, &Unit::name);
  if (unit == grammar.units.end()) return malformed();

  Wide divisor = 1;
  for (unsigned i = 0; i < number.decimals; ++i) divisor *= 10;
  const Wide scaled = number.mantissa * unit->factor;
  if (scaled % divisor != 0) return inexact();
  const Wide value = scaled / divisor;
  if (value > grammar.highest) return too_large();
  return static_cast<std::uint64_t>(value);
}

// The value in the largest unit that divides it.
std::string print_exact(std::uint64_t value, std::span<const Unit> units, std::string_view zero) {
  if (value == 0) return std::string(zero);
  const Unit* best = &units.front();
  for (const Unit& unit : units) {
    if (value % unit.factor == 0) best = &unit;
  }
  return fmt::format("{}{}", value / best->factor, best->name);
}

// Three significant digits, or all digits left of the point if those are more.
std::string three_digits(double value) {
  if (value < 0.9995) return fmt::format("{:.3f}", value);
  if (value < 9.995) return fmt::format("{:.2f}", value);
  if (value < 99.95) return fmt::format("{:.1f}", value);
  return fmt::format("{:.0f}", value);
}

std::string print_readable(double value, std::span<const Unit> units) {
  if (!std::isfinite(value)) return fmt::format("{}", value);
  const double size = std::fabs(value);
  std::size_t chosen = 0;
  // "1000 us" is 1.00 ms: what would round up to the next unit is shown in it.
  while (chosen + 1 < units.size()) {
    const auto factor = static_cast<double>(units[chosen].factor);
    const auto next = static_cast<double>(units[chosen + 1].factor);
    const double shown = size / factor;
    const double step = shown < 9.995 ? 0.01 : shown < 99.95 ? 0.1 : 1.0;
    if (std::round(shown / step) * step * factor < next) break;
    ++chosen;
  }
  double scaled = size / static_cast<double>(units[chosen].factor);
  if (chosen > 0) scaled = std::max(scaled, 1.0);
  const bool whole = chosen == 0 && scaled == std::floor(scaled);
  const std::string digits = whole ? fmt::format("{:.0f}", scaled) : three_digits(scaled);
  const std::string_view sign = value < 0 ? "-" : "";
  if (units[chosen].name.empty()) return fmt::format("{}{}", sign, digits);
  return fmt::format("{}{} {}", sign, digits, units[chosen].name);
}

struct CivilTime {
  int year;
  unsigned month, day;
  std::int64_t hour, minute, second;
};

CivilTime civil(WallTime time) {
  using std::chrono::floor;
  const std::chrono::sys_time<Nanos> point{time.since_epoch};
  const auto day = floor<std::chrono::days>(point);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{floor<std::chrono::seconds>(point - day)};
  return {static_cast<int>(date.year()),     static_cast<unsigned>(date.month()),
          static_cast<unsigned>(date.day()), clock.hours().count(),
          clock.minutes().count(),           clock.seconds().count()};
}

}  // namespace

Result<Nanos> parse_duration(std::string_view text) {
  return parse_quantity(text, kDurationGrammar).map([](std::uint64_t ns) {
    return Nanos{static_cast<std::int64_t>(ns)};
  });
}

Result<std::uint64_t> parse_bytes(std::string_view text) {
  return parse_quantity(text, kBytesGrammar);
}

Result<std::uint64_t> parse_count(std::string_view text) {
  constexpr std::uint64_t kHighest = std::numeric_limits<std::uint64_t>::max();
  if (text.size() > 1 && text.front() == '-' && is_digit(text[1]))
    return fail(ErrorKind::kUsage, "\"{}\" is negative: a count is 0 or more", text);
  std::uint64_t value = 0;
  bool after_digit = false;  // a _ stands between two digits
  for (const char c : text) {
    if (c == '_' && after_digit) {
      after_digit = false;
      continue;
    }
    if (!is_digit(c)) {
      after_digit = false;
      break;
    }
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (value > (kHighest - digit) / 10)
      return fail(ErrorKind::kUsage, "\"{}\" is too large: a count is at most {}", text, kHighest);
    value = value * 10 + digit;
    after_digit = true;
  }
  if (!after_digit) {
    return fail(ErrorKind::kUsage,
                "\"{}\" is no count: want a whole number such as \"2000000\" or \"2_000_000\"",
                text);
  }
  return value;
}

std::string print_duration(Nanos value) {
  const std::int64_t ns = value.count();
  if (ns >= 0) return print_exact(static_cast<std::uint64_t>(ns), kDurationUnits, "0s");
  return "-" + print_exact(0 - static_cast<std::uint64_t>(ns), kDurationUnits, "0s");
}

std::string print_bytes(std::uint64_t value) { return print_exact(value, kBinaryUnits, "0B"); }

std::string human_duration(Nanos value) {
  return print_readable(static_cast<double>(value.count()), kReadableDurationUnits);
}

std::string human_bytes(double value) { return print_readable(value, kBinaryUnits); }

std::string human_count(double value) { return print_readable(value, kReadableCountUnits); }

std::string grouped(std::uint64_t value) {
  std::string digits = fmt::format("{}", value);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

std::string iso_time(WallTime time) {
  const CivilTime t = civil(time);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", t.year, t.month, t.day, t.hour,
                     t.minute, t.second);
}

std::string compact_time(WallTime time) {
  const CivilTime t = civil(time);
  return fmt::format("{:04}{:02}{:02}T{:02}{:02}{:02}Z", t.year, t.month, t.day, t.hour, t.minute,
                     t.second);
}

}  // namespace headroom
