#include "scenario/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"

namespace headroom::scenario {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Kind = WordPart::Kind;

WordPart text(std::string bytes) { return {.kind = Kind::kText, .text = std::move(bytes)}; }
WordPart key(std::size_t slot) { return {.kind = Kind::kKey, .key = slot}; }
WordPart data(std::size_t slot) { return {.kind = Kind::kData, .key = slot}; }
WordPart random(std::uint64_t lowest, std::uint64_t highest) {
  return {.kind = Kind::kRandom, .lowest = lowest, .highest = highest};
}

CommandLine read(std::string_view line) {
  auto result = read_command_line(line);
  EXPECT_TRUE(result) << line << ": " << result.error().message;
  return result.value_or(CommandLine{});
}
CommandWords words(std::string_view line) {
  const CommandLine result = read(line);
  EXPECT_EQ(result.commands.size(), 1U) << line;
  return result.commands.empty() ? CommandWords{} : result.commands.front();
}
std::string error_of(std::string_view line) {
  const auto result = read_command_line(line);
  EXPECT_FALSE(result) << line;
  return result ? "" : result.error().message;
}

TEST(CommandLine, TakesWordsApartAsTheEnginesCommandLineDoes) {
  EXPECT_THAT(words("  set\ta \n b "),
              ElementsAre(Word{text("set")}, Word{text("a")}, Word{text("b")}));
  EXPECT_THAT(words(R"(SET "a b" 'c "d"')"),
              ElementsAre(Word{text("SET")}, Word{text("a b")}, Word{text("c \"d\"")}));
  EXPECT_THAT(words(R"(SET "\x00\n\r\t\b\a\\\"\q" '\'\n')"),
              ElementsAre(Word{text("SET")}, Word{text(std::string("\0\n\r\t\b\a\\\"q", 9))},
                          Word{text("'\\n")}));
  EXPECT_THAT(words("SET \"\" ''"), ElementsAre(Word{text("SET")}, Word{}, Word{}));
}

TEST(CommandLine, KnowsPlaceholders) {
  EXPECT_THAT(words("HSET __key__ f __data__"),
              ElementsAre(Word{text("HSET")}, Word{key(0)}, Word{text("f")}, Word{data(0)}));
  EXPECT_THAT(
      words("EXPIRE k:__key__:v __rand(5, 10)__"),
      ElementsAre(Word{text("EXPIRE")}, Word{text("k:"), key(0), text(":v")}, Word{random(5, 10)}));
  EXPECT_THAT(
      words(R"(ECHO "<__key__>" '__key__' a__b ____ __x _)"),
      ElementsAre(Word{text("ECHO")}, Word{text("<"), key(0), text(">")}, Word{text("__key__")},
                  Word{text("a__b")}, Word{text("____")}, Word{text("__x")}, Word{text("_")}));
}

TEST(CommandLine, DrawsEveryKeyAnewUnlessItHasANumber) {
  const CommandLine line = read("MSET __key__ __data__ __key__ __data__");
  EXPECT_EQ(line.keys, 2U);
  EXPECT_THAT(line.commands.front(), ElementsAre(Word{text("MSET")}, Word{key(0)}, Word{data(0)},
                                                 Word{key(1)}, Word{data(1)}));
  EXPECT_THAT(words("COPY __key1__ __key2__ __key1__"),
              ElementsAre(Word{text("COPY")}, Word{key(0)}, Word{key(1)}, Word{key(0)}));
}

TEST(CommandLine, ReadsATransactionAsOne) {
  const CommandLine line = read("multi; HSET __key1__ f __data__; EXPIRE __key1__ 60 ;exec;");
  ASSERT_EQ(line.commands.size(), 4U);
  EXPECT_TRUE(line.is_transaction());
  EXPECT_EQ(line.keys, 1U);
  EXPECT_EQ(verb_of(line.commands[0]), "MULTI");
  EXPECT_EQ(verb_of(line.commands[2]), "EXPIRE");
  EXPECT_THAT(words("SET a 'b;c'"),
              ElementsAre(Word{text("SET")}, Word{text("a")}, Word{text("b;c")}));
}

TEST(CommandLine, RefusesWhatHasNoOneReply) {
  EXPECT_EQ(error_of("subscribe news"),
            "SUBSCRIBE cannot be a part of the load: it has not one reply to each request");
  EXPECT_THAT(error_of("MULTI; SELECT 1; EXEC"), HasSubstr("SELECT cannot be a part"));
  for (const char* line : {"MULTI", "EXEC", "GET a; GET b", "MULTI; EXEC", "MULTI; GET a",
                           "MULTI; MULTI; GET a; EXEC", "MULTI; EXEC; GET a; EXEC"}) {
    EXPECT_THAT(error_of(line), HasSubstr("neither one command nor a transaction")) << line;
  }
  EXPECT_EQ(error_of(""), "a command is empty");
  EXPECT_EQ(error_of("MULTI;;EXEC"), "a command is empty");
  EXPECT_THAT(error_of("__key__ a"), HasSubstr("begins with its name"));
  EXPECT_THAT(error_of("'' a"), HasSubstr("begins with its name"));
}

TEST(CommandLine, RefusesMalformedTextPrecisely) {
  EXPECT_EQ(error_of("GET 'a"), "a ' is not closed");
  EXPECT_EQ(error_of("GET \"a\"b"), "a closing quote is followed by \"b\"; put a space between");
  EXPECT_THAT(error_of("GET __rand_int__"), HasSubstr("__rand_int__ is no placeholder; there are"));
  EXPECT_THAT(error_of("GET __key0__"), HasSubstr("__key0__ is no placeholder"));
  EXPECT_THAT(error_of("GET __rand(5,2)__"), HasSubstr("A at most B"));
  EXPECT_THAT(error_of("GET __rand(5)__"), HasSubstr("is no random number"));
  EXPECT_THAT(error_of("GET __rand(5,6"), HasSubstr("is no random number"));
  std::string many = "MGET";
  for (int i = 0; i < 17; ++i) many += " __key__";
  EXPECT_EQ(error_of(many), "has more than 16 keys");
  std::string long_one = "MGET";
  for (int i = 0; i < 300; ++i) long_one += " a";
  EXPECT_EQ(error_of(long_one), "has more than 256 words and placeholders");
}

}  // namespace
}  // namespace headroom::scenario
