#include "scenario/cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headroom::scenario {
namespace {

using testing::HasSubstr;

CommandLine line_of(std::string_view text) {
  auto line = read_command_line(text);
  EXPECT_TRUE(line) << text << ": " << line.error().message;
  return line ? *line : CommandLine{};
}

std::string hashed(std::string_view text) {
  const auto result = hashed_text(line_of(text));
  if (!result) return result.error().message;
  if (!*result) return "none";
  return (*result)->before + ((*result)->key ? "K" : "") + (*result)->after;
}

TEST(HashedText, IsTheKey) {
  EXPECT_EQ(hashed("GET __key__"), "K");
  EXPECT_EQ(hashed("SET user:__key__:name __data__"), "user:K:name");
  EXPECT_EQ(hashed("HSET profile __key__ __data__"), "profile");
  EXPECT_EQ(hashed("SET __key__ __rand(1,9)__"), "K");
  EXPECT_EQ(hashed("EVAL 'return 1' 1 __key__ x"), "K");
  EXPECT_EQ(hashed("XADD __key__ * field __data__"), "K");
  EXPECT_EQ(hashed("XREAD COUNT 1 STREAMS __key__ 0"), "K");
  EXPECT_EQ(hashed("OBJECT ENCODING __key__"), "K");
}

TEST(HashedText, IsTheHashTag) {
  EXPECT_EQ(hashed("GET {__key__}:a"), "K");
  EXPECT_EQ(hashed("GET a{b__key__c}d{e}"), "bKc");
  EXPECT_EQ(hashed("GET {fixed}:__key__"), "fixed");
  EXPECT_EQ(hashed("GET __key__{tail}"), "tail");
  EXPECT_EQ(hashed("GET {}__key__"), "{}K");   // an empty tag is none
  EXPECT_EQ(hashed("GET {__key__"), "{K");     // nor is one that does not end
  EXPECT_EQ(hashed("GET }{__key__}"), "K");    // a '}' before it ends nothing
  EXPECT_EQ(hashed("GET {{__key__}}"), "{K");  // the first '}' ends it
  EXPECT_EQ(hashed("GET {__key__}:__rand(1,9)__"), "K");
}

TEST(HashedText, OfSeveralKeysIsOne) {
  EXPECT_EQ(hashed("MGET {__key1__}:a {__key1__}:b"), "K");
  EXPECT_EQ(hashed("MSET {tag}__key1__ __data__ {tag}__key2__ __data__"), "tag");
  EXPECT_EQ(hashed("MULTI; INCR {__key1__}:n; EXPIRE {__key1__}:n 60; EXEC"), "K");
  EXPECT_EQ(hashed("RENAME {__key1__}:a {__key1__}:b"), "K");
  EXPECT_EQ(hashed("BLPOP __key__ 1"), "K");
}

TEST(HashedText, OfAKeylessCommandIsAbsent) {
  EXPECT_EQ(hashed("PING"), "none");
  EXPECT_EQ(hashed("EVAL 'return 1' 0"), "none");
  EXPECT_EQ(hashed("PUBLISH channel __data__"), "none");
}

TEST(HashedText, RefusesSeveralSlots) {
  EXPECT_THAT(hashed("MGET __key1__ __key2__"), HasSubstr("several slots"));
  EXPECT_THAT(hashed("MULTI; INCR __key1__; INCR __key2__; EXEC"), HasSubstr("{__key1__}:a"));
  EXPECT_THAT(hashed("ZUNIONSTORE out 1 __key__"), HasSubstr("several slots"));
  EXPECT_THAT(hashed("RENAME __key__ __key__:old"), HasSubstr("several slots"));
}

TEST(HashedText, RefusesWhatCannotBeKnownBeforehand) {
  EXPECT_THAT(hashed("GET user:__rand(1,9)__"), HasSubstr("only __key__ may choose the slot"));
  EXPECT_THAT(hashed("GET __data__"), HasSubstr("only __key__ may choose the slot"));
}

TEST(OnlyReads, IsOfEveryCommand) {
  EXPECT_TRUE(only_reads(line_of("GET __key__")));
  EXPECT_TRUE(only_reads(line_of("ZREVRANK __key__ a")));
  EXPECT_FALSE(only_reads(line_of("SET __key__ __data__")));
  EXPECT_FALSE(only_reads(line_of("GETDEL __key__")));
  EXPECT_FALSE(only_reads(line_of("MULTI; GET __key__; EXEC")));
}

}  // namespace
}  // namespace headroom::scenario
