#include "load/in_flight.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace headroom::load {
namespace {

class InFlightQueueTest : public testing::Test {
 protected:
  std::vector<int> wrote(std::size_t bytes, std::int64_t sent) {
    std::vector<int> begun;
    queue_.wrote(bytes, Nanos{sent},
                 [&](std::uint8_t operation, Nanos) { begun.push_back(operation); });
    return begun;
  }

  std::array<InFlight, 4> slots_{};
  InFlightQueue queue_{slots_.data(), 4};
};

TEST_F(InFlightQueueTest, AWholeWriteBeginsEveryRequest) {
  queue_.push(1, 0);
  queue_.push(0, 60);
  EXPECT_EQ(queue_.begun(), 0U);
  EXPECT_EQ(wrote(120, 7), (std::vector{1, 0}));
  EXPECT_EQ(queue_.begun(), 2U);
  EXPECT_EQ(queue_.waiting(), 0U);
  EXPECT_EQ(queue_.oldest_sent(), Nanos{7});
  EXPECT_EQ(queue_.oldest_operation(), 1);
}

TEST_F(InFlightQueueTest, AShortWriteBeginsWhatItsBytesReach) {
  queue_.push(0, 0);
  queue_.push(1, 50);
  queue_.push(2, 100);
  // The first byte of the second request went, the first of the third did not.
  EXPECT_EQ(wrote(51, 5), (std::vector{0, 1}));
  EXPECT_EQ(queue_.waiting(), 1U);
  EXPECT_EQ(queue_.first_waiting_offset(), 49U);
  EXPECT_EQ(wrote(49, 6), std::vector<int>{});
  EXPECT_EQ(queue_.first_waiting_offset(), 0U);
  EXPECT_EQ(wrote(10, 9), (std::vector{2}));
  queue_.pop();
  queue_.pop();
  EXPECT_EQ(queue_.oldest_sent(), Nanos{9});
}

TEST_F(InFlightQueueTest, KeepsForWhenARequestWasIntended) {
  constexpr Nanos kYear = std::chrono::hours{24 * 365};
  queue_.push(255, 0, kYear);
  queue_.push(1, 10, Nanos{7});
  std::vector<std::pair<int, Nanos>> waiting;
  queue_.for_each_waiting(
      [&](std::uint8_t operation, Nanos intended) { waiting.emplace_back(operation, intended); });
  EXPECT_EQ(waiting, (std::vector<std::pair<int, Nanos>>{{255, kYear}, {1, Nanos{7}}}));
  EXPECT_EQ(wrote(20, 5), (std::vector{255, 1}));
  EXPECT_EQ(queue_.oldest_intended(), kYear);
  queue_.pop();
  EXPECT_EQ(queue_.oldest_intended(), Nanos{7});
}

TEST_F(InFlightQueueTest, AWriteOfNothingBeginsNothing) {
  queue_.push(0, 0);
  EXPECT_EQ(wrote(0, 5), std::vector<int>{});
  EXPECT_EQ(queue_.begun(), 0U);
}

TEST_F(InFlightQueueTest, DropsWhatWaitsAndKeepsWhatBegan) {
  queue_.push(0, 0);
  queue_.push(1, 10);
  (void)wrote(5, 1);
  queue_.drop_waiting();
  EXPECT_EQ(queue_.size(), 1U);
  EXPECT_EQ(queue_.begun(), 1U);
}

TEST_F(InFlightQueueTest, GoesRoundItsRing) {
  for (int round = 0; round < 11; ++round) {
    queue_.push(static_cast<std::uint8_t>(round), 0);
    queue_.push(static_cast<std::uint8_t>(round + 100), 8);
    (void)wrote(16, round);
    ASSERT_EQ(queue_.oldest_operation(), round);
    ASSERT_EQ(queue_.oldest_sent(), Nanos{round});
    queue_.pop();
    ASSERT_EQ(queue_.oldest_operation(), round + 100);
    queue_.pop();
  }
}

TEST_F(InFlightQueueTest, AReplyWithoutARequestIsABrokenInvariant) {
  queue_.push(0, 0);
  EXPECT_DEATH(queue_.pop(), "a request that was sent");
}

}  // namespace
}  // namespace headroom::load
