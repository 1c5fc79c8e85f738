#include "net/epoll.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>

namespace headroom::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class EpollTest : public testing::TestWithParam<Epoll::Timing> {
 protected:
  void SetUp() override {
    auto made = Epoll::create(GetParam());
    ASSERT_TRUE(made);
    epoll_.emplace(std::move(*made));
  }
  void signal_event() const {
    const std::uint64_t one = 1;
    ASSERT_EQ(::write(event_.get(), &one, sizeof(one)), static_cast<ssize_t>(sizeof(one)));
  }

  std::optional<Epoll> epoll_;
  UniqueFd event_{::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
  std::array<epoll_event, 4> events_{};
};
INSTANTIATE_TEST_SUITE_P(Timings, EpollTest,
                         testing::Values(Epoll::Timing::kWait, Epoll::Timing::kTimer));

TEST_P(EpollTest, HandsTheTokenOfAReadyDescriptorBack) {
  ASSERT_TRUE(epoll_->add(event_.get(), EPOLLIN, 4711));
  signal_event();
  const auto ready = epoll_->wait(events_, seconds{10});
  ASSERT_EQ(ready.size(), 1U);
  EXPECT_EQ(ready[0].data.u64, 4711U);
  EXPECT_TRUE(ready[0].events & EPOLLIN);
}

TEST_P(EpollTest, WaitsNoLongerThanItMayAndNoShorter) {
  ASSERT_TRUE(epoll_->add(event_.get(), EPOLLIN, 1));
  const Nanos began = real_clock().now();
  EXPECT_TRUE(epoll_->wait(events_, milliseconds{2}).empty());
  EXPECT_GE(real_clock().now() - began, milliseconds{2});
  EXPECT_TRUE(epoll_->wait(events_, Nanos{0}).empty());
}

TEST_P(EpollTest, AnEventEndsAWaitAndTheNextWaitHasItsOwnTime) {
  ASSERT_TRUE(epoll_->add(event_.get(), EPOLLIN, 1));
  signal_event();
  EXPECT_EQ(epoll_->wait(events_, milliseconds{1}).size(), 1U);
  std::uint64_t count = 0;
  ASSERT_EQ(::read(event_.get(), &count, sizeof(count)), static_cast<ssize_t>(sizeof(count)));
  const Nanos began = real_clock().now();
  EXPECT_TRUE(epoll_->wait(events_, milliseconds{3}).empty());
  EXPECT_GE(real_clock().now() - began, milliseconds{3});
  signal_event();
  EXPECT_EQ(epoll_->wait(events_, Nanos{-1}).size(), 1U);
}

TEST_P(EpollTest, WatchesForWhatModifySaysAndNotAfterRemove) {
  ASSERT_TRUE(epoll_->add(event_.get(), EPOLLIN, 1));
  epoll_->modify(event_.get(), EPOLLOUT, 2);
  auto ready = epoll_->wait(events_, seconds{10});
  ASSERT_EQ(ready.size(), 1U);
  EXPECT_EQ(ready[0].data.u64, 2U);
  EXPECT_EQ(ready[0].events, static_cast<std::uint32_t>(EPOLLOUT));
  epoll_->remove(event_.get());
  EXPECT_TRUE(epoll_->wait(events_, Nanos{0}).empty());
}

}  // namespace
}  // namespace headroom::net
