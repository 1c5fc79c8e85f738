#include "load/verifier.h"

#include <gtest/gtest.h>

#include <string>

#include "load/streams.h"

namespace headroom::load {
namespace {

class VerifierTest : public testing::Test {
 protected:
  // What a writer of this version sends.
  std::string value(std::uint64_t key, std::uint64_t version, std::uint64_t owner = 0) const {
    const std::uint64_t size = sizes_.of(key);
    std::string bytes(kStampBytes, '\0');
    write_stamp(bytes.data(), owner, key, version, size);
    return bytes + std::string(block_.value(size - kStampBytes));
  }
  void write(std::uint64_t key) { verifier_.written(key, verifier_.begin_write(key)); }

  ValueSizes sizes_{scenario::SizeRange{16, 200}, 1};
  ValueBlock block_{{}, 200, Random(1)};
  Verifier verifier_{{.owner = 0, .space = 10, .begin = 0, .count = 10}, sizes_, block_};
};

TEST_F(VerifierTest, AcceptsWhatWasWritten) {
  for (std::uint64_t key = 0; key < 10; ++key) {
    write(key);
    EXPECT_EQ(verifier_.judge(key, verifier_.begin_read(key), value(key, key + 1)),
              ReplyFault::kSound);
  }
}

TEST_F(VerifierTest, NoticesEveryFlippedByteAndEveryLength) {
  write(3);
  const std::string good = value(3, 1);
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    EXPECT_NE(verifier_.judge(3, 0, bad), ReplyFault::kSound) << i;
  }
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_EQ(verifier_.judge(3, 0, good.substr(0, size)), ReplyFault::kSize);
  EXPECT_EQ(verifier_.judge(3, 0, good + "x"), ReplyFault::kSize);
}

TEST_F(VerifierTest, NoticesTheValueOfAnotherKeyOrOwner) {
  const ValueSizes fixed(std::uint64_t{50}, 1);
  const Verifier verifier({.owner = 0, .space = 10, .begin = 0, .count = 10}, fixed, block_);
  std::string other(kStampBytes, '\0');
  write_stamp(other.data(), 0, 4, 1, 50);
  other += block_.value(50 - kStampBytes);
  EXPECT_EQ(verifier.judge(4, 0, other), ReplyFault::kSound);
  EXPECT_EQ(verifier.judge(5, 0, other), ReplyFault::kStamp);
  write_stamp(other.data(), 1, 4, 1, 50);
  EXPECT_EQ(verifier.judge(4, 0, other), ReplyFault::kStamp);
}

TEST_F(VerifierTest, CallsAVersionStaleThatWasReplacedBeforeTheReadingBegan) {
  write(3);
  const std::uint64_t before = verifier_.begin_read(3);
  write(3);
  EXPECT_EQ(verifier_.judge(3, before, value(3, 1)), ReplyFault::kSound) << "it was there then";
  EXPECT_EQ(verifier_.judge(3, verifier_.begin_read(3), value(3, 1)), ReplyFault::kStale);
  EXPECT_EQ(verifier_.judge(3, verifier_.begin_read(3), value(3, 2)), ReplyFault::kSound);
}

TEST_F(VerifierTest, DoesNotJudgeTheOrderOfWritingsThatOverlapped) {
  const std::uint64_t first = verifier_.begin_write(3);
  const std::uint64_t second = verifier_.begin_write(3);
  verifier_.written(3, second);
  verifier_.written(3, first);
  const std::uint64_t oldest = verifier_.begin_read(3);
  EXPECT_EQ(verifier_.judge(3, oldest, value(3, first)), ReplyFault::kSound);
  EXPECT_EQ(verifier_.judge(3, oldest, value(3, second)), ReplyFault::kSound);
  write(3);
  EXPECT_EQ(verifier_.judge(3, verifier_.begin_read(3), value(3, second)), ReplyFault::kStale);
}

TEST_F(VerifierTest, AWritingWithoutAnEndMayHappenAtAnyTime) {
  const std::uint64_t lost = verifier_.begin_write(3);
  write(3);
  EXPECT_EQ(verifier_.judge(3, verifier_.begin_read(3), value(3, lost)), ReplyFault::kSound);
}

TEST_F(VerifierTest, ARefusedWritingDidNotHappen) {
  const std::uint64_t refused = verifier_.begin_write(3);
  verifier_.refused(3);
  write(3);
  EXPECT_EQ(verifier_.judge(3, verifier_.begin_read(3), value(3, refused)), ReplyFault::kStale);
}

TEST_F(VerifierTest, KnowsNothingOfTheOrderOfOthersWritings) {
  Verifier shared({.owner = kNone, .space = 10, .begin = 0, .count = 5}, sizes_, block_);
  const std::uint64_t first = shared.begin_write(7);
  shared.written(7, first);
  shared.written(7, shared.begin_write(7));
  EXPECT_EQ(shared.judge(7, shared.begin_read(7), value(7, first, kNone)), ReplyFault::kSound);
}

}  // namespace
}  // namespace headroom::load
