#include "load/values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace headroom::load {
namespace {

using scenario::SizeList;
using scenario::SizeRange;

std::map<std::uint64_t, int> sizes_of(const scenario::ValueSize& size, std::uint64_t keys,
                                      std::uint64_t seed = 5) {
  const ValueSizes sizes(size, seed);
  std::map<std::uint64_t, int> counts;
  for (std::uint64_t key = 0; key < keys; ++key) ++counts[sizes.of(key)];
  return counts;
}

TEST(ValueSizes, OfOneSizeAreFixed) {
  EXPECT_TRUE(ValueSizes(std::uint64_t{100}, 1).fixed());
  EXPECT_TRUE(ValueSizes(SizeRange{7, 7}, 1).fixed());
  EXPECT_TRUE(ValueSizes(SizeList{{7, 1}}, 1).fixed());
  EXPECT_FALSE(ValueSizes(SizeRange{7, 8}, 1).fixed());
  EXPECT_EQ(sizes_of(std::uint64_t{100}, 50).at(100), 50);
}

TEST(ValueSizes, OfARangeAreEquallyLikely) {
  constexpr int kKeys = 100'000;
  const auto counts = sizes_of(SizeRange{10, 109}, kKeys);
  ASSERT_EQ(counts.size(), 100U);
  EXPECT_EQ(counts.begin()->first, 10U);
  EXPECT_EQ(counts.rbegin()->first, 109U);
  double chi_square = 0;
  for (const auto& [size, count] : counts)
    chi_square += (count - kKeys / 100.0) * (count - kKeys / 100.0) / (kKeys / 100.0);
  // 99 degrees of freedom.
  EXPECT_NEAR(chi_square, 99, 5 * std::sqrt(2 * 99.0));
}

TEST(ValueSizes, OfAListFollowTheirWeights) {
  constexpr int kKeys = 100'000;
  const auto counts = sizes_of(SizeList{{100, 7}, {1024, 2}, {5, 1}}, kKeys);
  ASSERT_EQ(counts.size(), 3U);
  const auto expect_share = [&](std::uint64_t size, double share) {
    EXPECT_NEAR(counts.at(size), kKeys * share, 5 * std::sqrt(kKeys * share * (1 - share)));
  };
  expect_share(100, 0.7);
  expect_share(1024, 0.2);
  expect_share(5, 0.1);
}

TEST(ValueSizes, AreAFunctionOfSeedAndKey) {
  const ValueSizes one(SizeRange{1, 1'000'000}, 1);
  const ValueSizes same(SizeRange{1, 1'000'000}, 1);
  const ValueSizes other(SizeRange{1, 1'000'000}, 2);
  int differ = 0;
  for (std::uint64_t key = 0; key < 1000; ++key) {
    EXPECT_EQ(one.of(key), same.of(key));
    differ += one.of(key) != other.of(key) ? 1 : 0;
  }
  EXPECT_GT(differ, 990);
}

double entropy_bits_per_byte(std::string_view bytes) {
  std::vector<double> counts(256);
  for (const char c : bytes) ++counts[static_cast<unsigned char>(c)];
  double bits = 0;
  for (const double count : counts) {
    const double share = count / static_cast<double>(bytes.size());
    if (count > 0) bits -= share * std::log2(share);
  }
  return bits;
}

TEST(ValueBlock, RandomBytesDoNotCompress) {
  const ValueBlock block({}, 1 << 16, Random(1));
  EXPECT_GT(entropy_bits_per_byte(block.value(1 << 16)), 7.99);
  EXPECT_EQ(block.value(3), block.value(1 << 16).substr((1 << 16) - 3)) << "one block, many ends";
}

TEST(ValueBlock, ValuesEndWithTheLineEndOfTheirBulk) {
  const ValueBlock block({}, 100, Random(1));
  for (const std::uint64_t size : {0U, 1U, 99U, 100U}) {
    EXPECT_EQ(block.value(size).size(), size);
    EXPECT_EQ(block.value_and_line_end(size), std::string(block.value(size)) + "\r\n");
  }
}

TEST(ValueBlock, CompressibleBytesAreOfOneKindToTheRatio) {
  for (const double percent : {25.0, 50.0, 75.0, 100.0}) {
    const ValueBlock block({percent}, 64 * 1000, Random(1));
    const std::string_view value = block.value(64 * 1000);
    const auto filled = static_cast<double>(std::ranges::count(value, 'x'));
    // The random rest has an x in 256 bytes.
    const double rest = 64 * 1000 * (1 - percent / 100);
    EXPECT_NEAR(filled, 64 * 1000 * percent / 100 + rest / 256, 5 * std::sqrt(rest / 256) + 1);
  }
}

}  // namespace
}  // namespace headroom::load
