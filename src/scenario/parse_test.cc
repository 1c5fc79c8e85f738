#include "scenario/parse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/file.h"
#include "base/text.h"

namespace headroom::scenario {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

using Overrides = std::vector<std::string>;

std::vector<std::string> errors_of(std::string_view text, const Overrides& overrides = {}) {
  const auto scenario = parse_scenario(text, "dir/x.toml", overrides);
  if (scenario) return {};
  EXPECT_EQ(scenario.error().kind, ErrorKind::kUsage);
  std::vector<std::string> lines;
  for (const std::string_view line : split(scenario.error().message, '\n'))
    lines.emplace_back(line);
  return lines;
}

std::string error_of(std::string_view text, const Overrides& overrides = {}) {
  const auto lines = errors_of(text, overrides);
  EXPECT_EQ(lines.size(), 1U) << testing::PrintToString(lines);
  return lines.empty() ? "" : lines.front();
}

TEST(Parse, FillsAnEmptyTextWithTheDefaults) {
  const auto s = parse_scenario("", "dir/first-run.toml");
  ASSERT_TRUE(s) << s.error().message;
  EXPECT_EQ(s->name, "first-run");
  EXPECT_EQ(s->seed, 1U);
  EXPECT_EQ(s->target.kind, TargetKind::kLocal);
  EXPECT_EQ(s->target.maxmemory_bytes, std::uint64_t{64} << 20U);
  EXPECT_EQ(s->target.maxmemory_policy, "allkeys-lru");
  EXPECT_EQ(s->target.engine_path, "");
  EXPECT_EQ(s->target.port, 0);
  EXPECT_EQ(s->workload.value_size, ValueSize(std::uint64_t{1024}));
  EXPECT_EQ(s->workload.set_weight, 1U);
  EXPECT_EQ(s->workload.get_weight, 10U);
  EXPECT_EQ(s->workload.keys, std::nullopt);
  EXPECT_FALSE(s->workload.prefill);
  EXPECT_EQ(s->load.workers, 1U);
  EXPECT_EQ(s->load.pipeline, 1U);
  EXPECT_EQ(s->timing.measure, minutes{1});
  EXPECT_EQ(s->timing.sample_interval, seconds{1});
}

TEST(Parse, ReadsEveryOptionOfALocalTarget) {
  const auto s = parse_scenario(R"toml(
name = "nine"
description = "Nine workers"
seed = 42
[target]
kind = "local"
engine_path = "/opt/valkey-server"
maxmemory = "384MiB"
maxmemory_policy = "noeviction"
[workload]
value_size = "100B"
ratio = "2:3"
keys = 1_000
prefill = true
key_space = "shared"
key_distribution = "zipf(0.99)"
keys_move_every = "30s"
value_content = "compressible(50%)"
ttl = "jitter(1m, 10%)"
[load]
workers = 9
connections = 2
pipeline = 16
connect_timeout = "250ms"
request_timeout = "1.5s"
requests = 2_000_000
keep_slowest = false
fine_splits = true
request_log = 0.01
[workload.cache_aside]
backend_time = "exponential(2ms)"
[timing]
warmup = "5s"
measure = "10m"
drain = "3s"
sample_interval = "500ms"
)toml",
                                "x.toml");
  ASSERT_TRUE(s) << s.error().message;
  Scenario expected;
  expected.name = "nine";
  expected.description = "Nine workers";
  expected.seed = 42;
  expected.target.engine_path = "/opt/valkey-server";
  expected.target.maxmemory_bytes = std::uint64_t{384} << 20U;
  expected.target.maxmemory_policy = "noeviction";
  expected.workload.value_size = std::uint64_t{100};
  expected.workload.set_weight = 2;
  expected.workload.get_weight = 3;
  expected.workload.keys = 1000;
  expected.workload.prefill = true;
  expected.workload.key_space = KeyOwnership::kShared;
  expected.workload.key_distribution = ZipfKeys{0.99};
  expected.workload.keys_move_every = seconds{30};
  expected.workload.value_content = {50};
  expected.workload.ttl = TtlJitter{minutes{1}, 10};
  expected.load = {9, 2, 16, milliseconds{250}, milliseconds{1500}};
  expected.load.requests = 2'000'000;
  expected.load.fine_splits = true;
  expected.load.request_log = 0.01;
  expected.workload.backend_time = ExponentialDuration{milliseconds{2}};
  expected.timing = {seconds{5}, minutes{10}, seconds{3}, milliseconds{500}};
  EXPECT_TRUE(*s == expected);
}

TEST(Parse, ATraceStandsInPlaceOfAllThatIsDrawn) {
  const auto s = parse_scenario(
      "[workload.trace]\nfile = \"monitor.txt\"\ntiming = \"scaled\"\nspeed = 2.5\nloop = true\n",
      "/dir/x.toml");
  ASSERT_TRUE(s) << s.error().message;
  EXPECT_TRUE(s->workload.replays());
  EXPECT_TRUE(s->workload.trace ==
              (Trace{"/dir/monitor.txt", TraceFormat::kMonitor, TraceTiming::kScaled, 2.5, true}));
  EXPECT_EQ(s->workload.get_weight, 0U);
  EXPECT_THAT(error_of("[workload]\nratio = \"1:1\"\n[workload.trace]\nfile = \"a\""),
              HasSubstr("workload.ratio: means nothing beside workload.trace.file; give one of"));
  EXPECT_THAT(error_of("[load]\nrate = 5\n[workload.trace]\nfile = \"a\""),
              HasSubstr("load.rate: means nothing beside workload.trace.file"));
  EXPECT_THAT(error_of("[workload.trace]\nformat = \"csv\""),
              HasSubstr("means nothing without workload.trace.file"));
  EXPECT_THAT(error_of("[workload.trace]\nfile = \"a\"\ntiming = \"scaled\""),
              HasSubstr("\"scaled\" needs workload.trace.speed"));
  EXPECT_THAT(error_of("[workload.trace]\nfile = \"a\"\nspeed = 2"),
              HasSubstr("means nothing unless workload.trace.timing = \"scaled\""));
  EXPECT_THAT(error_of("[workload.trace]\nfile = \"a\"\n[[workload.command]]\n"
                       "command = \"GET __key__\""),
              HasSubstr("means nothing beside [[workload.command]]"));
}

TEST(Parse, CacheAsideNeedsAReadThatCanMiss) {
  constexpr const char* kFill = "[workload.cache_aside]\nbackend_time = \"2ms\"\n";
  const auto s = parse_scenario(std::string("workload.ratio = \"0:1\"\n") + kFill, "x.toml");
  ASSERT_TRUE(s) << s.error().message;
  EXPECT_TRUE(s->workload.backend_time == BackendTime(Nanos{milliseconds{2}}));
  EXPECT_THAT(error_of(std::string("workload.ratio = \"1:0\"\n") + kFill),
              HasSubstr("no command is a plain GET"));
  EXPECT_THAT(error_of("[workload.cache_aside]\nbackend_time = \"range(3ms, 2ms)\""),
              HasSubstr("the range goes down from 3ms to 2ms"));
  EXPECT_THAT(error_of(std::string("load.reconnect_every = 5\n") + kFill),
              HasSubstr("load.reconnect_every: a connection is not renewed while"));
}

TEST(Parse, CacheAsideAndTracesAreOfOneLoadAgainstOneServer) {
  const std::string fill =
      "[workload]\nkeys = 1000\n[workload.cache_aside]\nbackend_time = \"2ms\"\n";
  const std::string trace = "[workload.trace]\nfile = \"a\"\n";
  const std::string tenant = "[[tenant]]\nname = \"a\"\n";
  const std::string cluster = "[target]\nkind = \"endpoint\"\nhost = \"x\"\ncluster = true\n";
  const std::string stage = "[[stage]]\nname = \"s\"\nat = \"1s\"\n";
  EXPECT_THAT(error_of(fill + tenant), HasSubstr("backend_time: is for a run of one load"));
  EXPECT_THAT(error_of(trace + tenant), HasSubstr("trace.file: is for a run of one load"));
  EXPECT_THAT(error_of(fill + cluster), HasSubstr("backend_time: is for one server"));
  EXPECT_THAT(error_of(trace + cluster), HasSubstr("trace.file: is for one server"));
  EXPECT_THAT(error_of(trace + stage), HasSubstr("trace.file: means nothing beside [[stage]]"));
}

TEST(Parse, StagesDrawTheReadsOfCacheAsideAndNotItsFills) {
  const std::string fill = "[workload.cache_aside]\nbackend_time = \"2ms\"\n";
  const std::string stage = "[[stage]]\nname = \"s\"\nat = \"1s\"\nmix = ";
  EXPECT_THAT(
      error_of("[workload]\nratio = \"0:1\"\n" + fill + stage + "\"weights(GET:1, fill:1)\"\n"),
      HasSubstr("the workload has no operation \"fill\"; it has GET"));
  const std::string commands =
      "[[workload.command]]\ncommand = \"SET __key__ __data__\"\n"
      "[[workload.command]]\ncommand = \"GET __key__\"\nname = \"read\"\nweight = 0\n";
  EXPECT_THAT(error_of(commands + fill), HasSubstr("no command is a plain GET"));
  EXPECT_THAT(error_of(commands + fill + stage + "\"weights(SET:1)\"\n"),
              HasSubstr("no command is a plain GET"));
  const auto drawn =
      parse_scenario(commands + fill + stage + "\"weights(SET:1, read:1)\"\n", "x.toml");
  EXPECT_TRUE(drawn) << drawn.error().message;
}

TEST(Parse, ReadsCommandsAsRowsOfARepeatedTable) {
  const auto s = parse_scenario(R"toml([[workload.command]]
command = "HSET __key__ field __data__"
weight = 3
keys = "hotspot(90%, 1%)"
value_size = "range(1B, 10B)"
[[workload.command]]
command = "INCR counter"
name = "hits"
[load]
workers = 2
)toml",
                                "x.toml", Overrides{"workload.command.1.weight=7"});
  ASSERT_TRUE(s) << s.error().message;
  const std::vector<WeightedCommand> expected = {
      {"HSET __key__ field __data__", "", 3, HotspotKeys{90, 1}, SizeRange{1, 10}},
      {"INCR counter", "hits", 7, std::nullopt, std::nullopt}};
  EXPECT_EQ(s->workload.commands, expected);
  EXPECT_EQ(s->workload.set_weight + s->workload.get_weight, 0U) << "no ratio beside commands";
}

TEST(Parse, NamesTheRowOfAWrongCommand) {
  const std::string good = "[[workload.command]]\ncommand = \"PING\"\n";
  EXPECT_EQ(error_of(good + "[[workload.command]]\ncommand = \"PING\"\nweight = 2000000"),
            "dir/x.toml:5: workload.command.1.weight: 2000000 is above the range; give a count "
            "from 0 to 1,000,000");
  EXPECT_EQ(error_of("[[workload.command]]\ncommand = \"PING\"\nweight = 0"),
            "dir/x.toml:3: workload.command.0.weight: no command has a weight above 0; give one of "
            "them");
  EXPECT_EQ(error_of("[[workload.command]]\nweight = 2"),
            "dir/x.toml: workload.command.0.command: is not given; write what to send, such as "
            "\"GET __key__\"");
  EXPECT_THAT(error_of("[[workload.command]]\ncommand = \"GET __keys__\""),
              HasSubstr("dir/x.toml:2: workload.command.0.command: __keys__ is no placeholder"));
  EXPECT_THAT(error_of(good + "wieght = 2"), HasSubstr("did you mean workload.command.weight?"));
  EXPECT_EQ(error_of("[workload]\nratio = \"1:1\"\n" + good),
            "dir/x.toml:2: workload.ratio: means nothing beside [[workload.command]]; give one of "
            "them");
  EXPECT_EQ(error_of("[workload.command]\ncommand = \"PING\""),
            "dir/x.toml:1: workload.command: is a section; write [[workload.command]] for each and "
            "its keys below it");
  EXPECT_EQ(error_of("", {"workload.command.0.weight=2"}),
            "--set workload.command.0.weight=2: there is no such [[workload.command]]: the file "
            "has 0, counted from 0");
  EXPECT_EQ(error_of(good, {"workload.command.weight=2"}),
            "--set workload.command.weight=2: says not which [[workload.command]]; write "
            "workload.command.0.weight");
  EXPECT_EQ(error_of(good + "name = \"a\"\n" + good + "name = \"a\""),
            "dir/x.toml:6: workload.command.1.name: \"a\" is the name of two commands; give "
            "another");
}

TEST(Parse, RefusesMoreCommandsThanAreCounted) {
  std::string text;
  for (int i = 0; i < 40; ++i) text += "[[workload.command]]\ncommand = \"PING\"\n";
  EXPECT_EQ(error_of(text),
            "dir/x.toml:65: workload.command: is one too many; at most 32 are possible");
}

TEST(Parse, RefusesContradictionsAboutKeysAndValues) {
  EXPECT_EQ(error_of("", {"workload.value_size=range(2KiB, 1KiB)"}),
            "--set workload.value_size=range(2KiB, 1KiB): the range goes down from 2KiB to 1KiB; "
            "write the smaller size first");
  EXPECT_EQ(error_of("", {"workload.ttl=range(2s, 1s)"}),
            "--set workload.ttl=range(2s, 1s): the range goes down from 2s to 1s; write the "
            "shorter one first");
  EXPECT_EQ(error_of("", {"workload.ttl=1500us"}),
            "--set workload.ttl=1500us: the engine takes whole milliseconds; round it to them");
  EXPECT_EQ(error_of("", {"workload.verify=true", "workload.value_size=range(10B, 1KiB)"}),
            "--set workload.verify=true: values of 10B have no room for the stamp of 16B; give "
            "larger ones");
  EXPECT_THAT(error_of("", {"workload.keys_move_every=1m"}),
              HasSubstr("no command has keys that are more popular than others"));
  EXPECT_TRUE(parse_scenario(
      "", "x.toml", Overrides{"workload.keys_move_every=1m", "workload.key_distribution=zipf(1)"}));
}

TEST(Parse, TakesDottedKeysAndInlineTables) {
  const auto commands =
      parse_scenario("workload.command = [{command = \"PING\"}, {command = \"GET a\"}]", "x.toml");
  ASSERT_TRUE(commands) << commands.error().message;
  EXPECT_EQ(commands->workload.commands.size(), 2U);
  EXPECT_EQ(parse_scenario("load.workers = 3", "x.toml")->load.workers, 3U);
  EXPECT_EQ(parse_scenario("load = { workers = 4 }", "x.toml")->load.workers, 4U);
}

TEST(Parse, OverridesWinOverTheText) {
  const Overrides overrides = {"load.workers=9", "timing.measure=10s", "workload.keys=auto",
                               "description=a = b"};
  const auto s =
      parse_scenario("[load]\nworkers = 3\n[workload]\nkeys = 5000", "x.toml", overrides);
  ASSERT_TRUE(s) << s.error().message;
  EXPECT_EQ(s->load.workers, 9U);
  EXPECT_EQ(s->timing.measure, seconds{10});
  EXPECT_EQ(s->workload.keys, std::nullopt);
  EXPECT_EQ(s->description, "a = b");
}

TEST(Parse, ResolvesPathsAgainstTheFileAndOverridesAgainstTheCurrentDirectory) {
  const auto s = parse_scenario("[target]\nkind = \"endpoint\"\nsocket = \"../s\"", "/a/b/x.toml",
                                Overrides{"target.password_file=p"});
  ASSERT_TRUE(s) << s.error().message;
  EXPECT_EQ(s->target.socket, "/a/s");
  EXPECT_EQ(s->target.password_file, (std::filesystem::current_path() / "p").string());
}

TEST(Parse, LeavesAProgramsBareNameToPath) {
  const auto name = parse_scenario("[target]\nengine_path = \"redis-server\"", "/a/x.toml");
  EXPECT_EQ(name->target.engine_path, "redis-server");
  const auto path = parse_scenario("[target]\nengine_path = \"./redis-server\"", "/a/x.toml");
  EXPECT_EQ(path->target.engine_path, "/a/redis-server");
}

TEST(Parse, RefusesASocketPathTheKernelCannotHold) {
  const std::string directory = "/" + std::string(100, 'd');
  const std::string text = "[target]\nkind = \"endpoint\"\nsocket = \"12345678\"";
  const auto s = parse_scenario(text, directory + "/x.toml");
  ASSERT_FALSE(s);
  EXPECT_THAT(s.error().message, AllOf(HasSubstr("x.toml:3: target.socket: "),
                                       HasSubstr("has 110 bytes as an absolute path; give a path "
                                                 "of at most 107 bytes")));
}

TEST(Parse, NamesFileLineAndKeyOfAWrongValue) {
  EXPECT_EQ(error_of("[load]\n# many\nworkers = 600"),
            "dir/x.toml:3: load.workers: 600 is above the range; give a count from 1 to 512");
  EXPECT_EQ(error_of("seed = -1"),
            "dir/x.toml:1: seed: \"-1\" is negative: a count is 0 or more; give a count from 0 to "
            "9,223,372,036,854,775,807");
}

TEST(Parse, NamesTheOverrideOfAWrongValue) {
  EXPECT_EQ(error_of("", {"load.workers=0"}),
            "--set load.workers=0: 0 is below the range; give a count from 1 to 512");
  EXPECT_EQ(error_of("", {"load.wrokers=3"}),
            "--set load.wrokers=3: load.wrokers is unknown; did you mean load.workers?");
  EXPECT_EQ(error_of("", {"workers=3"}),
            "--set workers=3: workers is unknown; did you mean load.workers?");
  EXPECT_EQ(error_of("", {"load.workers"}),
            "--set load.workers: has no value; write --set KEY=VALUE, such as --set "
            "load.workers=3");
  EXPECT_EQ(error_of("", {"seed=1", "seed=2"}),
            "--set seed=2: seed is set twice; leave one of them out");
}

TEST(Parse, SuggestsTheKeyThatWasMeant) {
  EXPECT_EQ(error_of("[load]\nworker = 3"),
            "dir/x.toml:2: load.worker: unknown key; did you mean load.workers?");
  EXPECT_EQ(error_of("[load]\nmeasure = \"1m\""),
            "dir/x.toml:2: load.measure: unknown key; did you mean timing.measure?");
  EXPECT_EQ(error_of("workers = 3"),
            "dir/x.toml:1: workers: unknown key; did you mean load.workers?");
  EXPECT_EQ(error_of("[timing]\nzzz = 3"),
            "dir/x.toml:2: timing.zzz: unknown key; [timing] has warmup, measure, drain, "
            "sample_interval");
}

TEST(Parse, SuggestsTheSectionThatWasMeantAndIsSilentAboutItsKeys) {
  EXPECT_EQ(error_of("[workloads]\nratio = \"1:1\"\nmore = 2"),
            "dir/x.toml:1: workloads: unknown section; did you mean [workload]?");
  EXPECT_EQ(error_of("[zzz]\na = 1"),
            "dir/x.toml:1: zzz: unknown section; a scenario has the sections target, workload, "
            "workload.cache_aside, workload.trace, load, timing, expect, notify");
}

TEST(Parse, SaysHowToWriteAValueOfTheWrongKind) {
  EXPECT_EQ(error_of("[timing]\nmeasure = 60"),
            "dir/x.toml:2: timing.measure: 60 has no unit; write \"60s\"");
  EXPECT_EQ(error_of("[workload]\nvalue_size = 1024"),
            "dir/x.toml:2: workload.value_size: 1024 has no unit; write \"1024B\"");
  EXPECT_EQ(error_of("[load]\nworkers = \"3\""),
            "dir/x.toml:2: load.workers: \"3\" is a text; write 3 without quotes");
  EXPECT_EQ(error_of("[workload]\nprefill = \"true\""),
            "dir/x.toml:2: workload.prefill: \"true\" is a text; write true without quotes");
  EXPECT_EQ(error_of("[load]\nworkers = 3.5"),
            "dir/x.toml:2: load.workers: 3.5 is a fraction; give a count from 1 to 512");
  EXPECT_EQ(error_of("[load]\nworkers = [3]"),
            "dir/x.toml:2: load.workers: is a list; give a count from 1 to 512");
  EXPECT_EQ(error_of("[load.workers]\nx = 1"),
            "dir/x.toml:1: load.workers: is a section; give a count from 1 to 512");
  EXPECT_EQ(error_of("name = 3"),
            "dir/x.toml:1: name: 3 is a whole number; give a name of letters, digits, \".\", \"_\" "
            "and \"-\", beginning with a letter or digit, of at most 64 bytes");
}

TEST(Parse, RefusesASectionThatIsNone) {
  EXPECT_EQ(error_of("load = 3"),
            "dir/x.toml:1: load: is a whole number; write [load] once and its keys below it");
  EXPECT_EQ(error_of("[[load]]\nworkers = 3"),
            "dir/x.toml:1: load: is a repeated table; write [load] once and its keys below it");
}

TEST(Parse, ReportsAllErrorsInTheOrderOfTheText) {
  EXPECT_THAT(
      errors_of("[timing]\nmeasure = 60\n[load]\nworkers = 0\nx = 1", {"seed=a"}),
      ElementsAre(HasSubstr("x.toml:2: timing.measure:"), HasSubstr("x.toml:4: load.workers:"),
                  HasSubstr("x.toml:5: load.x:"), HasSubstr("--set seed=a:")));
}

TEST(Parse, CountsTheErrorsBeyondTwenty) {
  std::string text;
  for (int i = 0; i < 25; ++i) text += "unknown_" + std::to_string(i) + " = 1\n";
  const auto lines = errors_of(text);
  ASSERT_EQ(lines.size(), 21U);
  EXPECT_EQ(lines.back(), "dir/x.toml: 5 more errors");
}

TEST(Parse, NeedsANameWhereTheFilesNameIsNoName) {
  const auto s = parse_scenario("", "my scenario.toml");
  ASSERT_FALSE(s);
  EXPECT_THAT(
      s.error().message,
      HasSubstr("my scenario.toml: name: not given, and the file's name cannot stand for it"));
  EXPECT_TRUE(parse_scenario("name = \"mine\"", "my scenario.toml"));
}

TEST(Parse, RefusesOptionsOfAnotherKindOfTarget) {
  EXPECT_EQ(
      error_of("[target]\nhost = \"cache\""),
      "dir/x.toml:2: target.host: is for target.kind = \"endpoint\", which is \"local\" here; "
      "leave it out or change the kind");
  EXPECT_EQ(error_of("[target]\nmaxmemory = \"64MiB\"\nhost = \"h\"", {"target.kind=endpoint"}),
            "dir/x.toml:2: target.maxmemory: is for target.kind = \"local\", which is \"endpoint\" "
            "here; leave it out or change the kind");
}

TEST(Parse, CountsIdleConnectionsAmongAll) {
  EXPECT_EQ(
      error_of("", {"load.workers=512", "load.connections=100", "load.idle_connections=100"}),
      "--set load.connections=100: 512 workers with 200 each make 102,400; at most 65,535 are "
      "possible");
}

TEST(Parse, RefusesContradictionsBetweenNumbers) {
  EXPECT_EQ(
      error_of("[workload]\nkeys = 8\n[load]\nworkers = 9"),
      "dir/x.toml:2: workload.keys: 8 is fewer than load.workers (9), and each needs a key of "
      "its own");
  EXPECT_EQ(
      error_of("", {"workload.value_size=64MiB"}),
      "--set workload.value_size=64MiB: no value of 64MiB fits into target.maxmemory (64MiB)");
  EXPECT_EQ(error_of("[load]\nworkers = 8", {"load.connections=10000"}),
            "--set load.connections=10000: 8 workers with 10,000 each make 80,000; at most 65,535 "
            "are possible");
  EXPECT_EQ(error_of("[timing]\nmeasure = \"10s\"", {"timing.sample_interval=11s"}),
            "--set timing.sample_interval=11s: 11s is longer than timing.measure (10s); give at "
            "most that");
  EXPECT_EQ(
      error_of("[load]\nrequests = 159\nworkers = 2\npipeline = 8", {"timing.warmup=1s"}),
      "dir/x.toml:2: load.requests: 159 is fewer than the 160 that are in flight when the warm-up "
      "ends; give at least that, or no timing.warmup");
}

TEST(Parse, AllowsWhatJustDoesNotContradict) {
  EXPECT_TRUE(parse_scenario("workload.keys = 9\nload.workers = 9", "x.toml"));
  const Overrides equal = {"timing.measure=10s", "timing.sample_interval=10s"};
  EXPECT_TRUE(parse_scenario("", "x.toml", equal));
}

TEST(Parse, SaysWhereAContradictingDefaultCouldBeSet) {
  EXPECT_EQ(error_of("[timing]\nsample_interval = \"1m\"\nmeasure = \"10s\""),
            "dir/x.toml:2: timing.sample_interval: 1m is longer than timing.measure (10s); give at "
            "most that");
}

TEST(Parse, RefusesATextThatIsTooLong) {
  const std::string text(kLongestScenarioBytes, '#');
  EXPECT_TRUE(parse_scenario(text, "x.toml"));
  const auto s = parse_scenario(text + "#", "x.toml");
  ASSERT_FALSE(s);
  EXPECT_THAT(s.error().message, HasSubstr("at most 1MiB"));
}

TEST(Parse, KeepsMessagesPrintable) {
  const std::string error = error_of("\"a\\u001b[31m\\n\" = 1");
  EXPECT_THAT(error, HasSubstr("\\x1b[31m\\x0a"));
}

TEST(Load, ReadsAFileAndNamesOneThatCannotBeRead) {
  auto directory = TempDir::create("scenario-test");
  ASSERT_TRUE(directory);
  const auto path = directory->path() / "from-file.toml";
  ASSERT_TRUE(write_file(path, "[load]\nworkers = 5\n"));
  const auto s = load_scenario(path, Overrides{"load.connections=7"});
  ASSERT_TRUE(s) << s.error().message;
  EXPECT_EQ(s->name, "from-file");
  EXPECT_EQ(s->load.workers, 5U);
  EXPECT_EQ(s->load.connections, 7U);

  const auto missing = load_scenario(directory->path() / "missing.toml");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(missing.error().message, HasSubstr("missing.toml"));
}

}  // namespace
}  // namespace headroom::scenario
