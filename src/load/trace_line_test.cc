#include "load/trace_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "load/trace_command.h"

namespace headroom::load {
namespace {

using scenario::TraceFormat;
using testing::ElementsAre;
using testing::HasSubstr;

class TraceLineTest : public testing::Test {
 protected:
  TraceLineKind parse(TraceParser& parser, std::string_view line) {
    const auto kind = parser.parse(line, {}, line_);
    EXPECT_TRUE(kind) << line << ": " << kind.error().message;
    return kind.value_or(TraceLineKind::kNothing);
  }
  std::string complaint(TraceParser& parser, std::string_view line) {
    const auto kind = parser.parse(line, {}, line_);
    EXPECT_FALSE(kind) << line;
    return kind ? "" : kind.error().message;
  }
  TraceParser table(TraceFormat format, std::string_view header) {
    TraceParser parser(format, 0);
    const Status read = parser.read_header(header);
    EXPECT_TRUE(read) << read.error().message;
    return parser;
  }

  TraceParser monitor_{TraceFormat::kMonitor, 0};
  TraceLine line_;
};

TEST_F(TraceLineTest, ReadsWhatMonitorPrints) {
  ASSERT_EQ(parse(monitor_, R"(1339518083.107412 [0 127.0.0.1:60866] "set" "a key" "v")"),
            TraceLineKind::kRequest);
  EXPECT_EQ(line_.time, std::chrono::seconds{1339518083} + std::chrono::microseconds{107412});
  EXPECT_THAT(line_.words, ElementsAre("SET", "a key", "v"));
  EXPECT_EQ(line_.key(), "a key");
  EXPECT_EQ(line_.written_bytes(), 1U);
  ASSERT_EQ(parse(monitor_, R"(+1.5 [0 [::1]:7] "ping")"), TraceLineKind::kRequest);
  EXPECT_THAT(line_.words, ElementsAre("PING"));
  EXPECT_EQ(line_.written_bytes(), std::nullopt);
  ASSERT_EQ(parse(monitor_, R"(1.5 [0 unix:/run/v.sock] "GET" "k")"), TraceLineKind::kRequest);
}

TEST_F(TraceLineTest, UndoesEveryEscape) {
  ASSERT_EQ(parse(monitor_, R"(1.0 [0 a:1] "SET" "q\"b\\s" "\n\r\t\a\b\x00\xfFz" "")"),
            TraceLineKind::kRequest);
  EXPECT_THAT(line_.words,
              ElementsAre("SET", "q\"b\\s", std::string("\n\r\t\a\b\0\xff", 7) + "z", ""));
}

TEST_F(TraceLineTest, OfOneClientAllLinesAreOneStream) {
  ASSERT_EQ(parse(monitor_, R"(1.0 [0 a:1] "GET" "x")"), TraceLineKind::kRequest);
  const std::uint64_t stream = line_.stream;
  ASSERT_EQ(parse(monitor_, R"(2.0 [0 a:1] "GET" "y")"), TraceLineKind::kRequest);
  EXPECT_EQ(line_.stream, stream);
  ASSERT_EQ(parse(monitor_, R"(2.0 [0 a:2] "GET" "y")"), TraceLineKind::kRequest);
  EXPECT_NE(line_.stream, stream);
  int mine = 0;
  for (std::uint32_t index = 0; index < 3; ++index) {
    const auto kind = monitor_.parse(R"(2.0 [0 a:2] "GET" "y")", {index, 3}, line_);
    ASSERT_TRUE(kind);
    mine += *kind == TraceLineKind::kRequest ? 1 : 0;
  }
  EXPECT_EQ(mine, 1);
}

TEST_F(TraceLineTest, SkipsWhatCannotBeReplayedAndSaysWhat) {
  for (const char* line : {"", "OK", "+OK", "\r"})
    EXPECT_EQ(parse(monitor_, line), TraceLineKind::kNothing) << line;
  const std::pair<const char*, const char*> skipped[] = {
      {R"x(1.0 [0 a:1] "auth" "(redacted)")x", "AUTH"},
      {R"(1.0 [0 a:1] "MULTI")", "MULTI"},
      {R"(1.0 [0 a:1] "blpop" "k" "0")", "BLPOP"},
      {R"(1.0 [0 a:1] "XREAD" "block" "0" "STREAMS" "s" "$")", "XREAD"},
      {R"(1.0 [3 a:1] "GET" "k")", "of another database"},
      {R"(1.0 [0 lua] "GET" "k")", "by a script"}};
  for (const auto& [line, what] : skipped) {
    EXPECT_EQ(parse(monitor_, line), TraceLineKind::kSkipped) << line;
    EXPECT_EQ(line_.words.front(), what);
  }
  EXPECT_EQ(parse(monitor_, R"(1.0 [0 a:1] "XREAD" "STREAMS" "s" "0")"), TraceLineKind::kRequest);
}

TEST_F(TraceLineTest, SaysWhatIsWrongWithALine) {
  for (const char* line :
       {"hello", R"(now [0 a:1] "GET")", R"(1.0 "GET" "k")", R"(1.0 [0 a:1] GET)",
        R"(-1.0 [0 a:1] "GET" "k")", R"(1.0x [0 a:1] "GET" "k")"})
    EXPECT_THAT(complaint(monitor_, line), HasSubstr("no line of MONITOR")) << line;
  EXPECT_THAT(complaint(monitor_, R"(1.0 [x a:1] "GET" "k")"), HasSubstr("no database"));
  EXPECT_THAT(complaint(monitor_, R"(1.0 [0 a:1] "GET" "k)"), HasSubstr("cut off"));
  EXPECT_THAT(complaint(monitor_, R"(1.0 [0 a:1] "GET" "k\)"), HasSubstr("cut off"));
  EXPECT_THAT(complaint(monitor_, R"(1.0 [0 a:1] "GET" "\x0")"), HasSubstr("cut off"));
  EXPECT_THAT(complaint(monitor_, R"(1.0 [0 a:1] "GET""k")"), HasSubstr("no blank"));
}

TEST_F(TraceLineTest, TheHeaderSaysWhichColumnIsWhat) {
  TraceParser csv = table(TraceFormat::kCsv, "TTL,Key, op ,size,note,timestamp\r");
  EXPECT_TRUE(csv.has_time());
  ASSERT_EQ(parse(csv, "60,\"a,\"\"k\",set,100,x,12.25\r"), TraceLineKind::kRequest);
  EXPECT_THAT(line_.words, ElementsAre("SET", "a,\"k", "", "PX", "60000"));
  EXPECT_EQ(line_.made_up_bytes, 100U);
  EXPECT_EQ(line_.time, std::chrono::milliseconds{12'250});
  ASSERT_EQ(parse(csv, ",k,get,,,13"), TraceLineKind::kRequest);
  EXPECT_THAT(line_.words, ElementsAre("GET", "k"));
  EXPECT_EQ(line_.made_up_bytes, std::nullopt);
  TraceParser tsv = table(TraceFormat::kTsv, "op\tkey");
  EXPECT_FALSE(tsv.has_time());
  ASSERT_EQ(parse(tsv, "delete\ta,\"k"), TraceLineKind::kRequest);
  EXPECT_THAT(line_.words, ElementsAre("DEL", "a,\"k"));
  TraceParser bad(TraceFormat::kCsv, 0);
  EXPECT_THAT(bad.read_header("time,key").error().message, HasSubstr("no column op"));
}

TEST_F(TraceLineTest, ARowsStreamIsItsClientOrElseItsKey) {
  TraceParser by_key = table(TraceFormat::kCsv, "op,key");
  ASSERT_EQ(parse(by_key, "get,a"), TraceLineKind::kRequest);
  const std::uint64_t a = line_.stream;
  ASSERT_EQ(parse(by_key, "incr,a"), TraceLineKind::kRequest);
  EXPECT_EQ(line_.stream, a);
  ASSERT_EQ(parse(by_key, "get,b"), TraceLineKind::kRequest);
  EXPECT_NE(line_.stream, a);
  TraceParser by_client = table(TraceFormat::kCsv, "op,key,client");
  ASSERT_EQ(parse(by_client, "get,a,1"), TraceLineKind::kRequest);
  const std::uint64_t one = line_.stream;
  ASSERT_EQ(parse(by_client, "get,b,1"), TraceLineKind::kRequest);
  EXPECT_EQ(line_.stream, one);
}

TEST_F(TraceLineTest, SaysWhichCellIsWrong) {
  TraceParser csv = table(TraceFormat::kCsv, "time,op,key,size,ttl");
  const std::pair<const char*, const char*> wrong[] = {
      {"1,get,k", "has 3 cells, where the header has 5"},
      {"x,get,k,,", "has the time \"x\""},
      {"1,gte,k,,", "did you mean get?"},
      {"1,zzzzzzz,k,,", "known are get"},
      {"1,get,,,", "has no key"},
      {"1,set,k,,", "has no size, which set needs"},
      {"1,set,k,-5,", "has the size \"-5\""},
      {"1,set,k,5,soon", "has the ttl \"soon\""},
      {"1,expire,k,,", "has no ttl, which expire needs"},
      {"1,get,\"k,,", "not closed"},
      {"1,get,\"k\"x,,", "behind a quoted cell"}};
  for (const auto& [line, words] : wrong) EXPECT_THAT(complaint(csv, line), HasSubstr(words));
}

TEST_F(TraceLineTest, OpsOfOtherCachesAreCommandsOfThisOne) {
  TraceParser csv = table(TraceFormat::kCsv, "op,key,size,ttl");
  const std::pair<const char*, std::vector<std::string>> rows[] = {
      {"add,k,3,", {"SET", "k", "", "NX"}},
      {"replace,k,3,2.5", {"SET", "k", "", "PX", "2500", "XX"}},
      {"gets,k,,", {"GET", "k"}},
      {"APPEND,k,3,", {"APPEND", "k", ""}},
      {"expire,k,,7", {"PEXPIRE", "k", "7000"}},
      {"set,k,0,0", {"SET", "k", ""}}};
  for (const auto& [row, words] : rows) {
    ASSERT_EQ(parse(csv, row), TraceLineKind::kRequest) << row;
    EXPECT_EQ(line_.words, words) << row;
  }
}

}  // namespace
}  // namespace headroom::load
