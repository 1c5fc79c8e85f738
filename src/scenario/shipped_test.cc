// The scenarios that are shipped, each held to what it says of itself.
#include <gtest/gtest.h>

#include <filesystem>

#include "scenario/keys.h"
#include "scenario/parse.h"
#include "scenario/print.h"
#include "tests/support/source_folder.h"

namespace headroom::scenario {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

const fs::path kDirectory = testing::source_folder() / "scenarios";
constexpr double kBytesPerKey = 1371.5;  // in the engine, of a value of 1,024 bytes

TEST(ShippedScenarios, AllParseAndAreNamedAfterTheirFile) {
  int found = 0;
  for (const auto& entry : fs::directory_iterator(kDirectory)) {
    if (entry.path().extension() != ".toml") continue;
    ++found;
    const auto scenario = load_scenario(entry.path());
    ASSERT_TRUE(scenario) << scenario.error().message;
    EXPECT_EQ(scenario->name, entry.path().stem());
    EXPECT_FALSE(scenario->description.empty()) << entry.path();
    const auto again = parse_scenario(print_scenario(*scenario), "again.toml");
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_TRUE(*again == *scenario) << entry.path();
  }
  EXPECT_GE(found, 4);
}

// Keys that fit into the engine's memory.
double capacity(const Scenario& scenario) {
  return static_cast<double>(scenario.target.maxmemory_bytes) / kBytesPerKey;
}

TEST(ShippedScenarios, FirstRunReachesTheCliffWithinAMinute) {
  const auto s = load_scenario(kDirectory / "first-run.toml");
  ASSERT_TRUE(s) << s.error().message;
  EXPECT_EQ(s->load.workers, 3U);
  EXPECT_EQ(s->load.connections, 2U);
  EXPECT_EQ(s->target.maxmemory_policy, "allkeys-lru");
  EXPECT_LT(s->timing.warmup + s->timing.measure + s->timing.drain, seconds{60});
  const auto keys =
      resolve_keys(mean_bytes(s->workload.value_size),
                   implied_node_memory_bytes(s->target.maxmemory_bytes), s->load.workers);
  ASSERT_TRUE(keys);
  EXPECT_GT(static_cast<double>(keys->total), 1.2 * capacity(*s));
}

TEST(ShippedScenarios, HeadroomFits) {
  const auto s = load_scenario(kDirectory / "headroom.toml");
  ASSERT_TRUE(s) << s.error().message;
  EXPECT_TRUE(s->workload.prefill);
  EXPECT_LT(static_cast<double>(s->workload.keys.value()), 0.8 * capacity(*s));
}

}  // namespace
}  // namespace headroom::scenario
