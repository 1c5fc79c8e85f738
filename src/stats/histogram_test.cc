#include "stats/histogram.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.h"

namespace headroom::stats {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kHourNs = 3'600'000'000'000;

Histogram of(const std::vector<std::int64_t>& values) {
  Histogram histogram;
  for (const std::int64_t value : values) histogram.record(Nanos{value});
  return histogram;
}

// Latencies of every magnitude, a few of them outside the range.
std::vector<std::int64_t> some_values(std::uint64_t seed, std::size_t size) {
  Random random(seed);
  std::vector<std::int64_t> values;
  for (std::size_t i = 0; i < size; ++i) {
    const std::uint64_t kind = random.below(100);
    const auto value = static_cast<std::int64_t>(random() >> (22 + random.below(42)));
    values.push_back(kind == 0   ? -value
                     : kind == 1 ? kHourNs + 1 + value
                                 : std::min(value, kHourNs));
  }
  return values;
}

TEST(Histogram, IsEmptyAtFirst) {
  const Histogram histogram;
  EXPECT_TRUE(histogram.empty());
  EXPECT_EQ(histogram.min(), std::nullopt);
  EXPECT_EQ(histogram.max(), std::nullopt);
  EXPECT_EQ(histogram.mean_ns(), std::nullopt);
  EXPECT_EQ(histogram.quantile(0.5), std::nullopt);
  histogram.for_each([](auto, auto, auto) { FAIL() << "no bucket has samples"; });
}

TEST(Histogram, ReadsBackEveryMagnitudeWithinItsPrecision) {
  Random random(1);
  Histogram histogram;
  for (int i = 0; i < 20'000; ++i) {
    const auto value = std::clamp<std::int64_t>(
        static_cast<std::int64_t>(random() >> (22 + random.below(42))), 1, kHourNs);
    // Two neighbours keep the exact extremes out of the way.
    histogram = {};
    for (const std::int64_t each : {std::max<std::int64_t>(value / 2, 1), value, value + value / 2})
      histogram.record(Nanos{each});
    const std::int64_t back = histogram.quantile(0.5)->count();
    const double error = std::fabs(static_cast<double>(back - value)) / static_cast<double>(value);
    ASSERT_LE(error, 1.0 / 1024) << value << " came back as " << back;
    if (value < 1024) {
      ASSERT_EQ(back, value);
    }
  }
}

TEST(Histogram, BucketsMeetWithoutGapsAndHoldWhatFallsInThem) {
  Histogram histogram;
  std::int64_t next = 1;
  int buckets = 0;
  while (next <= kHourNs) {
    histogram = {};
    histogram.record(Nanos{next});
    std::int64_t end = 0;
    histogram.for_each([&](std::int64_t low, std::int64_t high, std::uint64_t) {
      ASSERT_EQ(low, next) << "a gap or an overlap";
      end = high;
    });
    ASSERT_GT(end, next);
    histogram.record(Nanos{std::min(end - 1, kHourNs)});
    histogram.for_each([&](std::int64_t low, std::int64_t, std::uint64_t count) {
      ASSERT_EQ(low, next);
      ASSERT_EQ(count, 2U) << "both ends of a bucket are in it";
    });
    next = end;
    ++buckets;
  }
  EXPECT_EQ(buckets, 17'222);
}

TEST(Histogram, CountsWhatFallsOutsideAndKeepsItsExtremes) {
  const Histogram histogram = of({-5, 0, 1, kHourNs, kHourNs + 1, 2 * kHourNs});
  EXPECT_EQ(histogram.count(), 6U);
  EXPECT_EQ(histogram.below(), 2U);
  EXPECT_EQ(histogram.above(), 2U);
  EXPECT_EQ(histogram.min(), Nanos{-5});
  EXPECT_EQ(histogram.max(), Nanos{2 * kHourNs});
  EXPECT_EQ(histogram.quantile(0), Nanos{-5});
  EXPECT_EQ(histogram.quantile(0.34), Nanos{1});
  EXPECT_EQ(histogram.quantile(0.99), Nanos{2 * kHourNs});
  EXPECT_DOUBLE_EQ(*histogram.mean_ns(), static_cast<double>(4 * kHourNs - 3) / 6);
}

TEST(Histogram, HoldsTheExtremesOfItsType) {
  const Histogram histogram =
      of({Nanos::min().count(), Nanos::max().count(), Nanos::max().count()});
  EXPECT_EQ(histogram.below(), 1U);
  EXPECT_EQ(histogram.above(), 2U);
  EXPECT_NEAR(*histogram.mean_ns(), 0x1.0p63 / 3, 1e5);
}

TEST(Histogram, QuantilesMatchSortedSamples) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::vector<std::int64_t> values = some_values(seed, 1 + seed * 37);
    const Histogram histogram = of(values);
    std::ranges::sort(values);
    std::int64_t last = values.front();
    for (int step = 0; step <= 1000; ++step) {
      const double q = step / 1000.0;
      // In whole numbers, so that this rank has no rounding of its own.
      const std::size_t rank =
          std::max<std::size_t>(1, (static_cast<std::size_t>(step) * values.size() + 999) / 1000);
      const std::int64_t exact = values[rank - 1];
      const std::int64_t read = histogram.quantile(q)->count();
      if (exact < 1) {
        EXPECT_EQ(read, values.front());
      } else if (exact > kHourNs) {
        EXPECT_EQ(read, values.back());
      } else {
        EXPECT_NEAR(static_cast<double>(read), static_cast<double>(exact),
                    static_cast<double>(exact) / 1024)
            << "q " << q << " of " << values.size();
      }
      EXPECT_GE(read, last);
      EXPECT_GE(read, values.front());
      EXPECT_LE(read, values.back());
      last = read;
    }
  }
}

TEST(Histogram, QuantilesHitTheRankThatDecimalsMean) {
  // 0.07 as a double is slightly more than seven hundredths.
  Histogram histogram;
  for (std::int64_t i = 1; i <= 100; ++i) histogram.record(Nanos{i});
  for (int percent = 1; percent <= 100; ++percent)
    EXPECT_EQ(histogram.quantile(percent / 100.0)->count(), percent);
}

TEST(Histogram, ExtremesAndMeanAreExact) {
  const Histogram histogram = of({1'234'567, 7'654'321, 1'000'003});
  EXPECT_EQ(histogram.min(), Nanos{1'000'003});
  EXPECT_EQ(histogram.max(), Nanos{7'654'321});
  EXPECT_EQ(histogram.quantile(0), Nanos{1'000'003});
  EXPECT_EQ(histogram.quantile(1), Nanos{7'654'321});
  EXPECT_DOUBLE_EQ(*histogram.mean_ns(), 9'888'891 / 3.0);
}

TEST(Histogram, RecordingManyAtOnceIsRecordingThemOneByOne) {
  Histogram at_once;
  at_once.record(Nanos{5'000}, 3);
  at_once.record(Nanos{-1}, 2);
  at_once.record(Nanos{7'000'000}, 0);
  at_once.record(Nanos{-9}, 0);
  EXPECT_EQ(at_once, of({5'000, 5'000, 5'000, -1, -1}));
}

TEST(Histogram, MergingIsRecordingTogether) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const std::vector<std::int64_t> a = some_values(seed, 50 * seed);
    const std::vector<std::int64_t> b = some_values(seed + 1000, 200);
    std::vector<std::int64_t> both = a;
    both.insert(both.end(), b.begin(), b.end());
    const Histogram together = of(both);
    for (const bool compact_first : {false, true}) {
      for (const bool compact_second : {false, true}) {
        Histogram first = of(a);
        Histogram second = of(b);
        if (compact_first) first = first.drain();
        if (compact_second) second = second.drain();
        Histogram forth = first;
        forth.merge(second);
        Histogram back = second;
        back.merge(first);
        EXPECT_EQ(forth, together);
        EXPECT_EQ(back, together);
        EXPECT_EQ(forth.encode(), together.encode());
        EXPECT_EQ(forth.mean_ns(), together.mean_ns()) << "to the last bit, in any order";
      }
    }
  }
}

TEST(Histogram, MergingWithItselfDoubles) {
  Histogram histogram = of({3, 5'000'000, -1});
  histogram.merge(histogram);
  EXPECT_EQ(histogram, of({3, 5'000'000, -1, 3, 5'000'000, -1}));
  histogram = histogram.drain();
  histogram.merge(histogram);
  EXPECT_EQ(histogram.count(), 12U);
}

TEST(Histogram, MergingWithNothingChangesNothing) {
  Histogram histogram = of({3});
  histogram.merge(Histogram());
  EXPECT_EQ(histogram, of({3}));
  Histogram empty;
  empty.merge(histogram);
  EXPECT_EQ(empty, of({3}));
}

TEST(Histogram, EqualityIsByContent) {
  Histogram grown = of({5});
  grown.record(Nanos{1'000'000'000});
  (void)grown.drain();
  EXPECT_EQ(grown, Histogram());
  grown.record(Nanos{5});
  EXPECT_EQ(grown, of({5}));
  EXPECT_FALSE(of({5}) == of({6}));
  EXPECT_FALSE(of({5}) == of({5, 5}));
  EXPECT_FALSE(of({5'000'000}) == of({5'000'001})) << "one bucket, but the extremes differ";
}

TEST(Histogram, CompactingChangesNothingThatCanBeSeen) {
  const Histogram wide = of(some_values(5, 3000));
  Histogram compact = wide;
  compact = compact.drain();
  EXPECT_EQ(compact, wide);
  EXPECT_EQ(compact.encode(), wide.encode());
  for (const double q : {0.0, 0.01, 0.5, 0.99, 0.9999, 1.0})
    EXPECT_EQ(compact.quantile(q), wide.quantile(q));
  compact.record(Nanos{123});
  Histogram expected = wide;
  expected.record(Nanos{123});
  EXPECT_EQ(compact, expected);
}

TEST(Histogram, DrainingGivesAllAndLeavesNothing) {
  std::vector<std::int64_t> values = some_values(6, 3000);
  values.insert(values.end(), {0, -7, 2 * kHourNs});
  Histogram histogram = of(values);
  const Histogram given = histogram.drain();
  EXPECT_EQ(given, of(values));
  EXPECT_EQ(given.encode(), of(values).encode());
  EXPECT_EQ(histogram, Histogram());
  EXPECT_TRUE(histogram.drain().empty());
  // What comes next is apart from what was given, and is drained in its turn.
  for (const std::int64_t each : some_values(7, 500)) histogram.record(Nanos{each});
  EXPECT_EQ(histogram.drain(), of(some_values(7, 500)));
  EXPECT_EQ(given, of(values));
  Histogram decoded = *Histogram::decode(given.encode());
  EXPECT_EQ(decoded.drain(), of(values));
  EXPECT_TRUE(decoded.empty());
}

TEST(Histogram, IsDecodedAsItWasEncoded) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Histogram histogram = of(some_values(seed, seed * seed));
    const Result<Histogram> decoded = Histogram::decode(histogram.encode());
    ASSERT_TRUE(decoded) << decoded.error().message;
    EXPECT_EQ(*decoded, histogram);
  }
}

TEST(Histogram, OddShapesAreDecodedAsTheyWereEncoded) {
  Histogram steep;  // from nothing to huge counts and back
  for (std::int64_t i = 0; i < 200; ++i)
    steep.record(Nanos{1 + i * 7}, std::uint64_t{1} << static_cast<unsigned>(i % 40));
  Histogram full;
  for (std::int64_t value = 1; value <= kHourNs; value += 1 + value / 1024)
    full.record(Nanos{value});
  Histogram ends = of({1, kHourNs});
  Histogram most;
  most.record(Nanos{1000}, (std::uint64_t{1} << 48U) - 1);
  for (const Histogram& histogram :
       {Histogram(), of({1}), of({kHourNs}), of({-1}), of({kHourNs + 1}), of({-1, kHourNs + 1}),
        of({Nanos::min().count(), Nanos::max().count()}), steep, full, ends, most}) {
    const Result<Histogram> decoded = Histogram::decode(histogram.encode());
    ASSERT_TRUE(decoded) << decoded.error().message;
    EXPECT_EQ(*decoded, histogram);
  }
}

// Run files keep these bytes: this format must be read for ever.
TEST(Histogram, TheStoredFormIsFrozen) {
  Histogram histogram = of({900, 901, 901, 902, 250'000, -7, kHourNs + 5});
  EXPECT_EQ(histogram.encode(),
            std::string_view("\x01\x07\x0d\x8a\x80\xc5\x8b\xc6\xd1\x01\xc4\xfa\xe3\x8b\xc6\xd1\x01"
                             "\x01\x01\x84\x07\xcc\x20\x32\xa8\x3f\xff\xfc\xc8\x20\x80",
                             31));
}

TEST(Histogram, DecodingRefusesWhatIsCut) {
  const std::string bytes = of(some_values(3, 500)).encode();
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_FALSE(Histogram::decode(bytes.substr(0, length))) << length;
  EXPECT_FALSE(Histogram::decode(bytes + '\0'));
  EXPECT_FALSE(Histogram::decode(Histogram().encode() + '\0'));
}

TEST(Histogram, DecodingRefusesOtherVersions) {
  std::string bytes = of({5}).encode();
  bytes[0] = 2;
  const Result<Histogram> decoded = Histogram::decode(bytes);
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().kind, ErrorKind::kIncomplete);
  EXPECT_THAT(decoded.error().message, HasSubstr("unknown version"));
}

TEST(Histogram, DecodedDamageIsRefusedOrStillOneConsistentHistogram) {
  Random random(9);
  int refused = 0;
  constexpr int kRounds = 20'000;
  const std::string original = of(some_values(4, 300)).encode();
  for (int round = 0; round < kRounds; ++round) {
    std::string bytes = original;
    for (std::uint64_t i = 0; i <= random.below(3); ++i)
      bytes[random.below(bytes.size())] = static_cast<char>(random.below(256));
    const Result<Histogram> decoded = Histogram::decode(bytes);
    if (!decoded) {
      ++refused;
      continue;
    }
    EXPECT_EQ(decoded->encode(), bytes) << "every histogram has one form only";
    std::uint64_t samples = decoded->below() + decoded->above();
    decoded->for_each([&](auto, auto, std::uint64_t count) { samples += count; });
    EXPECT_EQ(samples, decoded->count());
  }
  EXPECT_GT(refused, kRounds / 2);
}

TEST(Histogram, DecodingRefusesTotalsThatContradictTheBuckets) {
  // version, count, min, max, sum, below, above, first, last - first, bits
  const auto bytes = [](std::initializer_list<int> values) {
    std::string text;
    for (const int value : values) text.push_back(static_cast<char>(value));
    return text;
  };
  // One sample of 5 ns: signed numbers are doubled.
  ASSERT_EQ(of({5}).encode(), bytes({1, 1, 10, 10, 10, 0, 0, 5, 0, 0}));
  constexpr std::pair<std::size_t, int> kContradictions[] = {
      {1, 2},   // two samples
      {2, 8},   // least 4
      {3, 12},  // largest 6
      {4, 12},  // the sum 6
      {5, 1},   // one below
      {6, 1},   // one above
      {7, 6},   // in the bucket of 6
      {7, 0},   // in a bucket that does not exist
      {8, 1},   // in two buckets
      {9, 1},   // padding that is not zero
  };
  for (const auto& [position, value] : kContradictions) {
    std::string changed = of({5}).encode();
    changed[position] = static_cast<char>(value);
    EXPECT_FALSE(Histogram::decode(changed)) << "byte " << position << " = " << value;
  }
}

TEST(Histogram, ARealisticSecondIsSmall) {
  // 90,000 latencies around 200 us with a tail, as a busy local run has them in a second.
  Random random(2);
  Histogram histogram;
  for (int i = 0; i < 90'000; ++i) {
    double logarithm = -6;  // the sum of 12 uniforms is nearly normal
    for (int j = 0; j < 12; ++j) logarithm += random.uniform();
    double value = 200e3 * std::exp(0.35 * logarithm);
    if (random.below(500) == 0) value *= 1 + 8 * random.uniform();
    histogram.record(Nanos{static_cast<std::int64_t>(value)});
  }
  int buckets = 0;
  histogram.for_each([&](auto, auto, auto) { ++buckets; });
  EXPECT_GT(buckets, 1500);
  EXPECT_LT(histogram.encode().size(), 1200U);
}

}  // namespace
}  // namespace headroom::stats
