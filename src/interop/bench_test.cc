#include "interop/bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "scenario/print.h"
#include "tests/support/bench_lines.h"

namespace headroom::interop {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::uint64_t kFreshSeed = 0x8000'0000'0000'002a;

Result<BenchPlan> read(const std::string& line) {
  return read_bench(headroom::testing::shell_words(line), kFreshSeed);
}
BenchPlan plan_of(const std::string& line) {
  auto plan = read(line);
  EXPECT_TRUE(plan) << line << ": " << plan.error().message;
  return plan ? *plan : BenchPlan{};
}
std::string error_of(const std::string& line) {
  const auto plan = read(line);
  EXPECT_FALSE(plan) << line;
  return plan ? "" : plan.error().message;
}
scenario::Scenario scenario_of(const std::string& line) {
  const BenchPlan plan = plan_of(line);
  EXPECT_EQ(plan.runs.size(), 1U);
  return plan.runs.empty() ? scenario::Scenario{} : plan.runs.front().scenario;
}

TEST(Bench, TakesTheProgramsNameForWhatItSays) {
  for (const char* name : {"memtier", "memtier_benchmark", "./memtier_benchmark"})
    EXPECT_EQ(plan_of(std::string(name) + " -p 7000").dialect, Dialect::kMemtier) << name;
  for (const char* name : {"valkey-benchmark", "redis-benchmark", "./src/valkey-benchmark"})
    EXPECT_EQ(plan_of(std::string(name) + " -p 7000 -t set").dialect, Dialect::kValkey) << name;
}

TEST(Bench, TellsTheProgramByFlagsThatOnlyOneHas) {
  EXPECT_EQ(plan_of("-p 7000 --ratio=1:2").reading, "memtier_benchmark (by --ratio=1:2)");
  EXPECT_EQ(plan_of("-p 7000 -t get --csv").reading, "valkey-benchmark (by -t)");
  EXPECT_EQ(plan_of("-h ::1 -r 10 -t get").dialect, Dialect::kValkey);
}

TEST(Bench, TellsTheProgramByTheArgumentsOfFlagsThatBothHave) {
  EXPECT_EQ(plan_of("-t 4 -c 2").dialect, Dialect::kMemtier);
  EXPECT_EQ(plan_of("-t set -c 2").dialect, Dialect::kValkey);
  EXPECT_EQ(plan_of("-P resp2 -c 2").dialect, Dialect::kMemtier);
  EXPECT_EQ(plan_of("-P 16 GET key:__rand_int__").dialect, Dialect::kValkey);
  EXPECT_EQ(plan_of("-c 2 GET key:__rand_int__").reading,
            "valkey-benchmark (by the command behind the flags)");
}

TEST(Bench, RefusesToGuess) {
  EXPECT_THAT(error_of("-p 6379 -c 50 -n 1000"), HasSubstr("mean different things"));
  EXPECT_THAT(error_of("--ratio=1:1 --csv"),
              StartsWith("--ratio=1:1 is memtier_benchmark's and --csv is valkey-benchmark's"));
}

TEST(Bench, TakesMemtiersDefaults) {
  const scenario::Scenario s = scenario_of("memtier");
  EXPECT_EQ(s.target.kind, scenario::TargetKind::kEndpoint);
  EXPECT_EQ(s.target.host, "localhost");
  EXPECT_EQ(s.target.port, 6379);
  EXPECT_TRUE(s.target.allow_existing_data);
  EXPECT_EQ(s.load.workers, 4U);
  EXPECT_EQ(s.load.connections, 50U);
  EXPECT_EQ(s.load.pipeline, 1U);
  EXPECT_EQ(s.load.requests, 10'000U * 4 * 50);
  EXPECT_EQ(s.workload.keys, 10'000'001U);
  EXPECT_THAT(scenario::print_scenario(s), HasSubstr("value_size = \"32B\""));
  EXPECT_THAT(scenario::print_scenario(s), HasSubstr("ratio = \"1:10\""));
}

TEST(Bench, CountsMemtiersRequestsPerClient) {
  EXPECT_EQ(scenario_of("memtier -t 2 -c 3 -n 10").load.requests, 60U);
  EXPECT_EQ(scenario_of("memtier -t 2 -c 3 -n allkeys --key-maximum=99").load.requests, 594U);
  const scenario::Scenario timed = scenario_of("memtier --test-time=7");
  EXPECT_FALSE(timed.load.requests);
  EXPECT_EQ(timed.timing.measure, std::chrono::seconds{7});
  EXPECT_THAT(error_of("memtier --test-time=7 -n 10"),
              HasSubstr("-n 10: --test-time is given too; leave one of them out"));
  EXPECT_THAT(error_of("memtier -n 1125899906842624 -c 50 -t 4"), HasSubstr("too many"));
}

TEST(Bench, ReadsMemtiersFlagsInEveryFormOfGetopt) {
  for (const char* line :
       {"memtier -t 3 --pipeline 8 --ratio=2:3", "memtier -t3 --pipe=8 --ratio 2:3",
        "memtier -Rt3 --pipeline=8 --ratio=2:3"}) {
    const scenario::Scenario s = scenario_of(line);
    EXPECT_EQ(s.load.workers, 3U) << line;
    EXPECT_EQ(s.load.pipeline, 8U) << line;
    EXPECT_EQ(s.workload.set_weight, 2U) << line;
    EXPECT_EQ(s.workload.get_weight, 3U) << line;
  }
  EXPECT_THAT(error_of("memtier --key=1"), HasSubstr("tls_key"));  // whole names win
  EXPECT_THAT(error_of("memtier --key-m 1"),
              HasSubstr("may be any of --key-minimum, --key-maximum, --key-median"));
  EXPECT_THAT(error_of("memtier --pipline=4"), HasSubstr("did you mean --pipeline?"));
  EXPECT_THAT(error_of("memtier -t"), HasSubstr("-t: needs an argument, NUMBER"));
  EXPECT_THAT(error_of("memtier --tls=1"), HasSubstr("takes no argument"));
  EXPECT_THAT(error_of("memtier -t 4 set"), HasSubstr("set: memtier_benchmark takes flags only"));
}

TEST(Bench, CountsTheKeysOfMemtiersRange) {
  EXPECT_EQ(scenario_of("memtier --key-minimum=200 --key-maximum=400").workload.keys, 201U);
  EXPECT_THAT(error_of("memtier --key-minimum=400 --key-maximum=200"),
              HasSubstr("--key-minimum=400: is above --key-maximum"));
}

TEST(Bench, NamesTheFlagWhoseValueIsWrong) {
  EXPECT_THAT(error_of("memtier -t 600 --test-time=5"),
              StartsWith("-t 600: 600 is above the range; give a count from 1 to 512"));
  EXPECT_THAT(error_of("memtier -t 20 -c 5000"),
              StartsWith("-c 5000: load.connections: 20 workers with 5,000 each make 100,000"));
  EXPECT_THAT(error_of("memtier -t x"), HasSubstr("-t x"));
}

TEST(Bench, LoadsAClusterWhereItIsAskedTo) {
  EXPECT_TRUE(scenario_of("memtier --cluster-mode --test-time=1").target.cluster);
  EXPECT_FALSE(scenario_of("memtier --test-time=1").target.cluster);
  EXPECT_TRUE(scenario_of("valkey-benchmark -t get --cluster").target.cluster);
  EXPECT_EQ(scenario_of("valkey-benchmark -t get --cluster --rfr yes").load.read_from,
            scenario::ReadFrom::kReplica);
  EXPECT_EQ(scenario_of("valkey-benchmark -t get --cluster --rfr all").load.read_from,
            scenario::ReadFrom::kAny);
  EXPECT_EQ(scenario_of("valkey-benchmark -t get --cluster --rfr no").load.read_from,
            scenario::ReadFrom::kPrimary);
  EXPECT_THAT(error_of("valkey-benchmark -t get --rfr yes"), HasSubstr("give --cluster, too"));
  EXPECT_THAT(error_of("valkey-benchmark -t get --cluster --rfr maybe"),
              HasSubstr("--rfr maybe: give no, yes or all"));
  EXPECT_THAT(error_of("valkey-benchmark -t mset --cluster"), HasSubstr("several slots"));
}

TEST(Bench, TellsAllMistakesAtOnce) {
  const std::string error = error_of("memtier --debug --statsd-host=x -t 0");
  EXPECT_THAT(error, HasSubstr("--debug: there is no debug output"));
  EXPECT_THAT(error, HasSubstr("--statsd-host=x: nothing is sent to StatsD"));
  EXPECT_THAT(error, HasSubstr("-t 0: 0 is below the range"));
}

TEST(Bench, RefusesEveryFlagThatItsTableRefuses) {
  for (const Dialect dialect : {Dialect::kMemtier, Dialect::kValkey}) {
    const Program& program = program_of(dialect);
    for (const Flag& flag : program.flags) {
      EXPECT_FALSE(flag.does.empty()) << flag.name;
      if (flag.handling == Handling::kOption) {
        // Of an option that Headroom has, or will have.
        EXPECT_NE(flag.option.find('.') == std::string_view::npos, flag.option != "seed")
            << flag.name;
      }
      if (flag.handling != Handling::kRefused) continue;
      std::vector<std::string> words = {std::string(program.name), std::string(flag.name)};
      if (!flag.argument.empty()) words.emplace_back("1");
      if (dialect == Dialect::kValkey) words.insert(words.end(), {"-t", "set"});
      const auto plan = read_bench(words, 1);
      ASSERT_FALSE(plan) << flag.name;
      EXPECT_THAT(plan.error().message, HasSubstr(std::string(flag.does))) << flag.name;
      EXPECT_THAT(plan.error().message, HasSubstr(std::string(flag.name)));
    }
  }
}

TEST(Bench, RepeatsMemtiersRuns) {
  const BenchPlan plan = plan_of("memtier -x 3 --test-time=1");
  ASSERT_EQ(plan.runs.size(), 3U);
  EXPECT_TRUE(plan.runs[0].scenario == plan.runs[2].scenario);
  EXPECT_THAT(error_of("memtier -x 0"), HasSubstr("give a number from 1 to 1000"));
}

TEST(Bench, KeepsWhatMemtierIsToWrite) {
  const BenchOutput output = plan_of(
                                 "memtier --json-out-file=o.json --hdr-file-prefix h -o page.txt "
                                 "--print-percentiles=50,99.99,100 --hide-histogram")
                                 .output;
  EXPECT_EQ(output.json_file, "o.json");
  EXPECT_EQ(output.hdr_prefix, "h");
  EXPECT_EQ(output.text_file, "page.txt");
  EXPECT_THAT(output.percentiles, ElementsAre(50, 99.99, 100));
  EXPECT_THAT(error_of("memtier --print-percentiles=50,101"), HasSubstr("101 is no percentile"));
  EXPECT_THAT(error_of("memtier --json-out-file="), HasSubstr("is empty; give a file's name"));
}

TEST(Bench, DrawsASeedOnlyWhereItIsAskedTo) {
  EXPECT_EQ(scenario_of("memtier").seed, 1U);
  EXPECT_EQ(scenario_of("memtier --randomize").seed, kFreshSeed >> 1U);
  EXPECT_EQ(scenario_of("valkey-benchmark -t set --seed 77").seed, 77U);
}

TEST(Bench, TakesValkeyBenchmarksDefaults) {
  const scenario::Scenario s = scenario_of("valkey-benchmark -t set");
  EXPECT_EQ(s.target.host, "127.0.0.1");
  EXPECT_EQ(s.load.workers, 1U);
  EXPECT_EQ(s.load.connections, 50U);
  EXPECT_EQ(s.load.requests, 100'000U);
  EXPECT_EQ(s.workload.keys, 1U);
  EXPECT_EQ(s.workload.set_weight, 1U);
  EXPECT_EQ(s.workload.get_weight, 0U);
  EXPECT_THAT(scenario::print_scenario(s), HasSubstr("value_size = \"3B\""));
}

TEST(Bench, DividesValkeyBenchmarksClientsAmongTheThreads) {
  const scenario::Scenario s = scenario_of("valkey-benchmark -t get -c 48 --threads 4 -n 1000");
  EXPECT_EQ(s.load.workers, 4U);
  EXPECT_EQ(s.load.connections, 12U);
  EXPECT_EQ(s.load.requests, 1'000U) << "-n counts all of them";
  EXPECT_THAT(
      error_of("valkey-benchmark -t get -c 50 --threads 4"),
      HasSubstr("-c 50: is not divisible by 4 threads, which have equally many connections; "
                "give 48 or 52"));
  EXPECT_EQ(scenario_of("valkey-benchmark -t get --threads 0").load.workers, 1U);
}

TEST(Bench, RunsValkeyBenchmarksTestsInItsOrder) {
  const BenchPlan plan = plan_of("valkey-benchmark -t get,SET -q");
  ASSERT_EQ(plan.runs.size(), 2U);
  EXPECT_EQ(plan.runs[0].test, "SET");
  EXPECT_EQ(plan.runs[1].test, "GET");
  EXPECT_EQ(plan.runs[0].scenario.name, "valkey-benchmark-set");
  EXPECT_EQ(plan.runs[1].scenario.workload.set_weight, 0U);
  EXPECT_EQ(plan.runs[1].scenario.workload.get_weight, 1U);
  EXPECT_THAT(plan.notes, ::testing::Contains(HasSubstr("order")));
  EXPECT_THAT(plan_of("valkey-benchmark -t set,get").notes,
              Not(::testing::Contains(HasSubstr("order"))));
  EXPECT_THAT(error_of("valkey-benchmark -t sett"),
              HasSubstr("sett is no test; did you mean set?"));
  EXPECT_THAT(error_of("valkey-benchmark -n 10 -c 1 -r 3"), HasSubstr("choose with -t"));
}

TEST(Bench, ReadsACommandBehindTheFlags) {
  const BenchPlan get = plan_of("valkey-benchmark -r 100 -n 10 GET key:__rand_int__");
  EXPECT_EQ(get.runs.front().test, "GET key:__rand_int__");
  EXPECT_EQ(get.runs.front().scenario.workload.get_weight, 1U);
  EXPECT_EQ(get.runs.front().scenario.workload.keys, 100U);
  const scenario::Scenario set =
      scenario_of("valkey-benchmark -r 100 -d 9 -- set key:__rand_int__ value");
  EXPECT_THAT(scenario::print_scenario(set), HasSubstr("value_size = \"5B\""));
  const scenario::Scenario data =
      scenario_of("valkey-benchmark -r 100 -d 9 -- set key:__rand_int__ __data__");
  EXPECT_THAT(scenario::print_scenario(data), HasSubstr("value_size = \"9B\""));
}

// The text of the only command of a plan.
std::string command_of(std::vector<std::string> words) {
  words.insert(words.begin(), {"valkey-benchmark", "-r", "10", "--"});
  const auto plan = read_bench(words, 1);
  EXPECT_TRUE(plan) << plan.error().message;
  return plan ? plan->runs.front().scenario.workload.commands.at(0).text : "";
}

TEST(Bench, KeepsTheWordsOfACommandApart) {
  EXPECT_EQ(command_of({"EVAL", "return 1", "0"}), "EVAL \"return 1\" 0");
  EXPECT_EQ(command_of({"SET", "a\"b\\", ""}), "SET \"a\\\"b\\\\\" \"\"");
  EXPECT_EQ(command_of({"LPUSH", "l", "x y:__rand_int__"}), "LPUSH l \"x y:__rand(0,9)__\"");
  EXPECT_EQ(command_of({"multi", ";", "incr", "n", ";", "exec"}), "multi ; incr n ; exec");
  EXPECT_THAT(error_of("valkey-benchmark -- set a b ';' get a"), HasSubstr("set a b ; get a: "));
  EXPECT_THAT(error_of("valkey-benchmark -- 3 get a"), HasSubstr("is not repeated by a number"));
}

TEST(Bench, ExpiryIsOfEveryWayToSet) {
  const auto text = [](const std::string& line) {
    return scenario::print_scenario(scenario_of(line));
  };
  EXPECT_THAT(text("memtier --expiry-range=10-20"), HasSubstr("ttl = \"range(10s, 20s)\""));
  EXPECT_THAT(text("memtier --expiry-range=7-7"), HasSubstr("ttl = \"7s\""));
  EXPECT_THAT(
      text("memtier --expiry-range=10-20 --key-pattern=Z:R"),
      AllOf(HasSubstr("\"SET __key__ __data__ EX __rand(10,20)__\""), Not(HasSubstr("ttl ="))));
  EXPECT_THAT(error_of("memtier --expiry-range=10-20 --command=\"SET __key__ 1\""),
              HasSubstr("a --command has no expiry but its own"));
  EXPECT_THAT(error_of("memtier --expiry-range=0-20"), HasSubstr("MIN above 0"));
}

TEST(Bench, ReadsWhatValkeyBenchmarkIsToPrint) {
  const BenchOutput output = plan_of("valkey-benchmark -t set --csv --precision 1").output;
  EXPECT_TRUE(output.csv);
  EXPECT_EQ(output.precision, 1U);
  EXPECT_TRUE(plan_of("valkey-benchmark -t set -q").output.one_line);
}

TEST(Bench, ReadsTimesOfValkeyBenchmark) {
  const scenario::Scenario s = scenario_of("valkey-benchmark -t set --duration 5 --warmup 2");
  EXPECT_FALSE(s.load.requests);
  EXPECT_EQ(s.timing.measure, std::chrono::seconds{5});
  EXPECT_EQ(s.timing.warmup, std::chrono::seconds{2});
  EXPECT_THAT(error_of("valkey-benchmark -t set --duration 5 -n 3"),
              HasSubstr("-n 3: --duration is given too"));
}

TEST(Bench, FindsTheServer) {
  EXPECT_EQ(scenario_of("memtier -S /tmp/s --test-time=1").target.socket, "/tmp/s");
  EXPECT_EQ(scenario_of("valkey-benchmark -s /tmp/s -t set").target.socket, "/tmp/s");
  const scenario::Scenario s = scenario_of("memtier -u redis://cache.example:7000 --test-time=1");
  EXPECT_EQ(s.target.host, "cache.example");
  EXPECT_EQ(s.target.port, 7000);
  EXPECT_THAT(error_of("memtier -S /tmp/s -p 7000"), HasSubstr("host or port is given too"));
  EXPECT_THAT(error_of("memtier -u redis://x -p 7000"), HasSubstr("leave one of them out"));
}

TEST(Bench, KeepsPasswordsOutOfEverythingButThePlan) {
  for (const char* line :
       {"memtier -a bob:hunter2 --test-time=1", "memtier -abob:hunter2 --test-time=1",
        "memtier --authenticate=bob:hunter2 --test-time=1",
        "memtier -u redis://bob:hunter2@localhost --test-time=1",
        "valkey-benchmark --user bob -a hunter2 -t set",
        "valkey-benchmark -u valkey://bob:hunter2@localhost -t set"}) {
    const BenchPlan plan = plan_of(line);
    ASSERT_FALSE(plan.runs.empty()) << line;
    EXPECT_EQ(plan.password, "hunter2") << line;
    EXPECT_EQ(plan.runs.front().scenario.target.username, "bob") << line;
    EXPECT_EQ(plan.runs.front().scenario.target.password_env, kPasswordVariable);
    EXPECT_THAT(scenario::print_scenario(plan.runs.front().scenario), Not(HasSubstr("hunter2")));
    for (const std::string& word : plan.shown_words) EXPECT_THAT(word, Not(HasSubstr("hunter2")));
    EXPECT_THAT(plan.notes, ::testing::Contains(HasSubstr("password on a command line")));
  }
  EXPECT_EQ(scenario_of("memtier -a :a:b --test-time=1").target.username, "");
  EXPECT_EQ(plan_of("memtier -a :a:b --test-time=1").password, "a:b");
  EXPECT_EQ(plan_of("memtier -a default:x --test-time=1").runs[0].scenario.target.username, "");
}

TEST(Bench, ErrorsDoNotTellThePassword) {
  EXPECT_THAT(error_of("memtier -a hunter2 --debug"), Not(HasSubstr("hunter2")));
  EXPECT_THAT(error_of("memtier -u http://bob:hunter2@x"), Not(HasSubstr("hunter2")));
  EXPECT_THAT(error_of("valkey-benchmark -t set --user bob"), HasSubstr("give -a"));
}

TEST(Bench, UnderstandsHeadroomsOwnFlagsBesideBoth) {
  const BenchPlan plan = plan_of(
      "valkey-benchmark -t set --run-file x.run --explain --quiet --set timing.drain=3s --json");
  EXPECT_EQ(plan.output.run_file, "x.run");
  EXPECT_TRUE(plan.output.explain);
  EXPECT_TRUE(plan.output.quiet);
  EXPECT_TRUE(plan.output.json_summary);
  EXPECT_EQ(plan.runs.front().scenario.timing.drain, std::chrono::seconds{3});
  EXPECT_EQ(scenario_of("memtier -t 2 --set load.workers=3").load.workers, 3U);
  EXPECT_THAT(error_of("memtier --set load.wrokers=3"),
              HasSubstr("--set load.wrokers=3: load.wrokers is unknown"));
}

TEST(Bench, AtARateSoManyRequestsAreATime) {
  const scenario::Scenario m = scenario_of("memtier -t 2 -c 5 -n 100 --rate-limiting=4");
  EXPECT_EQ(m.timing.measure, std::chrono::seconds{25});
  EXPECT_FALSE(m.load.requests);
  EXPECT_THAT(scenario::print_scenario(m), HasSubstr("rate = 40"));
  const scenario::Scenario v = scenario_of("valkey-benchmark -t set -n 1000 --rps 400");
  EXPECT_EQ(v.timing.measure, std::chrono::milliseconds{2'500});
}

// What becomes of each published line, without running it.
TEST(BenchLines, RunOrAreRefusedForTheReasonThatIsExpected) {
  const auto lines = headroom::testing::bench_lines();
  std::map<Dialect, int> seen;
  for (const headroom::testing::BenchLine& line : lines) {
    SCOPED_TRACE(line.source);
    const auto plan = read_bench(line.words, kFreshSeed);
    if (plan) ++seen[plan->dialect];
    if (line.outcome.starts_with("refused ")) {
      ASSERT_FALSE(plan);
      EXPECT_THAT(plan.error().message, HasSubstr(line.outcome.substr(8)));
      continue;
    }
    EXPECT_EQ(line.outcome, "runs");
    EXPECT_TRUE(plan) << plan.error().message;
  }
  EXPECT_GE(lines.size(), 20U);
  EXPECT_GE(seen[Dialect::kMemtier], 8);
  EXPECT_GE(seen[Dialect::kValkey], 8);
}

}  // namespace
}  // namespace headroom::interop
