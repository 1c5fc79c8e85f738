#include "resp/reply.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace headroom::resp {
namespace {

using ::testing::HasSubstr;
using Kind = ReplyTree::Kind;

// The reply of a text that is exactly one whole reply.
ReplyTree decode(std::string_view input) {
  auto decoded = decode_reply(input);
  EXPECT_TRUE(decoded) << input << ": " << decoded.error().message;
  if (!decoded) return {};
  auto* whole = std::get_if<Decoded>(&*decoded);
  EXPECT_NE(whole, nullptr) << input << " is incomplete";
  if (whole == nullptr) return {};
  EXPECT_EQ(whole->used, input.size()) << input;
  return std::move(whole->reply);
}

std::string refusal(std::string_view input, const DecodeLimits& limits = {}) {
  const auto decoded = decode_reply(input, limits);
  return decoded ? "(accepted)" : decoded.error().message;
}

TEST(DecodeReplyTest, ReadsTheKindsOfResp2) {
  EXPECT_EQ(decode("+PONG\r\n").text, "PONG");
  const ReplyTree error = decode("-ERR no such thing\r\n");
  EXPECT_TRUE(error.is(Kind::kError));
  EXPECT_EQ(error.text, "ERR no such thing");
  EXPECT_EQ(decode(":-42\r\n").integer, -42);
  EXPECT_EQ(decode("$4\r\na\r\nb\r\n").text, "a\r\nb");
  EXPECT_EQ(decode("$0\r\n\r\n").text, "");
  EXPECT_TRUE(decode("$-1\r\n").is(Kind::kNull));
  EXPECT_TRUE(decode("*-1\r\n").is(Kind::kNull));
  EXPECT_TRUE(decode("*0\r\n").is(Kind::kArray));
}

TEST(DecodeReplyTest, ReadsNestedArrays) {
  const ReplyTree reply = decode("*3\r\n:1\r\n*1\r\n$1\r\nx\r\n$-1\r\n");
  ASSERT_TRUE(reply.is(Kind::kArray));
  ASSERT_EQ(reply.items.size(), 3U);
  EXPECT_EQ(reply.items[0].integer, 1);
  EXPECT_EQ(reply.items[1].items.at(0).text, "x");
  EXPECT_TRUE(reply.items[2].is(Kind::kNull));
}

TEST(DecodeReplyTest, ReadsTheKindsOfResp3) {
  EXPECT_TRUE(decode("_\r\n").is(Kind::kNull));
  EXPECT_EQ(decode("#t\r\n").integer, 1);
  EXPECT_TRUE(decode("#f\r\n").is(Kind::kBoolean));
  EXPECT_DOUBLE_EQ(decode(",-1.5e3\r\n").real, -1500);
  EXPECT_TRUE(std::isinf(decode(",inf\r\n").real));
  EXPECT_TRUE(std::isnan(decode(",nan\r\n").real));
  EXPECT_EQ(decode("(3492890328409238509324850943850943825024385\r\n").text,
            "3492890328409238509324850943850943825024385");
  EXPECT_EQ(decode("=8\r\ntxt:some\r\n").text, "some");
  EXPECT_TRUE(decode("!5\r\nERR x\r\n").is(Kind::kError));
  EXPECT_EQ(decode("~2\r\n:1\r\n:2\r\n").items.size(), 2U);
  EXPECT_TRUE(decode(">1\r\n+invalidate\r\n").is(Kind::kPush));
  const ReplyTree map = decode("%2\r\n+a\r\n:1\r\n+b\r\n:2\r\n");
  EXPECT_TRUE(map.is(Kind::kMap));
  EXPECT_EQ(map.items.size(), 4U);
}

TEST(DecodeReplyTest, PassesOverAttributes) {
  EXPECT_EQ(decode("|1\r\n+ttl\r\n:3600\r\n:7\r\n").integer, 7);
}

TEST(DecodeReplyTest, TakesEveryProperBeginningForIncomplete) {
  const std::string_view whole =
      "*4\r\n$3\r\nabc\r\n%1\r\n+k\r\n,1.5\r\n|1\r\n+a\r\n:1\r\n#t\r\n-ERR x\r\n";
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto decoded = decode_reply(whole.substr(0, size));
    ASSERT_TRUE(decoded) << size << ": " << decoded.error().message;
    EXPECT_TRUE(std::holds_alternative<Incomplete>(*decoded)) << size;
  }
  EXPECT_EQ(decode(whole).items.size(), 4U);
}

TEST(DecodeReplyTest, LeavesWhatFollowsTheFirstReply) {
  const auto decoded = decode_reply(":1\r\n:2\r\n");
  ASSERT_TRUE(decoded);
  EXPECT_EQ(std::get<Decoded>(*decoded).used, 4U);
}

TEST(DecodeReplyTest, RefusesWhatIsNoReplyAndShowsIt) {
  EXPECT_THAT(refusal("HTTP/1.1 400 Bad Request\r\n"), HasSubstr("HTTP/1.1 400 Bad Request"));
  EXPECT_THAT(refusal("\x15\x03\x01"), HasSubstr("\\x15\\x03\\x01"));
  EXPECT_THAT(refusal("+no carriage return\n"), HasSubstr("does not end in CR LF"));
}

TEST(DecodeReplyTest, RefusesNumbersThatAreNone) {
  for (const std::string_view input :
       {":\r\n", ":1x\r\n", ": 1\r\n", ":99999999999999999999\r\n", ":+-1\r\n", "$1.5\r\n",
        "$-2\r\n", "*-2\r\n", "#x\r\n", ",1,5\r\n", "_x\r\n", "=3\r\nabc\r\n", "$1\r\nabc\r\n"}) {
    EXPECT_NE(refusal(input), "(accepted)") << input;
  }
}

TEST(DecodeReplyTest, RefusesMoreThanItsLimitsAsSoonAsItIsClaimed) {
  EXPECT_THAT(refusal("$16777217\r\n"), HasSubstr("at most 16777216 is allowed"));
  EXPECT_THAT(refusal("*1000000000\r\n"), HasSubstr("at most 262144 is allowed"));
  EXPECT_THAT(refusal("*3\r\n*2\r\n:1\r\n:1\r\n*2\r\n", {.items = 4}),
              HasSubstr("more than 4 items"));
  EXPECT_THAT(refusal("+" + std::string(200, 'x'), {.line_bytes = 100}),
              HasSubstr("without an end"));
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "*1\r\n";
  EXPECT_THAT(refusal(deep), HasSubstr("nested deeper than 16"));
  std::string remarks;
  for (int i = 0; i < 100'000; ++i) remarks += "|0\r\n";
  EXPECT_THAT(refusal(remarks), HasSubstr("nested deeper than 16"));
}

TEST(ReplyTest, DescribesItselfForMessages) {
  EXPECT_EQ(decode("+O\x01K\r\n").describe(), "\"O\\x01K\"");
  EXPECT_EQ(decode("-ERR no\r\n").describe(), "the error \"ERR no\"");
  EXPECT_EQ(decode(":3\r\n").describe(), "the integer 3");
  EXPECT_EQ(decode("*2\r\n:1\r\n:2\r\n").describe(), "an array of 2");
  EXPECT_EQ(decode("%1\r\n:1\r\n:2\r\n").describe(), "a map of 1");
}

}  // namespace
}  // namespace headroom::resp
