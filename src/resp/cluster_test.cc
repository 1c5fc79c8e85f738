#include "resp/cluster.h"

#include <gtest/gtest.h>

namespace headroom::resp {
namespace {

TEST(SlotOf, IsTheEnginesHash) {
  // What CLUSTER KEYSLOT of an engine answers.
  EXPECT_EQ(slot_of("123456789"), 12739);
  EXPECT_EQ(slot_of("foo"), 12182);
  EXPECT_EQ(slot_of(""), 0);
}

TEST(SlotOf, CountsOnlyAHashTag) {
  EXPECT_EQ(slot_of("{user1000}.following"), slot_of("user1000"));
  EXPECT_EQ(slot_of("a{x}b{y}"), slot_of("x"));
  EXPECT_EQ(slot_of("foo{{bar}}zap"), slot_of("{bar"));
  EXPECT_NE(slot_of("foo{}{bar}"), slot_of("bar")) << "an empty tag is none";
  EXPECT_NE(slot_of("foo{bar"), slot_of("bar"));
}

TEST(SlotHash, TakesATextInPieces) {
  SlotHash hash;
  for (const std::string_view piece : {"123", "", "456789"}) hash.add(piece);
  EXPECT_EQ(hash.slot(), slot_of("123456789"));
}

TEST(Redirection, IsReadFromAnErrorReply) {
  const AddressContext context{"asked", false};
  const auto moved = read_redirection("MOVED 3999 127.0.0.1:6381", context);
  ASSERT_TRUE(moved);
  EXPECT_FALSE(moved->ask);
  EXPECT_EQ(moved->slot, 3999);
  EXPECT_EQ(moved->address.text(), "127.0.0.1:6381");
  const auto ask = read_redirection("ASK 16383 ::1:7000", context);
  ASSERT_TRUE(ask);
  EXPECT_TRUE(ask->ask);
  EXPECT_EQ(ask->address.text(), "[::1]:7000");
  EXPECT_EQ(read_redirection("MOVED 1 :7000", context)->address.host, "asked");
  for (const std::string_view error :
       {"ERR unknown", "MOVED", "MOVED 1", "MOVED 16384 h:1", "MOVED -1 h:1", "MOVED x h:1",
        "MOVED 1 h", "MOVED 1 h:", "MOVED 1 h:0", "MOVED 1 h:65536", "MOVED 1 h:1 more",
        "moved 1 h:1"})
    EXPECT_FALSE(read_redirection(error, context)) << error;
}

}  // namespace
}  // namespace headroom::resp
