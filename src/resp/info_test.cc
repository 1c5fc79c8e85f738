#include "resp/info.h"

#include <gtest/gtest.h>

namespace headroom::resp {
namespace {

constexpr std::string_view kText =
    "# Server\r\n"
    "valkey_version:9.1.0\r\n"
    "executable:/opt/a:b/valkey-server\r\n"
    "\r\n"
    "# Memory\r\n"
    "used_memory:941064\r\n"
    "mem_fragmentation_ratio:13.47\r\n"
    "used_memory_human:919.01K\r\n"
    "\r\n"
    "# Commandstats\r\n"
    "cmdstat_config|get:calls=3,usec=91,usec_per_call=30.33,rejected_calls=0,failed_calls=1\r\n"
    "\r\n"
    "# Keyspace\r\n"
    "db0:keys=7,expires=2,avg_ttl=0\r\n"
    "db3:keys=5,expires=0,avg_ttl=0,subexpiry=0\r\n";

TEST(InfoTest, FindsFieldsInAnySection) {
  const Info info = Info::parse(kText);
  EXPECT_EQ(info.text("valkey_version"), "9.1.0");
  EXPECT_EQ(info.text("executable"), "/opt/a:b/valkey-server");
  EXPECT_EQ(info.count("used_memory"), 941064U);
  EXPECT_EQ(info.number("mem_fragmentation_ratio"), 13.47);
}

TEST(InfoTest, HasNothingForWhatIsMissingOrIsNoNumber) {
  const Info info = Info::parse(kText);
  EXPECT_EQ(info.text("redis_version"), std::nullopt);
  EXPECT_EQ(info.number("used_memory_human"), std::nullopt);
  EXPECT_EQ(info.count("mem_fragmentation_ratio"), std::nullopt);
  EXPECT_EQ(info.number("valkey_version"), std::nullopt);
}

TEST(InfoTest, KeepsSectionsInOrderAndFindsThemInAnyCase) {
  const Info info = Info::parse(kText);
  ASSERT_EQ(info.sections().size(), 4U);
  EXPECT_EQ(info.sections()[1].name, "Memory");
  ASSERT_NE(info.section("commandstats"), nullptr);
  EXPECT_EQ(info.section("commandstats")->fields.at(0).name, "cmdstat_config|get");
  EXPECT_EQ(info.section("nothing"), nullptr);
}

TEST(InfoTest, SumsTheKeysOfAllDatabases) {
  const Info info = Info::parse(kText);
  EXPECT_EQ(info.keyspace_sum("keys"), 12U);
  EXPECT_EQ(info.keyspace_sum("expires"), 2U);
  EXPECT_EQ(info.keyspace_sum("no such part"), std::nullopt);
}

TEST(InfoTest, TellsAnEmptyKeyspaceFromAMissingOne) {
  EXPECT_EQ(Info::parse("# Keyspace\r\n").keyspace_sum("keys"), 0U);
  EXPECT_EQ(Info::parse("# Server\r\n").keyspace_sum("keys"), std::nullopt);
}

TEST(InfoTest, PassesOverLinesItDoesNotUnderstand) {
  const Info info = Info::parse("stray:1\n:no name\nno colon\n\n#\nx:2");
  EXPECT_EQ(info.count("stray"), 1U);
  EXPECT_EQ(info.count("x"), 2U);
  EXPECT_EQ(info.sections().size(), 2U);
  EXPECT_TRUE(Info::parse("").sections().empty());
}

TEST(InfoPartTest, FindsWholeNamesOnly) {
  constexpr std::string_view kValue = "calls=3,usec=91,usec_per_call=30.33";
  EXPECT_EQ(info_part(kValue, "usec"), "91");
  EXPECT_EQ(info_part(kValue, "usec_per_call"), "30.33");
  EXPECT_EQ(info_part(kValue, "use"), std::nullopt);
  EXPECT_EQ(info_part("calls", "calls"), std::nullopt);
}

TEST(InfoNumberTest, TakesFiniteNumbersOnly) {
  EXPECT_EQ(info_number("-1.5"), -1.5);
  for (const std::string_view text : {"", "nan", "inf", "1e999", "12abc", " 1", "0x10"}) {
    EXPECT_EQ(info_number(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace headroom::resp
