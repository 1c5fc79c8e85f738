#include "resp/parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace headroom::resp {

void PrintTo(ParseResult result, std::ostream* out) {
  *out << std::array{"kReply", "kMore", "kMalformed"}[static_cast<std::size_t>(result)];
}

namespace {

using testing::IsEmpty;
using testing::Not;

// What a parser said of a reply, without views into anything.
struct Seen {
  ReplyType type{};
  std::string text;
  std::int64_t number = 0;
  friend bool operator==(const Seen&, const Seen&) = default;
  friend void PrintTo(const Seen& seen, std::ostream* out) {
    *out << "type " << static_cast<int>(seen.type) << " \"" << seen.text << "\" " << seen.number;
  }
};

struct Outcome {
  std::vector<Seen> replies;
  ParseResult end = ParseResult::kMore;
  std::size_t consumed = 0;
  friend bool operator==(const Outcome&, const Outcome&) = default;
  friend void PrintTo(const Outcome& outcome, std::ostream* out) {
    *out << testing::PrintToString(outcome.replies) << ", then "
         << testing::PrintToString(outcome.end) << " at " << outcome.consumed;
  }
};

// Feeds one piece from a heap block of exactly its size, so that a read outside it is found by the
// address sanitizer.
void feed(ReplyParser& parser, std::string_view piece, Outcome& outcome) {
  if (outcome.end == ParseResult::kMalformed) return;
  const auto bytes = std::make_unique<char[]>(piece.size());
  std::copy(piece.begin(), piece.end(), bytes.get());
  const char* at = bytes.get();
  const char* const end = at + piece.size();
  do {
    Reply reply;
    outcome.end = parser.next(at, end, reply);
    if (outcome.end == ParseResult::kReply) {
      outcome.replies.push_back({reply.type, std::string(reply.text), reply.number});
    }
  } while (outcome.end == ParseResult::kReply);
  outcome.consumed += static_cast<std::size_t>(at - bytes.get());
}

Outcome parse(std::initializer_list<std::string_view> pieces) {
  ReplyParser parser;
  Outcome outcome;
  for (const std::string_view piece : pieces) feed(parser, piece, outcome);
  return outcome;
}

Outcome parse_bytewise(std::string_view bytes) {
  ReplyParser parser;
  Outcome outcome;
  for (std::size_t i = 0; i < bytes.size(); ++i) feed(parser, bytes.substr(i, 1), outcome);
  return outcome;
}

struct Good {
  std::string bytes;
  Seen reply;
};

std::vector<Good> good_replies() {
  const std::string body(300, 'b');
  return {
      {"+OK\r\n", {ReplyType::kSimple, "OK", 0}},
      {"+\r\n", {ReplyType::kSimple, "", 0}},
      {"+QUEUED\r\n", {ReplyType::kSimple, "QUEUED", 0}},
      {"-OOM command not allowed\r\n", {ReplyType::kError, "OOM command not allowed", 0}},
      {"-" + std::string(200, 'e') + "\r\n",
       {ReplyType::kError, std::string(ReplyParser::kMaxTextBytes, 'e'), 0}},
      {":0\r\n", {ReplyType::kInteger, "", 0}},
      {":+7\r\n", {ReplyType::kInteger, "", 7}},
      {":-12\r\n", {ReplyType::kInteger, "", -12}},
      {":007\r\n", {ReplyType::kInteger, "", 7}},
      {":9223372036854775807\r\n", {ReplyType::kInteger, "", INT64_MAX}},
      {":-9223372036854775808\r\n", {ReplyType::kInteger, "", INT64_MIN}},
      {"$5\r\nhello\r\n", {ReplyType::kBulk, "", 5}},
      {"$0\r\n\r\n", {ReplyType::kBulk, "", 0}},
      {"$4\r\n\r\n\r\n\r\n", {ReplyType::kBulk, "", 4}},
      {"$300\r\n" + body + "\r\n", {ReplyType::kBulk, "", 300}},
      {"$-1\r\n", {ReplyType::kNull, "", 0}},
      {"*-1\r\n", {ReplyType::kNull, "", 0}},
      {"_\r\n", {ReplyType::kNull, "", 0}},
      {"*0\r\n", {ReplyType::kArray, "", 0}},
      {"*2\r\n$1\r\na\r\n-ERR inside\r\n", {ReplyType::kArray, "", 2}},
      {"*2\r\n*2\r\n:1\r\n*0\r\n*1\r\n$-1\r\n", {ReplyType::kArray, "", 2}},
      {"*1\r\n*1\r\n*1\r\n*1\r\n+deep\r\n", {ReplyType::kArray, "", 1}},
      {"%2\r\n+a\r\n:1\r\n+b\r\n*1\r\n:2\r\n", {ReplyType::kMap, "", 2}},
      {"~1\r\n#t\r\n", {ReplyType::kSet, "", 1}},
      {">2\r\n+invalidate\r\n*1\r\n$1\r\nk\r\n", {ReplyType::kPush, "", 2}},
      {",3.14\r\n", {ReplyType::kDouble, "", 0}},
      {",-inf\r\n", {ReplyType::kDouble, "", 0}},
      {"#t\r\n", {ReplyType::kBoolean, "", 1}},
      {"#f\r\n", {ReplyType::kBoolean, "", 0}},
      {"(-3492890328409238509324850943850943825024385\r\n", {ReplyType::kBigNumber, "", 0}},
      {"!9\r\nERR wrong\r\n", {ReplyType::kError, "ERR wrong", 0}},
      {"=8\r\ntxt:text\r\n", {ReplyType::kBulk, "", 8}},
      {"|1\r\n+ttl\r\n:3\r\n$2\r\nhi\r\n", {ReplyType::kBulk, "", 2}},
      {"|1\r\n+a\r\n*1\r\n:3\r\n+OK\r\n", {ReplyType::kSimple, "OK", 0}},
      {"*1\r\n|1\r\n+a\r\n:3\r\n+OK\r\n", {ReplyType::kArray, "", 1}},
  };
}

TEST(ReplyParser, RecognisesEveryTypeWhole) {
  for (const Good& good : good_replies()) {
    const Outcome expected{{good.reply}, ParseResult::kMore, good.bytes.size()};
    EXPECT_EQ(parse({good.bytes}), expected) << good.bytes;
  }
}

TEST(ReplyParser, GivesTheSameRepliesForEverySplitIntoTwo) {
  for (const Good& first : good_replies()) {
    for (const Good& second : {good_replies()[0], good_replies()[11], good_replies()[19]}) {
      const std::string bytes = first.bytes + second.bytes;
      const Outcome expected{{first.reply, second.reply}, ParseResult::kMore, bytes.size()};
      for (std::size_t split = 0; split <= bytes.size(); ++split) {
        const std::string_view view = bytes;
        EXPECT_EQ(parse({view.substr(0, split), view.substr(split)}), expected)
            << bytes << " split at " << split;
      }
    }
  }
}

TEST(ReplyParser, GivesTheSameRepliesForEverySplitIntoThree) {
  const std::string bytes = "$-1\r\n*2\r\n$3\r\nabc\r\n:5\r\n-ERR no\r\n$4\r\nbody\r\n+OK\r\n";
  const Outcome whole = parse({bytes});
  ASSERT_EQ(whole.replies.size(), 5U);
  const std::string_view view = bytes;
  for (std::size_t first = 0; first <= bytes.size(); ++first) {
    for (std::size_t second = first; second <= bytes.size(); ++second) {
      EXPECT_EQ(
          parse({view.substr(0, first), view.substr(first, second - first), view.substr(second)}),
          whole)
          << first << ", " << second;
    }
  }
}

TEST(ReplyParser, GivesTheSameRepliesByteByByte) {
  std::string bytes;
  std::vector<Seen> replies;
  for (const Good& good : good_replies()) {
    bytes += good.bytes;
    replies.push_back(good.reply);
  }
  EXPECT_EQ(parse_bytewise(bytes), (Outcome{replies, ParseResult::kMore, bytes.size()}));
}

// The parser remembers the header of the last bulk: what begins like it must not be taken for it.
TEST(ReplyParser, ABulkBesideOthersOfNearlyItsLengthIsReadByItsOwn) {
  const auto bulk = [](std::size_t length) {
    return "$" + std::to_string(length) + "\r\n" + std::string(length, 'x') + "\r\n";
  };
  std::string bytes;
  std::vector<Seen> expected;
  for (const std::size_t first : {0U, 1U, 9U, 10U, 100U, 1000U, 99'999U, 100'000U}) {
    for (const std::size_t length : {first, first, 10 * first, first + 1, first, first / 10}) {
      bytes += bulk(length);
      expected.push_back({ReplyType::kBulk, "", static_cast<std::int64_t>(length)});
    }
  }
  EXPECT_EQ(parse({bytes}), (Outcome{expected, ParseResult::kMore, bytes.size()}));
  // A header that was usual, with a body that does not end where it says.
  const std::string lie = bulk(3) + "$3\r\nxxxx\r\n";
  const Outcome refused = parse({lie});
  EXPECT_EQ(refused.replies.size(), 1U);
  EXPECT_EQ(refused.end, ParseResult::kMalformed);
}

TEST(ReplyParser, RefusesWhatIsNotResp) {
  const struct {
    std::string bytes;
    std::size_t consumed;
  } kBad[] = {
      {"HTTP/1.1 400 Bad Request\r\n", 0},
      {std::string(1, '\0'), 0},
      {"\r\n", 0},
      {"+OK\n", 3},
      {"+O\nK\r\n", 2},
      {"+OK\rX", 4},
      {"$x\r\n", 1},
      {"$\r\n", 2},
      {"$-\r\n", 3},
      {"$-2\r\n", 4},
      {"$-0\r\n", 4},
      {"$-11\r\n", 5},
      {"$+5\r\nhello\r\n", 1},
      {"$05\r\nhello\r\n", 2},
      {"$5 \r\nhello\r\n", 2},
      {"$?\r\n", 1},
      {"$5\r\nhello!\r\n", 9},
      {"$5\r\nhello\rX", 10},
      {"$5\r\nhell\r\nX", 9},
      {"$536870913\r\n", 11},
      {"$99999999999999999999\r\n", 19},
      {"*-2\r\n", 4},
      {"*?\r\n", 1},
      {"*1073741825\r\n", 12},
      {"%1073741824\r\n", 12},
      {"%-1\r\n", 4},
      {"!-1\r\n", 4},
      {":\r\n", 2},
      {":-\r\n", 3},
      {":1x\r\n", 2},
      {":--1\r\n", 2},
      {":9223372036854775808\r\n", 19},
      {"_x\r\n", 1},
      {"#x\r\n", 1},
      {"#tt\r\n", 2},
      {"#\r\n", 2},
      {",\r\n", 2},
      {",nope\r\n", 2},
      {"(1.5\r\n", 2},
      {"*2\r\n+OK\r\nX", 9},
      {"+" + std::string(ReplyParser::kMaxLineBytes + 1, 'x') + "\r\n",
       ReplyParser::kMaxLineBytes + 1},
  };
  for (const auto& bad : kBad) {
    const Outcome whole = parse({bad.bytes});
    EXPECT_EQ(whole.end, ParseResult::kMalformed) << bad.bytes.substr(0, 40);
    EXPECT_EQ(whole.consumed, bad.consumed) << bad.bytes.substr(0, 40);
    EXPECT_THAT(whole.replies, IsEmpty()) << bad.bytes.substr(0, 40);
    EXPECT_EQ(parse_bytewise(bad.bytes), whole) << bad.bytes.substr(0, 40);
  }
}

TEST(ReplyParser, SaysWhatIsMalformedAndIsGoodAsNewAfterReset) {
  ReplyParser parser;
  const std::string_view bytes = "!oops";
  const char* at = bytes.data();
  Reply reply;
  ASSERT_EQ(parser.next(at, bytes.data() + bytes.size(), reply), ParseResult::kMalformed);
  EXPECT_THAT(parser.fault(), Not(IsEmpty()));
  parser.reset();
  EXPECT_THAT(parser.fault(), IsEmpty());
  const std::string_view good = "+OK\r\n";
  at = good.data();
  EXPECT_EQ(parser.next(at, good.data() + good.size(), reply), ParseResult::kReply);
}

TEST(ReplyParser, TakesALongLineButCutsItsText) {
  const std::string bytes = "-" + std::string(ReplyParser::kMaxLineBytes, 'x') + "\r\n";
  const Outcome outcome = parse({bytes});
  ASSERT_EQ(outcome.replies.size(), 1U);
  EXPECT_EQ(outcome.replies[0].text.size(), ReplyParser::kMaxTextBytes);
}

TEST(ReplyParser, KeepsErrorsInsideAnArrayOutOfItsText) {
  const Outcome outcome = parse({"*1\r\n-ERR inner\r\n+OK\r\n"});
  ASSERT_EQ(outcome.replies.size(), 2U);
  EXPECT_EQ(outcome.replies[0], (Seen{ReplyType::kArray, "", 1}));
}

TEST(ReplyParser, SkipsTheLargestBulkWithoutHoldingIt) {
  ReplyParser parser;
  Outcome outcome;
  feed(parser, "$536870912\r\n", outcome);
  const std::string chunk(1U << 20U, 'x');
  for (int i = 0; i < 512; ++i) {
    const char* at = chunk.data();
    Reply reply;
    ASSERT_EQ(parser.next(at, chunk.data() + chunk.size(), reply), ParseResult::kMore);
    ASSERT_EQ(at, chunk.data() + chunk.size());
  }
  feed(parser, "\r\n", outcome);
  EXPECT_EQ(outcome.replies, (std::vector{Seen{ReplyType::kBulk, "", 536'870'912}}));
}

TEST(ReplyParser, FollowsNestingOfAnyDepth) {
  constexpr int kDepth = 100'000;
  std::string bytes;
  for (int i = 0; i < kDepth; ++i) bytes += "*1\r\n";
  bytes += ":1\r\n";
  const Outcome outcome = parse({bytes});
  EXPECT_EQ(outcome.replies, (std::vector{Seen{ReplyType::kArray, "", 1}}));
}

TEST(ReplyParser, KeepsOnlyASmallState) { EXPECT_LE(sizeof(ReplyParser), 256U); }

}  // namespace
}  // namespace headroom::resp
