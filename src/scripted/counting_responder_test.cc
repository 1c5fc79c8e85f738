#include "scripted/counting_responder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/raw_client.h"

namespace headroom::scripted {
namespace {

using testing::encode;
using ::testing::IsEmpty;
using testing::RawClient;
using ::testing::SizeIs;

class CountingResponderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto started = CountingResponder::start(5);
    ASSERT_TRUE(started) << started.error().message;
    server_ = *std::move(started);
  }
  [[nodiscard]] RawClient client() const {
    auto connected = RawClient::connect(server_->address());
    EXPECT_TRUE(connected);
    return *std::move(connected);
  }
  std::unique_ptr<CountingResponder> server_;
};

TEST_F(CountingResponderTest, AnswersAndCountsEveryRequestOfAPipeline) {
  RawClient one = client();
  ASSERT_TRUE(one.send(encode({"PING"}) + encode({"GET", "k"}) + encode({"SET", "k", "v"})));
  EXPECT_EQ(one.read(23), "+PONG\r\n$5\r\nvvvvv\r\n+OK\r\n");
  EXPECT_EQ(server_->usage().requests, 3U);
  EXPECT_GT(server_->usage().cpu, Nanos{0});
}

TEST_F(CountingResponderTest, ClosesAConnectionThatSpeaksSomethingElse) {
  RawClient stranger = client();
  ASSERT_TRUE(stranger.send("GET / HTTP/1.1\r\n\r\n"));
  EXPECT_THAT(stranger.read_to_end(), IsEmpty());
  RawClient next = client();
  EXPECT_EQ(next.ask({"PING"}, "+PONG\r\n"), "+PONG\r\n");
}

TEST(CountingResponder, WaitsForAClientThatDoesNotReadAndServesTheOthers) {
  constexpr std::size_t kValue = 1'000'000;
  constexpr std::size_t kRequests = 20;  // more replies than the kernel's buffers hold
  const auto server = CountingResponder::start(kValue);
  ASSERT_TRUE(server);
  auto slow = RawClient::connect((*server)->address());
  auto other = RawClient::connect((*server)->address());
  ASSERT_TRUE(slow && other);
  std::string batch;
  for (std::size_t i = 0; i < kRequests; ++i) batch += encode({"GET", "k"});
  ASSERT_TRUE(slow->send(batch));
  EXPECT_EQ(other->ask({"PING"}, "+PONG\r\n"), "+PONG\r\n");
  const std::size_t size = kRequests * (kValue + std::string("$1000000\r\n\r\n").size());
  EXPECT_THAT(slow->read(size), SizeIs(size));
  EXPECT_EQ(slow->ask({"PING"}, "+PONG\r\n"), "+PONG\r\n");
}

}  // namespace
}  // namespace headroom::scripted
