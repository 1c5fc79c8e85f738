// Values with units, as people write them and as we print them.
//
//   durations  "60s" "1.5h" "350us" "2m"     ns us ms s m h d; a unit is required (except for "0")
//   sizes      "384MiB" "1024B" "1kB"        B, kB MB GB TB (powers of 1000), KiB MiB GiB TiB
//   counts     "2000000" "2_000_000"         plain integers, digits may be grouped by _
//
// Parsers refuse what does not fit exactly (a negative, a fraction of a byte or of a nanosecond, an
// overflow) and say so. Printers choose the largest unit that is exact, so that what is printed
// parses to the same value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace headroom {

inline constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;
inline constexpr std::uint64_t kTiB = std::uint64_t{1} << 40U;

// Errors name the text and the form that is wanted, but not the key: the caller adds it.
[[nodiscard]] Result<Nanos> parse_duration(std::string_view text);
[[nodiscard]] Result<std::uint64_t> parse_bytes(std::string_view text);
[[nodiscard]] Result<std::uint64_t> parse_count(std::string_view text);

// "1m", "60500ms", "350us": exact, parses back (but for negative ones, which have a minus).
[[nodiscard]] std::string print_duration(Nanos value);
// "384MiB", "1024B" for 1024 is "1KiB": exact, parses back. Binary units only.
[[nodiscard]] std::string print_bytes(std::uint64_t value);

// For people, three significant digits: "1.23 ms", "384 MiB", "48.9 k"; whole numbers of the
// smallest unit have no fraction ("350 ns", "7"). Minutes are "min" here. Never parsed again.
[[nodiscard]] std::string human_duration(Nanos value);
[[nodiscard]] std::string human_bytes(double value);
[[nodiscard]] std::string human_count(double value);
// "12,345,678"
[[nodiscard]] std::string grouped(std::uint64_t value);
// "2026-05-28T05:25:50Z", and the form that fits a file name: "20260528T052550Z".
[[nodiscard]] std::string iso_time(WallTime time);
[[nodiscard]] std::string compact_time(WallTime time);

}  // namespace headroom
