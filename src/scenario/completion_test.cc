#include "scenario/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "scenario/options.h"

namespace headroom::scenario {
namespace {

using std::chrono::seconds;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;
using Argument = CommandFlag::Argument;

std::vector<Command> commands() {
  return {{"run",
           "Runs a scenario: all of it",
           {{{"--set"}, "Overrides an option [of many]", Argument::kSetting},
            {{"--output", "-o"}, "Where the user's run file goes", Argument::kFile},
            {{"--title"}, "A text", Argument::kText},
            {{"--dry-run"}, "Says what would be done"}},
           "toml"},
          {"export",
           "Exports the series",
           {{{"--format"}, "The format", Argument::kWord, {"csv", "json"}}},
           "run"},
          {"completion", "Prints the script", {}, {}, {"bash", "fish"}}};
}

// What bash offers for these words, of which the last is being typed.
class BashCompletion : public testing::Test {
 protected:
  void SetUp() override {
    if (!find_executable("bash")) GTEST_SKIP() << "there is no bash";
    auto created = TempDir::create("completion-test");
    ASSERT_TRUE(created);
    directory_.emplace(std::move(*created));
    ASSERT_TRUE(write_file(directory_->path() / "a.toml", ""));
    ASSERT_TRUE(write_file(directory_->path() / "b.run", ""));
    ASSERT_TRUE(write_file(directory_->path() / "script",
                           completion_script(Shell::kBash, "headroom", commands())));
  }

  std::vector<std::string> offered(const std::vector<std::string>& words) {
    std::string quoted;
    for (const std::string& word : words) quoted += fmt::format(" '{}'", word);
    const std::string program = fmt::format(
        "set -u; compopt() {{ :; }}; source ./script\nCOMP_WORDS=(headroom{})\nCOMP_CWORD={}\n"
        "_headroom; printf '%s\\n' \"${{COMPREPLY[@]}}\"\n",
        quoted, words.size());
    auto bash = Subprocess::start({.argv = {"bash", "--norc", "-c", program},
                                   .working_directory = directory_->path(),
                                   .output = directory_->path() / "output",
                                   .environment = {}});
    EXPECT_TRUE(bash);
    EXPECT_TRUE(bash->wait(seconds{20}).has_value());
    const std::string output = read_file(directory_->path() / "output").value();
    std::vector<std::string> result;
    for (const std::string_view line : split(output, '\n'))
      if (!line.empty()) result.emplace_back(line);
    return result;
  }

 private:
  std::optional<TempDir> directory_;
};

TEST_F(BashCompletion, OffersSubcommands) {
  EXPECT_THAT(offered({""}), ElementsAre("run", "export", "completion"));
  EXPECT_THAT(offered({"ex"}), ElementsAre("export"));
}

TEST_F(BashCompletion, OffersFlagsOfTheSubcommand) {
  EXPECT_THAT(offered({"run", "-"}),
              ElementsAre("--set", "--output", "-o", "--title", "--dry-run"));
  EXPECT_THAT(offered({"export", "--"}), ElementsAre("--format"));
}

TEST_F(BashCompletion, OffersEveryScenarioOptionAfterSet) {
  std::vector<std::string> keys;
  for (const Option& option : option_table()) keys.push_back(option.key() + "=");
  EXPECT_EQ(offered({"run", "--set", ""}), keys);
  EXPECT_THAT(offered({"run", "--set", "load.w"}), ElementsAre("load.workers="));
  EXPECT_THAT(offered({"run", "--set", "=", "load.w"}), ElementsAre("load.workers="));
}

TEST_F(BashCompletion, OffersTheChoicesOfAnOption) {
  EXPECT_THAT(offered({"run", "--set", "target.kind", "="}), ElementsAre("local", "endpoint"));
  EXPECT_THAT(offered({"run", "--set", "target.kind", "=", "e"}), ElementsAre("endpoint"));
  EXPECT_THAT(offered({"run", "--set", "workload.prefill", "="}), ElementsAre("true", "false"));
  EXPECT_THAT(offered({"run", "--set", "timing.measure", "="}), ElementsAre());
}

TEST_F(BashCompletion, OffersWordsAndFilesWhereTheyFit) {
  EXPECT_THAT(offered({"export", "--format", ""}), ElementsAre("csv", "json"));
  EXPECT_THAT(offered({"run", "a"}), ElementsAre("a.toml"));
  EXPECT_THAT(offered({"export", ""}), ElementsAre("b.run"));
  EXPECT_THAT(offered({"run", "-o", ""}), IsSupersetOf({"a.toml", "b.run"}));
  EXPECT_THAT(offered({"run", "--title", ""}), ElementsAre());
  EXPECT_THAT(offered({"completion", ""}), ElementsAre("bash", "fish"));
  EXPECT_THAT(offered({"run", "--dry-run", "a"}), ElementsAre("a.toml")) << "a flag takes nothing";
}

TEST(Completion, KnowsItsShellsByName) {
  EXPECT_THAT(shell_names(), ElementsAre("bash", "zsh", "fish"));
  for (const std::string& name : shell_names()) EXPECT_TRUE(shell_by_name(name)) << name;
  EXPECT_EQ(shell_by_name("bash"), Shell::kBash);
  EXPECT_EQ(shell_by_name("zsh"), Shell::kZsh);
  EXPECT_EQ(shell_by_name("fish"), Shell::kFish);
  EXPECT_EQ(shell_by_name("sh"), std::nullopt);
}

TEST(Completion, NamesEveryOptionInEveryShell) {
  for (const Shell shell : {Shell::kBash, Shell::kZsh, Shell::kFish}) {
    const std::string script = completion_script(shell, "headroom", commands());
    for (const Option& option : option_table()) EXPECT_THAT(script, HasSubstr(option.key()));
    EXPECT_THAT(script, AllOf(HasSubstr("volatile-ttl"), HasSubstr("toml"), HasSubstr("csv")));
  }
}

TEST(Completion, EscapesHelpTextsForTheirShell) {
  EXPECT_THAT(completion_script(Shell::kZsh, "headroom", commands()),
              AllOf(HasSubstr(R"('run:Runs a scenario\: all of it')"),
                    HasSubstr(R"([Overrides an option \[of many\]])"),
                    HasSubstr(R"(the user'\''s run file)")));
  EXPECT_THAT(completion_script(Shell::kFish, "headroom", commands()),
              HasSubstr(R"('Where the user\'s run file goes')"));
}

}  // namespace
}  // namespace headroom::scenario
