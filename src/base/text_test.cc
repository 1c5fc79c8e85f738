#include "base/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headroom {
namespace {

using ::testing::ElementsAre;

const std::vector<std::string> kKeys = {"workers", "connections", "pipeline", "request_timeout"};

TEST(Nearest, FindsSlips) {
  EXPECT_EQ(nearest("worker", kKeys), "workers");
  EXPECT_EQ(nearest("wokrers", kKeys), "workers") << "a swap of neighbours is one edit";
  EXPECT_EQ(nearest("conections", kKeys), "connections");
  EXPECT_EQ(nearest("Pipeline", kKeys), "pipeline");
  EXPECT_EQ(nearest("PIPELINE", kKeys), "pipeline");
  EXPECT_EQ(nearest("workers", kKeys), "workers");
}

TEST(Nearest, IsSilentAboutWhatIsNotNear) {
  EXPECT_EQ(nearest("threads", kKeys), std::nullopt);
  EXPECT_EQ(nearest("", kKeys), std::nullopt);
  EXPECT_EQ(nearest("workers", {}), std::nullopt);
}

TEST(Nearest, AllowsOneEditInShortWordsUnlessNothingIsLeft) {
  const std::vector<std::string> shorts = {"on", "b"};
  EXPECT_EQ(nearest("om", shorts), "on");
  EXPECT_EQ(nearest("a", shorts), std::nullopt);
}

TEST(Nearest, AllowsAThirdOfTheLongerWord) {
  const std::vector<std::string> nine = {"abcdefghi"};
  EXPECT_EQ(nearest("abcdefxyz", nine), "abcdefghi");
  EXPECT_EQ(nearest("abcdewxyz", nine), std::nullopt);
}

TEST(Nearest, PrefersFewerEditsThenTheFirst) {
  const std::vector<std::string> words = {"stopped", "stepped", "steps"};
  EXPECT_EQ(nearest("stepper", words), "stepped");
  EXPECT_EQ(nearest("st_pped", words), "stopped");
}

TEST(Split, GivesOnePartMoreThanThereAreSeparators) {
  EXPECT_THAT(split("a:b:c", ':'), ElementsAre("a", "b", "c"));
  EXPECT_THAT(split(":a:", ':'), ElementsAre("", "a", ""));
  EXPECT_THAT(split("", ':'), ElementsAre(""));
}

TEST(Case, ChangesAsciiLettersAlone) {
  EXPECT_EQ(upper("get-Range_7 \xc3\xa9"), "GET-RANGE_7 \xc3\xa9");
  EXPECT_EQ(lower("GET-Range_7 \xc3\x89"), "get-range_7 \xc3\x89");
}

TEST(Trim, RemovesWhiteSpaceAtBothEnds) {
  EXPECT_EQ(trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(trim(" \n "), "");
  EXPECT_EQ(trim(""), "");
}

TEST(Printable, LeavesReadableTextAlone) {
  EXPECT_EQ(printable("plain \"text\" \\ with äöü € 🙂"), "plain \"text\" \\ with äöü € 🙂");
}

TEST(Printable, ShowsWhatATerminalWouldObey) {
  EXPECT_EQ(printable("a\nb\r\t\x1b[2Jc\x7f"), "a\\x0ab\\x0d\\x09\\x1b[2Jc\\x7f");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(printable("\xc2\x9b[31m"), "\\xc2\\x9b[31m") << "a control character beyond ASCII";
  EXPECT_EQ(printable("\xe2\x80\xae"), "\\xe2\\x80\\xae") << "turns the writing direction";
}

TEST(Printable, ShowsInvalidUtf8) {
  EXPECT_EQ(printable("\xff"), "\\xff");
  EXPECT_EQ(printable("\xc3"), "\\xc3") << "cut short";
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf") << "overlong";
  EXPECT_EQ(printable("\xe0\x80\xaf"), "\\xe0\\x80\\xaf") << "overlong";
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "beyond the last code point";
  EXPECT_EQ(printable("\xe2\x82z"), "\\xe2\\x82z") << "what follows is not swallowed";
}

TEST(Printable, CutsBetweenCharacters) {
  EXPECT_EQ(printable("abcdef", 6), "abcdef");
  EXPECT_EQ(printable("abcdefg", 6), "abcdef...");
  EXPECT_EQ(printable("aä", 2), "a...");
  EXPECT_EQ(printable("a\nb", 3), "a...");
}

}  // namespace
}  // namespace headroom
