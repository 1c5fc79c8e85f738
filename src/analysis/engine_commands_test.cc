#include "analysis/engine_commands.h"

#include <gtest/gtest.h>

#include "tests/support/run_builder.h"

namespace headroom::analysis {
namespace {

using headroom::testing::RunBuilder;
using std::chrono::microseconds;

const EngineCommand* find(const Summary& summary, std::string_view name) {
  for (const EngineCommand& command : summary.engine_commands) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

TEST(EngineCommands, StandBesideWhatClientsSaw) {
  // 3,000 GETs a second: 2,940 within 8 us and 60 within 66, each 5 us on average.
  const auto rate = [](double per_second) {
    return [per_second](double t) { return per_second * std::max(0.0, t); };
  };
  const Summary summary = summarize(RunBuilder()
                                        .metric("command_usec", rate(15'000), "get")
                                        .metric("command_latency_count", rate(2'940), "get<=8us")
                                        .metric("command_latency_count", rate(60), "get<=66us")
                                        .build());
  const EngineCommand* get = find(summary, "get");
  ASSERT_NE(get, nullptr);
  EXPECT_EQ(get->calls, 120'000U);
  ASSERT_TRUE(get->mean_ns);
  EXPECT_NEAR(*get->mean_ns, 5'000, 1e-6);
  EXPECT_EQ(get->p50_at_most, microseconds{8});
  EXPECT_EQ(get->p99_at_most, microseconds{66});
  EXPECT_TRUE(get->client_p50);
  const EngineCommand* set = find(summary, "set");
  ASSERT_NE(set, nullptr);
  EXPECT_FALSE(set->mean_ns) << "its time was not sampled";
  EXPECT_FALSE(set->p50_at_most);
}

TEST(EngineCommands, AQuantileNeedsItsCalls) {
  const Summary summary = summarize(
      RunBuilder()
          .metric(
              "command_latency_count", [](double t) { return t > 1 ? 50.0 : 0.0; }, "get<=8us")
          .build());
  const EngineCommand* get = find(summary, "get");
  ASSERT_NE(get, nullptr);
  EXPECT_EQ(get->p50_at_most, microseconds{8});
  EXPECT_FALSE(get->p99_at_most);
}

TEST(EngineCommands, CountersThatWentBackTellNothing) {
  const Summary summary = summarize(
      RunBuilder()
          .metric(
              "command_latency_count", [](double t) { return 9'000 - 100 * t; }, "get<=8us")
          .build());
  ASSERT_NE(find(summary, "get"), nullptr);
  EXPECT_FALSE(find(summary, "get")->p50_at_most);
}

}  // namespace
}  // namespace headroom::analysis
