// The command line: what it refuses and how, and what report, verify and export make of run files.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "store/run_reader.h"
#include "tests/e2e/harness.h"
#include "tests/support/scripted_server.h"

namespace headroom::e2e {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::string_view kDescription = "what-the-sealed-file-says";

class CommandLineTest : public Test {
 protected:
  Finished headroom(const std::vector<std::string>& arguments) {
    return run_headroom(arguments, options());
  }

  // A sealed run of two seconds against a scripted server.
  void make_run(const std::string& file) {
    auto server = scripted::ScriptedServer::start(scripted::Script());
    ASSERT_TRUE(server);
    const net::Address& address = (*server)->address();
    const std::string toml = scenario(fmt::format(
        "description = \"{}\"\n[target]\nkind = \"endpoint\"\nhost = \"{}\"\nport = {}\n"
        "[workload]\nkeys = 1000\n[timing]\nmeasure = \"2s\"\n",
        kDescription, address.host, address.port));
    const Finished finished = headroom({"run", toml, "-o", file, "--quiet"});
    ASSERT_EQ(finished.exit_code, 0) << finished.err;
  }
};

TEST_F(CommandLineTest, SaysItsVersionAndHelps) {
  const Finished version = headroom({"--version"});
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_THAT(version.out, StartsWith("headroom 0."));
  const Finished help = headroom({"run", "--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.out, AllOf(HasSubstr("--dry-run"), HasSubstr("maxmemory_policy")));
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const Finished completion = headroom({"completion", shell});
    EXPECT_EQ(completion.exit_code, 0) << shell << completion.err;
    EXPECT_THAT(completion.out, AllOf(HasSubstr("headroom"), HasSubstr("load.workers"))) << shell;
  }
}

TEST_F(CommandLineTest, RefusesWhatItDoesNotKnowInOneLine) {
  const std::string toml = scenario("[load]\nworkers = 2\n");
  struct Case {
    std::vector<std::string> arguments;
    std::string words;
  };
  const std::vector<Case> cases = {
      {{}, "subcommand"},
      {{"rnu", toml}, "run"},
      {{"run"}, "SCENARIO"},
      {{"run", toml, "--jsn"}, "--json"},
      {{"run", toml, "--set", "load.wrokers=3"}, "load.workers"},
      {{"run", toml, "--set", "load.workers=0"}, "load.workers"},
      {{"run", toml, "--set", "load.workers"}, "load.workers"},
      {{"run", path("none.toml")}, "none.toml"},
      {{"report", path("none.run")}, "none.run"},
      {{"verify", path("none.run")}, "none.run"},
      {{"completion", "tcsh"}, "tcsh"},
  };
  for (const Case& each : cases) {
    const Finished finished = headroom(each.arguments);
    SCOPED_TRACE(fmt::format("headroom {}", fmt::join(each.arguments, " ")));
    EXPECT_EQ(finished.exit_code, 2) << finished.err;
    EXPECT_THAT(error_lines(finished), ElementsAre(HasSubstr(each.words)));
    EXPECT_THAT(finished.out, IsEmpty());
  }
}

TEST_F(CommandLineTest, NamesTheLineOfABadScenario) {
  const std::string toml = scenario("[load]\nworkers = 2\nconections = 5\n");
  const Finished finished = headroom({"run", toml});
  EXPECT_EQ(finished.exit_code, 2);
  EXPECT_THAT(error_lines(finished),
              ElementsAre(AllOf(HasSubstr("test.toml:3"), HasSubstr("connections"))));
}

TEST_F(CommandLineTest, ADryRunPrintsTheResolvedScenarioAndContactsNothing) {
  auto server = scripted::ScriptedServer::start(scripted::Script());
  ASSERT_TRUE(server);
  const Finished finished = headroom({"run", endpoint_scenario((*server)->address()), "--dry-run",
                                      "--set", "load.workers=7", "-o", path("dry.run")});
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("workers = 7"));
  EXPECT_FALSE(fs::exists(path("dry.run")));
  EXPECT_EQ((*server)->observed().connections, 0U);
  // What it prints is a scenario.
  const Finished again = headroom({"run", scenario(finished.out), "--dry-run"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
}

TEST_F(CommandLineTest, ShipsScenariosThatItTakes) {
  int shipped = 0;
  for (const auto& entry : fs::directory_iterator(scenario_dir())) {
    if (entry.path().extension() != ".toml") continue;
    ++shipped;
    const Finished finished = headroom({"run", entry.path(), "--dry-run"});
    EXPECT_EQ(finished.exit_code, 0) << entry.path() << finished.err;
  }
  EXPECT_GT(shipped, 0);
}

TEST_F(CommandLineTest, NeverOverwritesARunFile) {
  auto server = scripted::ScriptedServer::start(scripted::Script());
  ASSERT_TRUE(server);
  const std::string file = path("precious.run");
  ASSERT_TRUE(write_file(file, "precious"));
  const Finished finished = headroom({"run", endpoint_scenario((*server)->address()), "-o", file});
  EXPECT_NE(finished.exit_code, 0);
  EXPECT_THAT(error_lines(finished), ElementsAre(HasSubstr("precious.run")));
  EXPECT_EQ(read_file(file).value(), "precious");
}

TEST_F(CommandLineTest, ReportsVerifiesAndExportsASealedRun) {
  const std::string file = path("good.run");
  make_run(file);
  if (HasFatalFailure()) return;
  const Finished verify = headroom({"verify", file});
  EXPECT_EQ(verify.exit_code, 0) << verify.err;
  EXPECT_THAT(verify.out, HasSubstr("sealed"));

  const Finished report = headroom({"report", file});
  EXPECT_EQ(report.exit_code, 0) << report.err;
  EXPECT_THAT(report.out, AllOf(HasSubstr("p99"), HasSubstr("GET"), Not(HasSubstr("\x1b["))));

  const Finished json = headroom({"report", file, "--json"});
  EXPECT_EQ(json.exit_code, 0) << json.err;
  const nlohmann::json document = nlohmann::json::parse(json.out, nullptr, false);
  EXPECT_TRUE(document.is_object()) << json.out;

  const Finished csv = headroom({"export", file, "--format", "csv"});
  EXPECT_EQ(csv.exit_code, 0) << csv.err;
  const std::vector<std::string_view> rows = split(trim(csv.out), '\n');
  ASSERT_GE(rows.size(), 1U + 2U);  // a header, and the seconds of measure
  for (const std::string_view row : rows) {
    EXPECT_EQ(std::ranges::count(row, ','), std::ranges::count(rows[0], ',')) << row;
  }
  const std::string target = path("series.json");
  const Finished series = headroom({"export", file, "--format", "json", "-o", target});
  EXPECT_EQ(series.exit_code, 0) << series.err;
  EXPECT_FALSE(
      nlohmann::json::parse(read_file(target).value_or(""), nullptr, false).is_discarded());
}

TEST_F(CommandLineTest, TellsASealedFileThatWasChanged) {
  const std::string file = path("changed.run");
  make_run(file);
  if (HasFatalFailure()) return;
  std::string bytes = read_file(file).value();
  const std::size_t at = bytes.find(kDescription);
  ASSERT_NE(at, std::string::npos);
  bytes.replace(at, 4, "WHAT");
  fs::remove(file);
  ASSERT_TRUE(write_file(file, bytes));

  const Finished verify = headroom({"verify", file});
  EXPECT_EQ(verify.exit_code, 5) << verify.out << verify.err;
  EXPECT_THAT(verify.out + verify.err, HasSubstr("changed"));
}

TEST_F(CommandLineTest, RefusesFilesThatAreNoRuns) {
  const std::string whole = path("whole.run");
  make_run(whole);
  if (HasFatalFailure()) return;
  const std::string bytes = read_file(whole).value();
  const std::vector<std::pair<std::string, std::string>> files = {
      {"empty.run", ""},
      {"text.run", "a run, honestly\n"},
      {"cut.run", bytes.substr(0, bytes.size() / 2)},
  };
  for (const auto& [name, content] : files) {
    ASSERT_TRUE(write_file(path(name), content));
    for (const char* command : {"report", "verify", "export"}) {
      std::vector<std::string> arguments = {command, path(name)};
      if (std::string_view(command) == "export")
        arguments.insert(arguments.end(), {"--format", "csv"});
      const Finished finished = headroom(arguments);
      SCOPED_TRACE(fmt::format("headroom {}", fmt::join(arguments, " ")));
      EXPECT_NE(finished.exit_code, 0);
      EXPECT_NE(finished.exit_code, 70);
      EXPECT_TRUE(finished.exit_code) << "a signal ended it";
      EXPECT_THAT(error_lines(finished), ElementsAre(HasSubstr(name)));
    }
  }
}

}  // namespace
}  // namespace headroom::e2e
