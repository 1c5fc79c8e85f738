// `headroom bench`: other programs' command lines against real engines.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "tests/e2e/harness.h"
#include "tests/support/bench_lines.h"

namespace headroom::e2e {
namespace {

using namespace std::chrono_literals;
using ::headroom::testing::BenchLine;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

class BenchTest : public EngineTest {
 protected:
  void SetUp() override {
    EngineTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    start({});
  }
  void start(std::vector<std::string> arguments) {
    auto started = Engine::start(engine(), std::move(arguments));
    ASSERT_TRUE(started) << started.error().message;
    server_.emplace(*std::move(started));
    port_ = std::to_string(server_->address().port);
  }

  // `words` with the engine's address for HOST and PORT.
  [[nodiscard]] Finished bench(std::vector<std::string> words) const {
    words.insert(words.begin(), "bench");
    for (std::string& word : words) {
      if (word == "HOST") word = "127.0.0.1";
      if (word == "PORT") word = port_;
    }
    return run_headroom(words, options());
  }
  [[nodiscard]] std::vector<std::filesystem::path> run_files() const {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(path("runs")))
      files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
  }
  [[nodiscard]] std::string content(const std::string& name) const {
    return headroom::testing::read_whole(path(name));
  }

  std::optional<Engine> server_;
  std::string port_;
};
HEADROOM_FOR_EACH_ENGINE(BenchTest);

// As they stand but for the address, and for the time that they may take.
TEST_P(BenchTest, PublishedLinesRunAsTheyStand) {
  std::map<std::string, int> ran;
  int count = 0;
  for (const BenchLine& line : headroom::testing::bench_lines()) {
    if (line.outcome != "runs") continue;
    SCOPED_TRACE(line.source);
    std::vector<std::string> words = line.words;
    const std::string file = path(fmt::format("line-{}.run", count++));
    words.insert(words.begin() + 1,
                 {"--set", "target.host=127.0.0.1", "--set", "target.port=" + port_, "--set",
                  "timing.measure=1s", "--run-file", file});
    const Finished ended = bench(words);
    ASSERT_EQ(ended.exit_code, 0) << ended.err;
    const record::Run run = read(file);
    EXPECT_EQ(run.end, record::RunEnd::kComplete);
    std::uint64_t completed = 0;
    for (const std::string& operation : run.header.operations)
      completed += total(run, operation).completed();
    EXPECT_GT(completed, 0U);
    ++ran[words.front().find("memtier") != std::string::npos ? "memtier" : "valkey"];
  }
  EXPECT_GE(ran["memtier"], 8);
  EXPECT_GE(ran["valkey"], 8);
}

TEST_P(BenchTest, AMemtierLineSendsWhatItSaysAndWritesItsFiles) {
  const Finished ended = bench({"memtier_benchmark", "-s", "HOST", "-p", "PORT", "-t", "2", "-c",
                                "3", "-n", "500", "--ratio=1:1", "--key-maximum=99",
                                "--json-out-file=o.json", "--hdr-file-prefix=h", "-o", "page.txt"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(ended.out, "");
  EXPECT_THAT(ended.err, HasSubstr("reading   memtier_benchmark (by its name)"));
  EXPECT_THAT(content("page.txt"), AllOf(HasSubstr("VERDICT"), HasSubstr("complete; sealed")));

  EXPECT_EQ(server_->calls("set") + server_->calls("get"), 3'000U);
  ASSERT_THAT(run_files(), SizeIs(1));
  const record::Run run = read(run_files().front());
  EXPECT_EQ(total(run, "SET").sent + total(run, "GET").sent, 3'000U);
  const record::PhaseSpan* measure = run.phase(record::Phase::kMeasure);
  ASSERT_NE(measure, nullptr);
  EXPECT_LT(*measure->end - measure->begin, 60s) << "the day that it may take is not the window";

  const auto json = nlohmann::json::parse(content("o.json"))["ALL STATS"];
  EXPECT_EQ(json["Sets"]["Count"].get<std::uint64_t>(), server_->calls("set"));
  EXPECT_EQ(json["Totals"]["Count"], 3'000);
  const double seconds = json["Runtime"]["Total duration"].get<double>() / 1000;
  EXPECT_NEAR(json["Totals"]["Ops/sec"].get<double>() * seconds, 3'000,
              3'000 * 0.0005 / seconds + 1);
  EXPECT_THAT(content("h_SET_command_run_1.txt"), HasSubstr("1/(1-Percentile)"));
  EXPECT_THAT(content("h_FULL_RUN_1.hgrm"), HasSubstr("HISTFAAA"));
}

TEST_P(BenchTest, AValkeyBenchmarkLinePrintsARowPerTest) {
  const Finished ended = bench({"redis-benchmark", "-h", "HOST", "-p", "PORT", "-n", "1000", "-r",
                                "50", "-P", "4", "-t", "get,set", "--csv"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const auto lines = split(ended.out, '\n');
  ASSERT_EQ(lines.size(), 4U) << ended.out;
  EXPECT_THAT(std::string(lines[0]), StartsWith("\"test\",\"rps\",\"avg_latency_ms\""));
  const std::string row = "\",\"[0-9]+\\.[0-9][0-9]\"(,\"[0-9]+\\.[0-9][0-9][0-9]\"){6}";
  EXPECT_THAT(std::string(lines[1]), ContainsRegex("^\"SET" + row + "$"));
  EXPECT_THAT(std::string(lines[2]), ContainsRegex("^\"GET" + row + "$"));
  EXPECT_EQ(server_->calls("set"), 1'000U);
  EXPECT_EQ(server_->calls("get"), 1'000U);
  ASSERT_THAT(run_files(), SizeIs(2));
  // SET came first, so that GET finds its keys.
  EXPECT_GT(total(read(run_files().front()), "GET").of(record::Outcome::kHit), 900U);
}

TEST_P(BenchTest, QuietIsOneLine) {
  const Finished ended =
      bench({"valkey-benchmark", "-p", "PORT", "-n", "500", "-q", "GET", "key:__rand_int__"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_THAT(ended.out, ContainsRegex("^GET key:__rand_int__: [0-9]+\\.[0-9][0-9] "
                                       "requests per second, p50=[0-9.]+ msec\n$"));
}

TEST_P(BenchTest, APasswordOpensTheCacheAndIsNotKept) {
  start({"--requirepass", "hunter2-and-more"});
  const Finished ended = bench({"memtier", "-s", "HOST", "-p", "PORT", "-a", "hunter2-and-more",
                                "-t", "1", "-c", "2", "-n", "50", "--run-file", "x.run"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_THAT(content("x.run"), Not(HasSubstr("hunter2")));
  EXPECT_THAT(ended.out + ended.err, Not(HasSubstr("hunter2")));
  EXPECT_THAT(ended.err, HasSubstr("a password on a command line can be read by everyone"));
  EXPECT_THAT(read(path("x.run")).header.command_line, HasSubstr("-a '***'"));
  const Finished wrong = bench({"memtier", "-s", "HOST", "-p", "PORT", "-a", "wrong", "-n", "50"});
  EXPECT_EQ(wrong.exit_code, 3);
}

TEST_P(BenchTest, TheExplainedScenarioIsTheOneThatRuns) {
  const Finished explained =
      bench({"memtier", "-s", "HOST", "-p", "PORT", "-t", "1", "-c", "2", "-n", "50", "--explain"});
  ASSERT_EQ(explained.exit_code, 0) << explained.err;
  EXPECT_EQ(server_->calls("set") + server_->calls("get"), 0U);
  const Finished ran =
      run_headroom({"run", scenario(explained.out), "-o", path("y.run")}, options());
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(server_->calls("set") + server_->calls("get"), 100U);
}

TEST_P(BenchTest, RepeatedRunsHaveAFileEach) {
  const Finished ended = bench({"memtier", "-s", "HOST", "-p", "PORT", "-t", "1", "-c", "2", "-n",
                                "50", "-x", "2", "--run-file", "z.run", "--json-out-file=o.json"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_TRUE(std::filesystem::exists(path("z.run")));
  EXPECT_TRUE(std::filesystem::exists(path("z-2.run")));
  EXPECT_TRUE(nlohmann::json::parse(content("o.json")).contains("BEST RUN RESULTS"));
}

TEST_P(BenchTest, WhatIsRefusedIsRefusedBeforeAnythingIsContacted) {
  const Finished ended = bench({"memtier", "-p", "PORT", "--debug", "--ratio=1:x"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(error_lines(ended), SizeIs(2)) << ended.err;
  EXPECT_FALSE(std::filesystem::exists(path("runs")));
  EXPECT_EQ(bench({}).exit_code, 2);
  const Finished help = bench({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.out, HasSubstr("--key-maximum"));
}

}  // namespace
}  // namespace headroom::e2e
