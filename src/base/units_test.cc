#include "base/units.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/random.h"

namespace headroom {
namespace {

using testing::HasSubstr;

struct DurationCase {
  std::string_view text;
  std::int64_t ns;
};
constexpr DurationCase kDurations[] = {
    {"0", 0},
    {"0s", 0},
    {"1ns", 1},
    {"350us", 350'000},
    {"0.5us", 500},
    {"1.000ms", 1'000'000},
    {"60s", 60'000'000'000},
    {"007s", 7'000'000'000},
    {"2m", 120'000'000'000},
    {"1.5h", 5'400'000'000'000},
    {"0.000000001s", 1},
    {"1d", 86'400'000'000'000},
    {"9223372036854775807ns", std::numeric_limits<std::int64_t>::max()},
    {"106751d", 106751LL * 86'400'000'000'000},
};

TEST(ParseDuration, ReadsEveryUnitExactly) {
  for (const auto& [text, ns] : kDurations) {
    const Result<Nanos> result = parse_duration(text);
    ASSERT_TRUE(result) << text << ": " << result.error().message;
    EXPECT_EQ(result->count(), ns) << text;
  }
}

struct Refusal {
  std::string_view text;
  std::string_view part_of_message;
};

TEST(ParseDuration, RefusesAndSaysWhy) {
  constexpr Refusal kRefusals[] = {
      {"", "is no duration"},
      {"60", "has no unit"},
      {"s", "is no duration"},
      {"1.s", "is no duration"},
      {".5s", "is no duration"},
      {"1 s", "is no duration"},
      {"1S", "is no duration"},
      {"1m30s", "is no duration"},
      {"+1s", "is no duration"},
      {"1e3s", "is no duration"},
      {"-1s", "is negative"},
      {"0.5ns", "not a whole number of nanoseconds"},
      {"0.0000000001s", "not a whole number of nanoseconds"},
      {"1.0000000000000000000000000000000000001s", "not a whole number of nanoseconds"},
      {"9223372036854775808ns", "is too large"},
      {"106752d", "is too large"},
      {"99999999999999999999999999999999999999999s", "is too large"},
      {"340282366920938463463374607431768211457ns", "is too large"},  // 2^128 + 1
  };
  for (const auto& [text, part] : kRefusals) {
    const Result<Nanos> result = parse_duration(text);
    ASSERT_FALSE(result) << text;
    EXPECT_EQ(result.error().kind, ErrorKind::kUsage);
    EXPECT_THAT(result.error().message, HasSubstr(part));
    EXPECT_THAT(result.error().message, HasSubstr(text)) << "the text itself is named";
  }
}

TEST(ParseBytes, ReadsEveryUnitExactly) {
  constexpr std::pair<std::string_view, std::uint64_t> kCases[] = {
      {"0", 0},
      {"1024B", 1024},
      {"1kB", 1000},
      {"1KiB", 1024},
      {"384MiB", 384ULL << 20U},
      {"1.5GiB", 3ULL << 29U},
      {"0.5KiB", 512},
      {"2MB", 2'000'000},
      {"3GB", 3'000'000'000},
      {"4TB", 4'000'000'000'000},
      {"5TiB", 5ULL << 40U},
      {"18446744073709551615B", std::numeric_limits<std::uint64_t>::max()},
      {"16777215TiB", 16777215ULL << 40U},
  };
  for (const auto& [text, bytes] : kCases) {
    const Result<std::uint64_t> result = parse_bytes(text);
    ASSERT_TRUE(result) << text << ": " << result.error().message;
    EXPECT_EQ(*result, bytes) << text;
  }
}

TEST(ParseBytes, RefusesAndSaysWhy) {
  constexpr Refusal kRefusals[] = {
      {"1024", "has no unit"},
      {"1kb", "is no size"},
      {"1mb", "is no size"},
      {"64M", "is no size"},
      {"-1B", "is negative"},
      {"0.3KiB", "not a whole number of bytes"},
      {"0.5B", "not a whole number of bytes"},
      {"16777216TiB", "at most 16777215TiB"},
      {"18446744073709551616B", "is too large"},
  };
  for (const auto& [text, part] : kRefusals) {
    const Result<std::uint64_t> result = parse_bytes(text);
    ASSERT_FALSE(result) << text;
    EXPECT_THAT(result.error().message, HasSubstr(part));
  }
}

TEST(ParseCount, ReadsDigitsGroupedOrNot) {
  EXPECT_EQ(parse_count("0").value(), 0U);
  EXPECT_EQ(parse_count("2000000").value(), 2'000'000U);
  EXPECT_EQ(parse_count("2_000_000").value(), 2'000'000U);
  EXPECT_EQ(parse_count("18446744073709551615").value(), std::numeric_limits<std::uint64_t>::max());
}

TEST(ParseCount, RefusesAndSaysWhy) {
  constexpr Refusal kRefusals[] = {
      {"", "is no count"},     {"_1", "is no count"},
      {"1_", "is no count"},   {"1__0", "is no count"},
      {"1.0", "is no count"},  {"1k", "is no count"},
      {"0x10", "is no count"}, {" 1", "is no count"},
      {"-1", "is negative"},   {"18446744073709551616", "is too large"},
  };
  for (const auto& [text, part] : kRefusals) {
    const Result<std::uint64_t> result = parse_count(text);
    ASSERT_FALSE(result) << text;
    EXPECT_THAT(result.error().message, HasSubstr(part));
  }
}

TEST(PrintDuration, ChoosesTheLargestExactUnit) {
  EXPECT_EQ(print_duration(Nanos{0}), "0s");
  EXPECT_EQ(print_duration(std::chrono::seconds{60}), "1m");
  EXPECT_EQ(print_duration(std::chrono::seconds{90}), "90s");
  EXPECT_EQ(print_duration(std::chrono::milliseconds{60'500}), "60500ms");
  EXPECT_EQ(print_duration(std::chrono::hours{48}), "2d");
  EXPECT_EQ(print_duration(Nanos{-1'500}), "-1500ns");
  EXPECT_EQ(print_duration(Nanos::min()), "-9223372036854775808ns");
}

TEST(PrintBytes, ChoosesTheLargestExactBinaryUnit) {
  EXPECT_EQ(print_bytes(0), "0B");
  EXPECT_EQ(print_bytes(1000), "1000B");
  EXPECT_EQ(print_bytes(1024), "1KiB");
  EXPECT_EQ(print_bytes(384ULL << 20U), "384MiB");
  EXPECT_EQ(print_bytes((1ULL << 30U) + 1024), "1048577KiB");
}

TEST(Print, ParsesBackToTheSameValue) {
  Random random(11);
  for (int i = 0; i < 5000; ++i) {
    // Values of every magnitude, most of them multiples of a unit.
    const std::uint64_t raw = random() >> (1 + random.below(63));
    const auto unit = static_cast<std::uint64_t>(std::pow(1000, random.below(4)));
    const std::uint64_t value = raw / unit * unit;
    EXPECT_EQ(parse_bytes(print_bytes(value)).value(), value);
    const Nanos duration{static_cast<std::int64_t>(value)};
    EXPECT_EQ(parse_duration(print_duration(duration)).value(), duration);
  }
}

TEST(HumanDuration, ShowsThreeSignificantDigits) {
  constexpr std::pair<std::int64_t, std::string_view> kCases[] = {
      {0, "0 ns"},
      {350, "350 ns"},
      {999, "999 ns"},
      {1000, "1.00 us"},
      {1234, "1.23 us"},
      {99'940, "99.9 us"},
      {99'960, "100 us"},
      {999'499, "999 us"},
      {999'500, "1.00 ms"},
      {1'234'567, "1.23 ms"},
      {59'940'000'000, "59.9 s"},
      {59'960'000'000, "1.00 min"},
      {90'000'000'000, "1.50 min"},
      {3'600'000'000'000, "1.00 h"},
      {86'400'000'000'000, "1.00 d"},
      {-1'500, "-1.50 us"},
  };
  for (const auto& [ns, text] : kCases) EXPECT_EQ(human_duration(Nanos{ns}), text);
}

TEST(HumanBytes, ShowsThreeSignificantDigits) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(1023), "1023 B");
  EXPECT_EQ(human_bytes(1024), "1.00 KiB");
  EXPECT_EQ(human_bytes(384.0 * (1 << 20)), "384 MiB");
  EXPECT_EQ(human_bytes(1371.5), "1.34 KiB");
  EXPECT_EQ(human_bytes(1024.0 * 1024 - 1), "1.00 MiB");
  EXPECT_EQ(human_bytes(std::pow(2.0, 60)), "1048576 TiB");
}

TEST(HumanCount, ShowsThreeSignificantDigits) {
  EXPECT_EQ(human_count(0), "0");
  EXPECT_EQ(human_count(7), "7");
  EXPECT_EQ(human_count(0.5), "0.500");
  EXPECT_EQ(human_count(12.345), "12.3");
  EXPECT_EQ(human_count(999.4), "999");
  EXPECT_EQ(human_count(999.5), "1.00 k");
  EXPECT_EQ(human_count(48'912), "48.9 k");
  EXPECT_EQ(human_count(-48'912), "-48.9 k");
  EXPECT_EQ(human_count(1'230'000'000), "1.23 G");
}

TEST(Grouped, SeparatesThousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(12'345'678), "12,345,678");
  EXPECT_EQ(grouped(std::numeric_limits<std::uint64_t>::max()), "18,446,744,073,709,551,615");
}

TEST(IsoTime, IsUtcToTheSecond) {
  // date -u -d @1779945950 +%FT%TZ
  const WallTime time{std::chrono::seconds{1'779'945'950} + Nanos{999'999'999}};
  EXPECT_EQ(iso_time(time), "2026-05-28T05:25:50Z");
  EXPECT_EQ(compact_time(time), "20260528T052550Z");
  EXPECT_EQ(iso_time(WallTime{}), "1970-01-01T00:00:00Z");
  EXPECT_EQ(iso_time(WallTime{Nanos{-1}}), "1969-12-31T23:59:59Z");
}

}  // namespace
}  // namespace headroom
