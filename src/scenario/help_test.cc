#include "scenario/help.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/file.h"
#include "base/text.h"
#include "scenario/options.h"
#include "scenario/parse.h"
#include "tests/support/source_folder.h"

namespace headroom::scenario {
namespace {

using ::testing::HasSubstr;

TEST(Help, FitsIntoEightyColumns) {
  const std::string help = options_help();
  for (const std::string_view line : split(help, '\n')) {
    EXPECT_LE(line.size(), 80U) << line;
    EXPECT_FALSE(line.ends_with(' ')) << line;
  }
}

TEST(Help, ExplainsEveryOption) {
  const std::string help = options_help();
  const std::string markdown = options_markdown();
  for (const Option& option : option_table()) {
    if (!option.inherits.empty()) continue;  // explained where it is inherited from
    EXPECT_THAT(help, HasSubstr("\n  " + std::string(option.name) + " ")) << option.key();
    EXPECT_THAT(markdown, HasSubstr("\n| `" + std::string(option.name) + "` |")) << option.key();
  }
}

TEST(Help, StatesRangeUnitDefaultAndKind) {
  const std::string help = options_help();
  EXPECT_THAT(help, HasSubstr("A count from 1 to 10,000, per worker; default: 10\n"));
  EXPECT_THAT(help, HasSubstr("A count from 1 to 65,535; default: 6379 (endpoint only)\n"));
}

TEST(Help, TheManualIsMadeFromTheTable) {
  const std::string path = (testing::source_folder() / "docs" / "SCENARIO.md").string();
  if (std::getenv("HEADROOM_UPDATE_GOLDEN") != nullptr) {
    const Status written = write_file(path, options_markdown());
    ASSERT_TRUE(written) << written.error().message;
  }
  const auto text = read_file(path);
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_EQ(*text, options_markdown()) << "run HEADROOM_UPDATE_GOLDEN=1 scenario_test";
}

TEST(Help, TheManualsExampleParses) {
  const std::string markdown = options_markdown();
  const std::size_t begin = markdown.find("```toml\n") + 8;
  const std::string example = markdown.substr(begin, markdown.find("```", begin) - begin);
  const auto scenario = parse_scenario(example, "nine.toml");
  EXPECT_TRUE(scenario) << scenario.error().message;
}

TEST(Help, TheManualsErrorsAreThoseOfTheParser) {
  const std::string markdown = options_markdown();
  const std::string bad = "[load]\nworker = 9\n[timing]\nmeasure = 600\n";
  const auto scenario = parse_scenario(bad, "nine.toml");
  ASSERT_FALSE(scenario);
  for (const std::string_view line : split(scenario.error().message, '\n')) {
    const std::size_t words = line.find(": ");
    EXPECT_THAT(markdown, HasSubstr(std::string(line.substr(words)))) << line;
  }
}

}  // namespace
}  // namespace headroom::scenario
