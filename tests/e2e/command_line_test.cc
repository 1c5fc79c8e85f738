// The command line: what it refuses and how, and what report, verify and export make of run files.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "scripted/scripted_server.h"
#include "store/run_reader.h"
#include "tests/e2e/harness.h"

namespace headroom::e2e {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

constexpr std::string_view kDescription = "what-the-sealed-file-says";

class CommandLineTest : public Test {
 protected:
  Finished headroom(const std::vector<std::string>& arguments) {
    return run_headroom(arguments, options());
  }

  // The lines that a bash script writes to stdout and stderr, in the test's directory, where
  // $headroom is the binary.
  std::vector<std::string> bash(const std::string& script) {
    auto shell = Subprocess::start({.argv = {"bash", "--norc", "-c", script},
                                    .working_directory = path(""),
                                    .output = path("bash-output"),
                                    .environment = {"headroom=" HEADROOM_BINARY}});
    if (!shell || !shell->wait(60s)) {
      ADD_FAILURE() << (shell ? "bash hangs" : shell.error().message);
      return {};
    }
    const std::string output = read_file(path("bash-output")).value_or("");
    std::vector<std::string> lines;
    for (const std::string_view line : split(output, '\n'))
      if (!line.empty()) lines.emplace_back(line);
    return lines;
  }

  // A run of two seconds.
  std::string short_scenario(const net::Address& address) {
    return scenario(fmt::format(
        "description = \"{}\"\n[target]\nkind = \"endpoint\"\nhost = \"{}\"\nport = {}\n"
        "[workload]\nkeys = 1000\n[timing]\nmeasure = \"2s\"\n",
        kDescription, address.host, address.port));
  }

  // A sealed run against a scripted server.
  void make_run(const std::string& file) {
    auto server = scripted::ScriptedServer::start(scripted::Script());
    ASSERT_TRUE(server);
    const Finished finished =
        headroom({"run", short_scenario((*server)->address()), "-o", file, "--quiet"});
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

TEST_F(CommandLineTest, HelpIsASubcommandToo) {
  EXPECT_EQ(headroom({"help"}).out, headroom({"--help"}).out);
  for (const char* name : {"run", "bench", "report", "compare", "import", "verify", "export",
                           "check", "node", "completion", "help"}) {
    const Finished asked = headroom({"help", name});
    EXPECT_EQ(asked.exit_code, 0) << name << asked.err;
    EXPECT_EQ(asked.out, headroom({name, "--help"}).out) << name;
  }
}

TEST_F(CommandLineTest, WithoutASubcommandItHelpsAndFails) {
  const Finished finished = headroom({});
  EXPECT_EQ(finished.exit_code, 2);
  EXPECT_THAT(finished.out, IsEmpty());
  EXPECT_THAT(finished.err, StartsWith(headroom({"--help"}).out));
  EXPECT_THAT(error_lines(finished), ElementsAre(HasSubstr("a subcommand is required")));
}

TEST_F(CommandLineTest, RefusesWhatItDoesNotKnowInOneLine) {
  const std::string toml = scenario("[load]\nworkers = 2\n");
  struct Case {
    std::vector<std::string> arguments;
    std::string words;
  };
  const std::vector<Case> cases = {
      {{"rnu", toml}, "run"},
      {{"run"}, "SCENARIO"},
      {{"run", toml, "--jsn"}, "--json"},
      {{"run", toml, "--set", "load.wrokers=3"}, "load.workers"},
      {{"run", toml, "--set", "load.workers=0"}, "load.workers"},
      {{"run", toml, "--set", "load.workers"}, "load.workers"},
      {{"run", path("none.toml")}, "none.toml"},
      {{"report", path("none.run")}, "none.run"},
      {{"verify", path("none.run")}, "none.run"},
      {{"help", "rnu"}, "rnu is unknown; give run, bench, report,"},
      {{"completion", "tcsh"}, "tcsh is unknown; give bash, zsh or fish"},
      {{"export", path("none.run"), "--format", "xml"}, "xml is unknown; give csv or json"},
  };
  for (const Case& each : cases) {
    const Finished finished = headroom(each.arguments);
    SCOPED_TRACE(fmt::format("headroom {}", fmt::join(each.arguments, " ")));
    EXPECT_EQ(finished.exit_code, 2) << finished.err;
    EXPECT_THAT(error_lines(finished), ElementsAre(HasSubstr(each.words)));
    EXPECT_THAT(finished.out, IsEmpty());
  }
}

TEST_F(CommandLineTest, SaysWhichScenarioMayHaveBeenMeant) {
  ASSERT_TRUE(fs::create_directory(path("scenarios")));
  ASSERT_TRUE(write_file(path("scenarios") / "first-run.toml", ""));
  ASSERT_TRUE(write_file(path("mine.toml"), ""));
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"first-run", "scenarios/first-run.toml"},
      {"first-rnu.toml", "scenarios/first-run.toml"},
      {"scenario/first-run.toml", "scenarios/first-run.toml"},
      {"mien.toml", "mine.toml"},
  };
  for (const auto& [typed, meant] : cases) {
    const Finished finished = headroom({"run", typed});
    EXPECT_EQ(finished.exit_code, 2) << typed;
    EXPECT_THAT(error_lines(finished),
                ElementsAre(EndsWith(fmt::format("did you mean {}?", meant))))
        << typed;
  }
  EXPECT_THAT(error_lines(headroom({"run", "something-else"})),
              ElementsAre(Not(HasSubstr("did you mean"))));
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

TEST_F(CommandLineTest, ADryRunFailsWhereARunWouldNotBegin) {
  const std::vector<std::pair<std::vector<std::string>, int>> cases = {
      {{"target.engine_path=/no/such/server"}, 3},
      {{"target.kind=endpoint", "target.host=127.0.0.1", "target.port=1",
        "target.password_file=/no/such/secret"},
       2},
  };
  for (const auto& [settings, exit_code] : cases) {
    std::vector<std::string> arguments = {"run", scenario("")};
    for (const std::string& setting : settings)
      arguments.insert(arguments.end(), {"--set", setting});
    const Finished real = headroom(arguments);
    arguments.push_back("--dry-run");
    const Finished dry = headroom(arguments);
    EXPECT_EQ(dry.exit_code, exit_code) << dry.err;
    EXPECT_EQ(real.exit_code, exit_code) << real.err;
    EXPECT_THAT(dry.out, IsEmpty());
    EXPECT_THAT(error_lines(dry), ElementsAre(HasSubstr("/no/such/")));
    EXPECT_EQ(error_lines(dry), error_lines(real));
  }
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

TEST_F(CommandLineTest, TakesARunFileForNoScenario) {
  const std::string file = path("good.run");
  make_run(file);
  if (HasFatalFailure()) return;
  const Finished finished = headroom({"run", file});
  EXPECT_EQ(finished.exit_code, 2);
  EXPECT_THAT(error_lines(finished),
              ElementsAre(AllOf(HasSubstr("is a run file"),
                                HasSubstr(fmt::format("headroom report {} shows it", file)))));
}

// Descriptor 3 becomes a pipe that nobody reads.
constexpr std::string_view kClosedPipe = "mkfifo pipe && exec 4<>pipe 3>pipe 4>&-\n";

TEST_F(CommandLineTest, IsSilentWhenItsReaderWentAway) {
  make_run(path("good.run"));
  if (HasFatalFailure()) return;
  EXPECT_THAT(bash(fmt::format(R"({}
for words in 'report good.run' 'report --json good.run' 'export good.run' 'verify good.run' \
             'completion bash' help 'help run' --help --version; do
  $headroom $words >&3 || echo $?
done)",
                               kClosedPipe)),
              ElementsAre("141", "141", "141", "141", "141", "141", "141", "141", "141"));
}

TEST_F(CommandLineTest, TellsWhenItsOutputCannotBeWritten) {
  for (const char* words : {"completion bash", "help", "--version"}) {
    EXPECT_THAT(
        bash(fmt::format("$headroom {} >/dev/full; echo $?", words)),
        ElementsAre("headroom: cannot write to standard output: No space left on device", "4"))
        << words;
  }
}

TEST_F(CommandLineTest, ARunOutlivesTheReaderOfItsProgress) {
  auto server = scripted::ScriptedServer::start(scripted::Script());
  ASSERT_TRUE(server);
  const std::string toml = short_scenario((*server)->address());
  EXPECT_THAT(bash(fmt::format("{}$headroom run {} -o new/folder/whole.run >report 2>&3; echo $?\n"
                               "$headroom verify new/folder/whole.run",
                               kClosedPipe, toml)),
              ElementsAre("0", HasSubstr("sealed and unchanged")));
}

TEST_F(CommandLineTest, CompletesInBash) {
  ASSERT_TRUE(write_file(path("mine.toml"), ""));
  ASSERT_TRUE(write_file(path("mine.run"), ""));
  // For the words of a command line, of which the last is being typed.
  const auto offered = [this](std::string_view words) {
    return bash(
        fmt::format("compopt() {{ :; }}; source <($headroom completion bash)\n"
                    "COMP_WORDS=(headroom {}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))\n"
                    "_headroom; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
                    words));
  };
  EXPECT_THAT(offered("''"),
              ElementsAre("run", "bench", "report", "serve", "verify", "compare", "import",
                          "export", "check", "node", "completion", "help"));
  for (const char* flag : {"--dry-run", "--json", "--quiet", "--set load.workers = 3", "-o x"})
    EXPECT_THAT(offered(fmt::format("run {} mi", flag)), ElementsAre("mine.toml")) << flag;
  EXPECT_THAT(offered("run --set load.wo"), ElementsAre("load.workers="));
  EXPECT_THAT(offered("run --set target.kind = ''"), ElementsAre("local", "endpoint"));
  EXPECT_THAT(offered("run -o mi"), UnorderedElementsAre("mine.toml", "mine.run"));
  EXPECT_THAT(offered("run --dr"), ElementsAre("--dry-run"));
  EXPECT_THAT(offered("report --json mi"), ElementsAre("mine.run"));
  EXPECT_THAT(offered("verify mi"), ElementsAre("mine.run"));
  EXPECT_THAT(offered("export --format ''"), ElementsAre("csv", "json"));
  EXPECT_THAT(offered("export --format csv mi"), ElementsAre("mine.run"));
  EXPECT_THAT(offered("completion ''"), ElementsAre("bash", "zsh", "fish"));
  EXPECT_THAT(offered("help ex"), ElementsAre("export"));
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
