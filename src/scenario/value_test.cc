#include "scenario/value.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace headroom::scenario {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const OptionType kCount = CountType{1, 512};
const OptionType kAutoCount = CountType{1, 1'000'000, true};
const OptionType kBytes = BytesType{1024, std::uint64_t{1} << 30U};
const OptionType kDuration = DurationType{seconds{1}, minutes{10}};
const OptionType kRatio = RatioType{1000};
const OptionType kChoice = ChoiceType{{"allkeys-lru", "noeviction"}};

OptionType text_type(TextForm form) { return TextType{form, 40}; }

std::string error_of(const OptionType& type, std::string_view text) {
  const auto value = read_value(type, text);
  return value ? "no error" : value.error().message;
}

TEST(Value, ReadsEveryTypeFromItsText) {
  EXPECT_EQ(read_value(kCount, "512"), Value(std::uint64_t{512}));
  EXPECT_EQ(read_value(kAutoCount, "auto"), Value(Auto{}));
  EXPECT_EQ(read_value(kAutoCount, "20_000"), Value(std::uint64_t{20000}));
  EXPECT_EQ(read_value(kBytes, "1.5KiB"), Value(std::uint64_t{1536}));
  EXPECT_EQ(read_value(kDuration, "90s"), Value(Nanos{seconds{90}}));
  EXPECT_EQ(read_value(kRatio, "1:10"), Value(Ratio{1, 10}));
  EXPECT_EQ(read_value(kRatio, " 0 : 1 "), Value(Ratio{0, 1}));
  EXPECT_EQ(read_value(kChoice, "noeviction"), Value(std::string("noeviction")));
  EXPECT_EQ(read_value(BooleanType{}, "true"), Value(true));
  EXPECT_EQ(read_value(BooleanType{}, "false"), Value(false));
}

TEST(Value, PrintsWhatReadsBackToTheSame) {
  const std::vector<std::pair<OptionType, std::string>> cases = {
      {kCount, "7"},
      {kAutoCount, "auto"},
      {kAutoCount, "9"},
      {kBytes, "384MiB"},
      {kBytes, "1025B"},
      {kDuration, "1m"},
      {kDuration, "60500ms"},
      {kRatio, "2:20"},
      {kChoice, "noeviction"},
      {BooleanType{}, "true"},
      {text_type(TextForm::kProse), "caf\xc3\xa9 \"quoted\" \\ line\nbreak"},
  };
  for (const auto& [type, text] : cases) {
    const auto value = read_value(type, text);
    ASSERT_TRUE(value) << text;
    EXPECT_EQ(print_value(type, *value), text);
  }
}

TEST(Value, PrintsTheLargestExactUnit) {
  EXPECT_EQ(print_value(kDuration, *read_value(kDuration, "60s")), "1m");
  EXPECT_EQ(print_value(kBytes, *read_value(kBytes, "1024B")), "1KiB");
}

TEST(Value, QuotesForTomlWhatIsNeitherCountNorBoolean) {
  EXPECT_EQ(print_toml(kCount, Value(std::uint64_t{3})), "3");
  EXPECT_EQ(print_toml(BooleanType{}, Value(true)), "true");
  EXPECT_EQ(print_toml(kAutoCount, Value(Auto{})), "\"auto\"");
  EXPECT_EQ(print_toml(kBytes, Value(std::uint64_t{1024})), "\"1KiB\"");
  EXPECT_EQ(print_toml(text_type(TextForm::kProse), Value(std::string("a\"b\\c\nd\te"))),
            R"("a\"b\\c\nd\te")");
}

TEST(Value, AcceptsTheEndsOfARangeAndNothingBeyond) {
  EXPECT_TRUE(read_value(kCount, "1"));
  EXPECT_TRUE(read_value(kDuration, "10m"));
  EXPECT_EQ(error_of(kCount, "0"), "0 is below the range; give a count from 1 to 512");
  EXPECT_EQ(error_of(kCount, "513"), "513 is above the range; give a count from 1 to 512");
  EXPECT_EQ(error_of(kBytes, "1023B"),
            "1023B is below the range; give a size from \"1KiB\" to \"1GiB\"");
  EXPECT_EQ(error_of(kDuration, "601s"),
            "601s is above the range; give a duration from \"1s\" to \"10m\"");
  EXPECT_EQ(error_of(kAutoCount, "0"),
            "0 is below the range; give \"auto\" or a count from 1 to 1,000,000");
}

TEST(Value, RefusesWhatIsNotOfTheType) {
  for (const char* text : {"", "-1", "1.5", "three", "1e3", "0x10", "18446744073709551616"})
    EXPECT_THAT(error_of(kCount, text), HasSubstr("give a count from 1 to 512")) << text;
  for (const char* text : {"", "-1s", "1 hour", "auto"})
    EXPECT_THAT(error_of(kDuration, text), HasSubstr("give a duration from")) << text;
  for (const char* text :
       {"", "1", "1:", ":1", "1:2:3", "a:b", "-1:2", "1.5:1", "1:1001", "99999999999:1"})
    EXPECT_THAT(error_of(kRatio, text), HasSubstr("give \"SET:GET\"")) << text;
  for (const char* text : {"", "yes", "1", "TRUE"})
    EXPECT_THAT(error_of(BooleanType{}, text), HasSubstr("give true or false")) << text;
}

TEST(Value, NamesTheUnitThatIsMissing) {
  EXPECT_EQ(error_of(kDuration, "60"), "60 has no unit; write 60s");
  EXPECT_EQ(error_of(kBytes, "2_048"), "2_048 has no unit; write 2048B");
}

TEST(Value, RefusesARatioOfNothing) {
  EXPECT_THAT(error_of(kRatio, "0:0"), HasSubstr("asks for no requests"));
}

TEST(Value, NamesTheChoiceThatWasMeant) {
  EXPECT_EQ(error_of(kChoice, "alkeys-lru"),
            "\"alkeys-lru\" is not a choice; give one of \"allkeys-lru\", \"noeviction\"; did you "
            "mean \"allkeys-lru\"?");
  EXPECT_THAT(error_of(kChoice, "x"), Not(HasSubstr("did you mean")));
}

TEST(Value, ErrorsStayOnOneShortLineWhateverTheText) {
  const std::string hostile = "1\n2\x1b[31m\xff" + std::string(100'000, 'x');
  const std::vector<OptionType> types = {kCount,
                                         kAutoCount,
                                         kBytes,
                                         kDuration,
                                         kRatio,
                                         kChoice,
                                         BooleanType{},
                                         text_type(TextForm::kProse),
                                         text_type(TextForm::kHost)};
  for (const OptionType& type : types) {
    const std::string error = error_of(type, hostile);
    EXPECT_THAT(error, AllOf(Not(HasSubstr("\n")), Not(HasSubstr("\x1b")), Not(HasSubstr("\xff"))));
    EXPECT_LT(error.size(), 500U);
  }
}

TEST(Value, HoldsTextsToTheirForm) {
  struct Case {
    TextForm form;
    const char* text;
    bool good;
  };
  const std::vector<Case> cases = {
      {TextForm::kProse, "two\nlines", true},   {TextForm::kProse, "bell\a", false},
      {TextForm::kProse, "\xff", false},        {TextForm::kProse, "", false},
      {TextForm::kName, "first-run_2.b", true}, {TextForm::kName, "-x", false},
      {TextForm::kName, "../x", false},         {TextForm::kName, "a b", false},
      {TextForm::kWord, "us\xc3\xa9r", true},   {TextForm::kWord, "a b", false},
      {TextForm::kHost, "cache.example", true}, {TextForm::kHost, "::1", true},
      {TextForm::kHost, "fe80::1%eth0", true},  {TextForm::kHost, "[::1]", false},
      {TextForm::kHost, "localhost:1", false},  {TextForm::kHost, "redis://h", false},
      {TextForm::kHost, "a/b", false},          {TextForm::kPath, "a b/c", true},
      {TextForm::kPath, "~/x", false},          {TextForm::kPath, "a\nb", false},
      {TextForm::kVariable, "CACHE_PW1", true}, {TextForm::kVariable, "1X", false},
      {TextForm::kVariable, "A=B", false},      {TextForm::kProgram, "redis-server", true},
  };
  for (const Case& c : cases)
    EXPECT_EQ(read_value(text_type(c.form), c.text).has_value(), c.good) << c.text;
}

TEST(Value, SaysWhereAPortOrAUriBelongs) {
  EXPECT_THAT(error_of(text_type(TextForm::kHost), "cache:6379"), HasSubstr("target.port"));
  EXPECT_THAT(error_of(text_type(TextForm::kHost), "redis://cache"), HasSubstr("target.uri"));
}

TEST(Value, RefusesATextThatIsTooLong) {
  EXPECT_TRUE(read_value(text_type(TextForm::kProse), std::string(40, 'x')));
  EXPECT_EQ(error_of(text_type(TextForm::kProse), std::string(41, 'x')),
            "is 41 bytes long; give a text of at most 40 bytes");
}

}  // namespace
}  // namespace headroom::scenario
