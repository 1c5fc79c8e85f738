// Open loop, think time and emulated round trip through the binary.
#include <gmock/gmock.h>

#include "analysis/summary.h"
#include "tests/e2e/harness.h"

namespace headroom::e2e {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class OpenLoopTest : public EngineTest {};
HEADROOM_FOR_EACH_ENGINE(OpenLoopTest);

constexpr const char* kMore =
    "[workload]\nvalue_size = \"100B\"\nratio = \"1:1\"\nkeys = 1000\n"
    "[timing]\nwarmup = \"1s\"\nmeasure = \"3s\"\n"
    "[load]\nworkers = 3\nconnections = 10\n";

TEST_P(OpenLoopTest, AchievesWhatItIsAskedForAndShowsBothLatencies) {
  const std::string file = path("open.run");
  const Finished run_ended = run_headroom(
      {"run", local_scenario(engine(), std::string(kMore) + "rate = 999\n"), "-o", file},
      options());
  ASSERT_EQ(run_ended.exit_code, 0) << run_ended.err;
  EXPECT_THAT(run_ended.out, AllOf(HasSubstr("open loop, 999/s, even arrivals"),
                                   HasSubstr("2,997 due"), HasSubstr("schedule lag p99")));
  const analysis::Summary summary = analysis::summarize(read(file));
  ASSERT_TRUE(summary.schedule);
  EXPECT_EQ(summary.schedule->due, 2'997U);
  EXPECT_TRUE(summary.conservation.client_adds_up);
  EXPECT_TRUE(summary.conservation.engine_agrees.value_or(true));
  bool response = false;
  for (const analysis::LatencySummary& row : summary.measure.latencies)
    response |= row.kind == record::LatencyKind::kResponse && row.operation == "all";
  EXPECT_TRUE(response);
}

TEST_P(OpenLoopTest, ACurveFromAFileIsFollowedAndABadOneIsRefusedBeforeAnything) {
  const std::string file = path("curve.run");
  const std::string curve = path("day.csv");
  const std::string toml = scenario("[target]\nengine_path = \"" + engine().string() + "\"\n" +
                                    kMore + "rate = \"file(day.csv)\"\n");
  ASSERT_TRUE(write_file(curve, "0,100\n1,300\nx,3\n"));
  const Finished refused = run_headroom({"run", toml, "-o", file}, options());
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("day.csv:3: \"x,3\" is no point"));
  EXPECT_FALSE(std::filesystem::exists(file));

  ASSERT_TRUE(write_file(curve, "time,rate\n0,100\n1,300\n"));
  const Finished run_ended = run_headroom({"run", toml, "-o", file}, options());
  ASSERT_EQ(run_ended.exit_code, 0) << run_ended.err;
  const analysis::Summary summary = analysis::summarize(read(file));
  ASSERT_TRUE(summary.schedule);
  EXPECT_EQ(summary.schedule->due, 200U + 300 + 300);
}

TEST_P(OpenLoopTest, ThinkTimeAndEmulatedRoundTripAreStoredAndShown) {
  const std::string file = path("closed.run");
  const Finished run_ended = run_headroom(
      {"run",
       local_scenario(engine(), std::string(kMore) +
                                    "think_time = \"exponential(5ms)\"\nemulated_rtt = \"2ms\"\n"),
       "-o", file},
      options());
  ASSERT_EQ(run_ended.exit_code, 0) << run_ended.err;
  EXPECT_THAT(run_ended.out,
              AllOf(HasSubstr("emulated round trip of 2ms"), Not(HasSubstr("schedule lag"))));
  const record::Run run = read(file);
  EXPECT_EQ(run.header.scenario.load.emulated_rtt, std::optional<Nanos>(2ms));
  const analysis::Summary summary = analysis::summarize(run);
  EXPECT_FALSE(summary.schedule);
  EXPECT_TRUE(summary.conservation.client_adds_up);
  ASSERT_FALSE(summary.measure.latencies.empty());
  EXPECT_GE(summary.measure.latencies.front().min, std::optional<Nanos>(2ms));
}

}  // namespace
}  // namespace headroom::e2e
