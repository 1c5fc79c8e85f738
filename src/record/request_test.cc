#include "record/request.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"

namespace headroom::record {
namespace {

TEST(SizeClass, DoublesFrom64BytesOnAndHasAnEnd) {
  EXPECT_EQ(size_class(0), 0U);
  EXPECT_EQ(size_class(64), 0U);
  EXPECT_EQ(size_class(65), 1U);
  EXPECT_EQ(size_class(128), 1U);
  EXPECT_EQ(size_class(129), 2U);
  for (std::size_t i = 0; i < kSizeClasses; ++i) {
    EXPECT_EQ(size_class(largest_of_class(i)), i);
    EXPECT_TRUE(is_part(Split::kValueSize, largest_of_class(i)));
  }
  EXPECT_EQ(largest_of_class(kSizeClasses - 1), std::uint64_t{512} << 20U);
  EXPECT_EQ(size_class(~std::uint64_t{0}), kSizeClasses - 1);
  EXPECT_FALSE(is_part(Split::kValueSize, 100));
  EXPECT_FALSE(is_part(Split::kKeys, 2));
}

TEST(PartLabel, SaysWhatIsInThePart) {
  EXPECT_EQ(part_label(Split::kValueSize, 64), "up to 64B");
  EXPECT_EQ(part_label(Split::kValueSize, 1024), "513B to 1KiB");
  EXPECT_EQ(part_label(Split::kKeys, kHotKeys), "hot");
  EXPECT_EQ(part_label(Split::kKeys, kColdKeys), "cold");
}

RequestRecord request(Nanos service, Nanos sent, std::uint32_t worker) {
  return {.sent = sent, .worker = worker, .key = "k", .service = service};
}

TEST(Slowest, AreTheSameWhoeverMergesThemInWhateverOrder) {
  Random random(5);
  std::vector<RequestRecord> all;
  // Few different latencies, so that the last place is one of many that tie.
  for (std::uint32_t i = 0; i < 1000; ++i)
    all.push_back(request(Nanos{static_cast<std::int64_t>(random.below(7))},
                          Nanos{static_cast<std::int64_t>(random.below(50))}, i));
  std::vector<RequestRecord> expected = all;
  std::ranges::sort(expected, slower);
  expected.resize(kSlowestKept);
  for (int turn = 0; turn < 5; ++turn) {
    std::ranges::shuffle(all, random);
    std::vector<RequestRecord> merged;
    for (std::size_t i = 0; i < all.size(); i += 50)
      merge_slowest(merged, {all.begin() + static_cast<std::ptrdiff_t>(i),
                             all.begin() + static_cast<std::ptrdiff_t>(i) + 50});
    EXPECT_EQ(merged, expected);
  }
}

TEST(Slowest, GoByWhatTheUserWaited) {
  RequestRecord late = request(Nanos{10}, Nanos{0}, 0);
  late.response = Nanos{500};
  const RequestRecord slow = request(Nanos{100}, Nanos{0}, 0);
  EXPECT_TRUE(slower(late, slow));
  EXPECT_FALSE(slower(slow, slow));
}

}  // namespace
}  // namespace headroom::record
