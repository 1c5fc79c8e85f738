#include "load/keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string>

#include "base/random.h"

namespace headroom::load {
namespace {

TEST(Keys, HaveThePublishedLengths) {
  EXPECT_EQ(key_text(1, 0, 0).size(), 38U);
  EXPECT_EQ(key_text(1, 0, 9'999'999).size(), 44U);
}

TEST(Keys, PrefixIsAUuidAndADash) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    EXPECT_THAT(key_prefix(seed, 3), testing::MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-"
                                                           "[89ab][0-9a-f]{3}-[0-9a-f]{12}-"));
  }
}

TEST(Keys, PrefixesDifferBetweenWorkersAndSeedsAndAreStable) {
  std::set<std::string> prefixes;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    for (std::uint32_t worker = 0; worker < 30; ++worker) prefixes.insert(key_prefix(seed, worker));
  }
  EXPECT_EQ(prefixes.size(), 900U);
  EXPECT_EQ(key_prefix(5, 7), key_prefix(5, 7));
}

TEST(Keys, AreDividedWithoutRemainder) {
  for (const std::uint64_t keys : {7U, 8U, 9U, 10U, 1'000'003U}) {
    std::uint64_t sum = 0;
    for (std::uint32_t worker = 0; worker < 7; ++worker) {
      const std::uint64_t share = keys_of_worker(keys, 7, worker);
      EXPECT_GE(share, keys / 7);
      EXPECT_LE(share, keys / 7 + 1);
      sum += share;
    }
    EXPECT_EQ(sum, keys);
  }
}

TEST(Keys, SharesOfOneSpaceCoverItWithoutOverlap) {
  for (const std::uint64_t keys : {7U, 8U, 10U, 1'000'003U}) {
    std::uint64_t at = 0;
    for (std::uint32_t worker = 0; worker < 7; ++worker) {
      const KeyShare share = share_of_worker(scenario::KeyOwnership::kShared, keys, 7, worker);
      EXPECT_EQ(share.begin, at);
      EXPECT_EQ(share.space, keys);
      EXPECT_EQ(share.count, keys_of_worker(keys, 7, worker));
      at += share.count;

      const KeyShare own = share_of_worker(scenario::KeyOwnership::kPerWorker, keys, 7, worker);
      EXPECT_EQ(own.owner, worker);
      EXPECT_EQ(own.begin, 0U);
      EXPECT_EQ(own.space, share.count);
    }
    EXPECT_EQ(at, keys);
  }
}

std::string written(std::uint64_t value) {
  char text[32];
  const std::size_t digits = decimal_digits(value);
  write_decimal(text, value, digits);
  return {text, digits};
}

TEST(Keys, DigitsAreWrittenAsPeopleWriteThem) {
  for (std::uint64_t value = 0; value < 20'000; ++value) {
    ASSERT_EQ(written(value), std::to_string(value));
  }
  for (const std::uint64_t power : kPowersOfTen) {
    EXPECT_EQ(written(power - 1), std::to_string(power - 1));
    EXPECT_EQ(written(power), std::to_string(power));
    EXPECT_EQ(written(power + 1), std::to_string(power + 1));
  }
  EXPECT_EQ(written(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
  Random random(1);
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t value = random() >> random.below(64);
    ASSERT_EQ(written(value), std::to_string(value));
  }
}

}  // namespace
}  // namespace headroom::load
