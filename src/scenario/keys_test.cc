#include "scenario/keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/units.h"

namespace headroom::scenario {
namespace {

TEST(Keys, SizesThePublishedNode) {
  // cache.t3.small: 1.37 GiB, 1,024-byte values.
  constexpr std::uint64_t kNode = 1'471'026'298;
  EXPECT_EQ(resolve_keys(1024, kNode, 1), (KeySpace{1'142'936, 1'142'936}));
  EXPECT_EQ(resolve_keys(1024, kNode, 3), (KeySpace{380'978, 1'142'934}));
  EXPECT_EQ(resolve_keys(1024, kNode, 9), (KeySpace{126'992, 1'142'928}));
}

TEST(Keys, SizesALocalNodeFromItsMaxmemory) {
  EXPECT_EQ(implied_node_memory_bytes(64 * kMiB), 89'478'485U);
  EXPECT_EQ(resolve_keys(1024, implied_node_memory_bytes(64 * kMiB), 1)->total, 69'521U);
}

TEST(Keys, AreExactWhereADoubleIsNot) {
  // 100 * (30 + 70) / 85 of memory hold exactly 100 keys of 30 bytes; one byte less holds 99.
  EXPECT_EQ(resolve_keys(30, 20'000, 1)->total, 170U);
  EXPECT_EQ(resolve_keys(30, 19'999, 1)->total, 169U);
}

TEST(Keys, GiveEveryWorkerTheSameNumber) {
  const auto space = resolve_keys(30, 20'000, 7);  // 170 / 7 = 24.3
  EXPECT_EQ(space, (KeySpace{24, 168}));
}

TEST(Keys, AreRefusedWhenAWorkerWouldHaveNone) {
  EXPECT_TRUE(resolve_keys(30, 20'000, 170));
  const auto space = resolve_keys(30, 20'000, 171);
  ASSERT_FALSE(space);
  EXPECT_EQ(space.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(space.error().message, testing::HasSubstr("170 keys"));
}

TEST(Keys, DoNotOverflowOnTheLargestNumbers) {
  constexpr std::uint64_t kMost = ~std::uint64_t{0};
  EXPECT_EQ(implied_node_memory_bytes(kMost), kMost);
  EXPECT_TRUE(resolve_keys(0, kMost, 1));
  EXPECT_FALSE(resolve_keys(kMost, kMost, 1));
}

}  // namespace
}  // namespace headroom::scenario
