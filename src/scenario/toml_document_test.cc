#include "scenario/toml_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace headroom::scenario {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string error_of(std::string_view text) {
  const auto entries = read_toml(text, "x.toml");
  return entries ? "no error" : entries.error().message;
}

std::string repeated(std::string_view text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

TEST(TomlDocument, ListsKeysWithTheirSectionsLinesAndLiterals) {
  const auto entries = read_toml("a = \"x\"\n\n[s]\nc = true\nb = 0x10\n[s.t]\nz = 1\n", "x.toml");
  ASSERT_TRUE(entries);
  std::string listed;
  for (const TomlEntry& e : *entries)
    listed +=
        fmt::format("{} {}.{} {} {}\n", e.line, e.section, e.name, toml_kind_name(e.kind), e.text);
  EXPECT_EQ(listed,
            "1 .a a text x\n"
            "3 .s a section \n"
            "4 s.c a truth value true\n"
            "5 s.b a whole number 16\n"
            "6 s.t a section \n"
            "7 s.t.z a whole number 1\n");
}

TEST(TomlDocument, KeepsADotInsideQuotesApartFromASection) {
  const auto entries = read_toml("\"s.a\" = 1", "x.toml");
  ASSERT_EQ(entries->size(), 1U);
  EXPECT_EQ(entries->front().section, "");
  EXPECT_EQ(entries->front().name, "s.a");
}

TEST(TomlDocument, NamesLineAndColumnOfASyntaxError) {
  EXPECT_EQ(error_of("a = 1\nb = \n"),
            "x.toml:2:5: not valid TOML: key-value pair: expected value, saw '\\n'");
}

TEST(TomlDocument, RefusesDuplicates) {
  for (const char* text : {"a = 1\na = 2", "[s]\na = 1\n[s]\nb = 2", "s.a = 1\n[s]\na = 2"}) {
    EXPECT_THAT(error_of(text),
                AllOf(HasSubstr("redefine"), HasSubstr("every key and every section stands once")));
  }
}

TEST(TomlDocument, SaysThatAValueNeedsQuotes) {
  EXPECT_THAT(error_of("[t]\nmeasure = 60s  # long"),
              AllOf(StartsWith("x.toml:2:"), HasSubstr("need quotes: measure = \"60s\"")));
  EXPECT_THAT(error_of("kind = local"), HasSubstr("need quotes: kind = \"local\""));
  EXPECT_THAT(error_of("a = \"x"), Not(HasSubstr("need quotes")));
  EXPECT_THAT(error_of("a = 1 2"), Not(HasSubstr("need quotes")));
}

TEST(TomlDocument, RefusesWhatIsNotText) {
  EXPECT_EQ(error_of(std::string("a = 1\n\0", 7)), "x.toml:2: not a text file: it has a zero byte");
  EXPECT_THAT(error_of("a = \"\xff\""), StartsWith("x.toml:1:5: not valid TOML: "));
  EXPECT_THAT(error_of("\x7f"), StartsWith("x.toml:1:1: not valid TOML: "));
}

TEST(TomlDocument, RefusesDepthBeforeItCanExhaustTheStack) {
  const std::string deep_key = repeated("a.", 500'000) + "a = 1";
  EXPECT_EQ(error_of("\n" + deep_key),
            "x.toml:2: a key of more than 8 parts, which no scenario has");
  EXPECT_THAT(error_of("[" + repeated("a.", 500'000) + "a]"), HasSubstr("more than 8 parts"));
  EXPECT_THAT(error_of("a = " + repeated("[", 1'000'000)), HasSubstr("more than 16 deep"));
  EXPECT_THAT(error_of("a = " + repeated("{a=", 300'000)), HasSubstr("more than 16 deep"));
  EXPECT_THAT(error_of("a = \"\"\"x\"\"\"\"\n" + deep_key), HasSubstr("more than 8 parts"));
  EXPECT_THAT(error_of("a = \"\\\"\" # \"\n" + deep_key), HasSubstr("more than 8 parts"));
  EXPECT_THAT(error_of("]]]]\na = " + repeated("[", 1'000'000)), HasSubstr("more than 16 deep"));
}

TEST(TomlDocument, CountsNoDepthInsideStringsAndComments) {
  EXPECT_TRUE(read_toml("a.b.c.d.e.f.g.h = 1", "x.toml"));
  EXPECT_TRUE(read_toml("# ............ [[[[[[[[[[[[[[[[[[[[[[\na = 1", "x.toml"));
  EXPECT_TRUE(read_toml("a = \"............ [[[[[[[[[[[[[[[[[[[[[[\"", "x.toml"));
  EXPECT_TRUE(read_toml(
      "a = '''\n............\n\\'''\nb = [1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5]", "x.toml"));
}

}  // namespace
}  // namespace headroom::scenario
