#include "report/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headroom::report {
namespace {

using ::testing::ElementsAre;
using Values = std::vector<std::optional<double>>;

TEST(DisplayWidth, CountsColumnsNotBytes) {
  const std::pair<const char*, std::size_t> cases[] = {
      {"", 0},     {"abc", 3}, {"grün", 4},      {"µs", 2},       {"▁▂█", 3},
      {"缓存", 4}, {"🙂", 2},  {"e\xCC\x81", 1}, {"\xff\xfe", 2}, {"\xe7\xbc", 2},
  };
  for (const auto& [text, width] : cases) EXPECT_EQ(display_width(text), width) << text;
}

TEST(Pad, AlignsMultiByteTextByItsColumns) {
  EXPECT_EQ(pad_left("µs", 4), "  µs");
  EXPECT_EQ(pad_right("缓存", 5), "缓存 ");
  EXPECT_EQ(pad_left("too long", 3), "too long");
}

TEST(Wrap, BreaksAtBlanksAndInsideLongWords) {
  EXPECT_THAT(wrap("one two three", 7), ElementsAre("one two", "three"));
  EXPECT_THAT(wrap("  spaced   out  ", 20), ElementsAre("spaced out"));
  EXPECT_THAT(wrap("abcdefgh ij", 3), ElementsAre("abc", "def", "gh", "ij"));
  EXPECT_THAT(wrap("缓存缓存", 4), ElementsAre("缓存", "缓存"));
  EXPECT_TRUE(wrap("", 10).empty());
}

TEST(Wrap, KeepsANumberAndItsUnitTogether) {
  EXPECT_THAT(wrap("CPUs 97.5 %, 12 ms; x 5 things", 10),
              ElementsAre("CPUs", "97.5 %,", "12 ms; x 5", "things"));
  EXPECT_THAT(wrap("at 7", 3), ElementsAre("at", "7"));
}

TEST(Wrap, EndsEvenWhenACharacterIsWiderThanTheLine) {
  EXPECT_THAT(wrap("缓存", 1), ElementsAre("缓", "存"));
}

TEST(Sparkline, ShowsSharesOfTheTopAndGapsAsBlanks) {
  EXPECT_EQ(sparkline(Values{0.0, 0.5, 1.0}, 1), "·▅█");
  EXPECT_EQ(sparkline(Values{0.0, std::nullopt, 7.0}, 7), "· █");
  EXPECT_EQ(sparkline(Values{0.0, 0.0}, 0), "··");
  EXPECT_EQ(sparkline(Values{0.001, 0.0, 1.0}, 1), "▁·█");
  EXPECT_EQ(sparkline(Values{9.0}, 1), "█");
  EXPECT_EQ(sparkline(Values{}, 1), "");
}

TEST(Resample, JoinsEqualNumbersOfNeighbours) {
  const Values values = {1.0, 3.0, 5.0, 7.0, std::nullopt, 9.0, std::nullopt};
  EXPECT_THAT(resample(values, 4, Join::kMean), ElementsAre(2.0, 6.0, 9.0, std::nullopt));
  EXPECT_THAT(resample(values, 4, Join::kMax), ElementsAre(3.0, 7.0, 9.0, std::nullopt));
  EXPECT_EQ(resample(values, 100, Join::kMax), values);
  EXPECT_TRUE(resample(Values{}, 10, Join::kMean).empty());
}

TEST(Resample, NeverNeedsMoreColumnsThanThereAre) {
  for (std::size_t size = 1; size < 500; ++size)
    EXPECT_LE(resample(Values(size, 1.0), 48, Join::kMean).size(), 48U);
}

}  // namespace
}  // namespace headroom::report
