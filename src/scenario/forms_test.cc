#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenario/value.h"

namespace headroom::scenario {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

const OptionType kForms = FormsType{{
    {.name = "", .parameters = {{"SIZE", {BytesType{1, 1U << 20U}}}}},
    {.name = "uniform"},
    {.name = "zipf", .parameters = {{"EXPONENT", {DecimalType{0, 10}}}}},
    {.name = "hot",
     .parameters = {{"SHARE", {DecimalType{0, 100, true}}},
                    {"EVERY", {DurationType{seconds{1}, hours{1}}}}},
     .optional = 1},
    {.name = "list",
     .parameters = {{"SIZE:WEIGHT", {BytesType{1, 1U << 20U}, CountType{1, 100}}}},
     .repeats = true},
    {.name = "file", .parameters = {{"PATH", {TextType{TextForm::kPath, 100}}}}},
}};

Call call_of(std::string_view text) {
  const auto value = read_value(kForms, text);
  EXPECT_TRUE(value) << text << ": " << (value ? "" : value.error().message);
  return value ? std::get<Call>(*value) : Call{};
}

std::string error_of(std::string_view text) {
  const auto value = read_value(kForms, text);
  return value ? "no error" : value.error().message;
}

TEST(Forms, ReadsWordsCallsAndBareScalars) {
  EXPECT_EQ(call_of("uniform"), (Call{"uniform", {}}));
  EXPECT_EQ(call_of("1KiB"), (Call{"", {{std::uint64_t{1024}}}}));
  EXPECT_EQ(call_of("zipf(0.99)"), (Call{"zipf", {{0.99}}}));
  EXPECT_EQ(call_of(" zipf ( 2 ) "), (Call{"zipf", {{2.0}}}));
  EXPECT_EQ(call_of("hot(90%)"), (Call{"hot", {{90.0}}}));
  EXPECT_EQ(call_of("hot(90%, 1m)"), (Call{"hot", {{90.0}, {Nanos{seconds{60}}}}}));
  EXPECT_EQ(
      call_of("list(100B:7,1KiB:3)"),
      (Call{"list",
            {{std::uint64_t{100}, std::uint64_t{7}}, {std::uint64_t{1024}, std::uint64_t{3}}}}));
  EXPECT_EQ(call_of("file(a:b.csv)"), (Call{"file", {{std::string("a:b.csv")}}}));
}

TEST(Forms, PrintsWhatReadsBackToTheSame) {
  for (const std::string_view text : {"uniform", "1KiB", "zipf(0.99)", "hot(12.5%)", "hot(90%, 1m)",
                                      "list(100B:7, 1KiB:3)", "file(some/where.csv)"}) {
    EXPECT_EQ(print_value(kForms, Value(call_of(text))), text);
  }
  EXPECT_EQ(print_toml(kForms, Value(call_of("zipf(1)"))), "\"zipf(1)\"");
}

TEST(Forms, SaysWhatIsWrongAndWhatWouldBeRight) {
  EXPECT_EQ(error_of("zipf"), "\"zipf\" has 0 arguments; write zipf(EXPONENT)");
  EXPECT_EQ(error_of("zipf(1, 2)"), "\"zipf(1, 2)\" has 2 arguments; write zipf(EXPONENT)");
  EXPECT_EQ(
      error_of("hot()"),
      "SHARE of hot(SHARE[, EVERY]): \"\" is no percentage; give a percentage from 0% to 100%");
  EXPECT_THAT(error_of("hot(90)"), HasSubstr("\"90\" is no percentage"));
  EXPECT_THAT(error_of("hot(101%)"), HasSubstr("is outside the range"));
  EXPECT_THAT(error_of("zipf(nan)"), HasSubstr("give a number from 0 to 10"));
  EXPECT_THAT(error_of("list(100B)"), HasSubstr("\"100B\" is no SIZE:WEIGHT"));
  EXPECT_THAT(error_of("list(100B:0)"), HasSubstr("0 is below the range; give a count from 1"));
  EXPECT_THAT(error_of("unifrom"), HasSubstr("did you mean \"uniform\"?"));
  EXPECT_THAT(error_of("zipff(1)"), HasSubstr("did you mean \"zipf\"?"));
  EXPECT_THAT(error_of("zipf(1"), HasSubstr("has no \")\" at its end"));
  EXPECT_THAT(error_of("(1)"), HasSubstr("no word before \"(\""));
  EXPECT_THAT(error_of("5"), HasSubstr("5 has no unit; write 5B"));
  EXPECT_THAT(error_of(""), HasSubstr("give a size from \"1B\" to \"1MiB\" or \"uniform\" or"));
}

TEST(Forms, OffersTheWordsThatStandAlone) {
  EXPECT_THAT(known_words(kForms), testing::ElementsAre("uniform"));
}

TEST(Decimal, IsANumberInItsRange) {
  const OptionType number = DecimalType{0.5, 2};
  EXPECT_EQ(read_value(number, "0.5"), Value(0.5));
  EXPECT_EQ(print_toml(number, Value(1.25)), "1.25");
  EXPECT_FALSE(read_value(number, "2.1"));
  EXPECT_FALSE(read_value(number, "1.0x"));
  EXPECT_FALSE(read_value(number, "50%"));
  const OptionType share = DecimalType{0, 100, true};
  EXPECT_EQ(read_value(share, "90%"), Value(90.0));
  EXPECT_EQ(print_toml(share, Value(90.0)), "\"90%\"");
}

}  // namespace
}  // namespace headroom::scenario
