// Reply verification by a whole fleet: a server that answers with wrong, truncated and stale values
// is found out, and one that answers well, in whatever pieces, is not accused.
#include <gmock/gmock.h>

#include "load/streams.h"
#include "load/verifier.h"
#include "tests/support/fleet_fixture.h"

namespace headroom::load {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kBytes = 64;

class VerifyingFleetTest : public FleetTest {
 protected:
  VerifyingFleetTest() {
    config_.workload.verify = true;
    config_.workload.value_size = kBytes;
    config_.workload.set_weight = 1;
    config_.workload.get_weight = 3;
    config_.workload.prefill = true;
  }

  // The reply that holds this version of key 0 of worker 0.
  [[nodiscard]] std::string reply_with(std::uint64_t version) const {
    const ValueBlock block({}, kBytes, make_stream(config_.seed, kNone, kNone, Purpose::kValue));
    std::string value(kStampBytes, '\0');
    write_stamp(value.data(), 0, 0, version, kBytes);
    value += block.value(kBytes - kStampBytes);
    return "$64\r\n" + value + "\r\n";
  }

  // Every tenth GET from the twentieth on is answered so, of one key.
  void run_with_bad_reply(std::string reply) {
    Script script;
    script.on({"GET"}).from(20).every(10).raw(std::move(reply));
    serve(std::move(script));
    config_.keys = 1;
    connect();
    ASSERT_TRUE(fleet().prefill({}));
    run_until(seen("GET", 100));
    const std::uint64_t gets = totals()[1].sent;
    EXPECT_EQ(total(Outcome::kCorrupt), (gets - 20 + 9) / 10);
    EXPECT_EQ(total(Outcome::kHit), gets - total(Outcome::kCorrupt));
    expect_conservation();
  }
};

TEST_F(VerifyingFleetTest, AcceptsWhatWasWritten) {
  Script script;
  script.on({"GET"}).every(3).fragments({1, 4, 20, 50}, 1ms);
  serve(std::move(script));
  config_.load = {2, 3, 4, 5s, 5s};
  config_.workload.value_size = scenario::SizeRange{16, 300};
  connect();
  ASSERT_TRUE(fleet().prefill({}));
  run_until(seen("GET", 2000));
  EXPECT_EQ(total(Outcome::kCorrupt), 0U) << texts(EventKind::kNote);
  EXPECT_GE(total(Outcome::kHit), 2000U);
  EXPECT_EQ(total(Outcome::kMiss), 0U);
  expect_conservation();
}

TEST_F(VerifyingFleetTest, AcceptsValuesLargerThanARead) {
  serve(Script());
  config_.workload.value_size = scenario::SizeList{{200'000, 1}, {20'000, 1}};
  config_.keys = 20;
  connect();
  ASSERT_TRUE(fleet().prefill({}));
  run_until(seen("GET", 100));
  EXPECT_EQ(total(Outcome::kCorrupt), 0U) << texts(EventKind::kNote);
  EXPECT_GE(total(Outcome::kHit), 99U);
}

TEST_F(VerifyingFleetTest, NoticesAFlippedByte) {
  std::string flipped = reply_with(1'000'000);
  flipped[flipped.size() - 10] = static_cast<char>(flipped[flipped.size() - 10] ^ 4);
  run_with_bad_reply(flipped);
  EXPECT_THAT(texts(EventKind::kNote),
              HasSubstr(key_text(config_.seed, 0, 0) + " has other bytes than were written"));
}

TEST_F(VerifyingFleetTest, NoticesATruncatedValue) {
  run_with_bad_reply("$3\r\nabc\r\n");
  EXPECT_THAT(texts(EventKind::kNote), HasSubstr("has another size than was written"));
}

TEST_F(VerifyingFleetTest, NoticesAStaleValue) {
  run_with_bad_reply(reply_with(1));
  EXPECT_THAT(texts(EventKind::kNote),
              HasSubstr("is older than what was there before it was asked for"));
}

}  // namespace
}  // namespace headroom::load
