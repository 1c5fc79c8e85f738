#include "telemetry/engine_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

namespace headroom::telemetry {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;

std::optional<double> value_of(const std::vector<record::Sample>& samples, std::string_view metric,
                               std::string_view label = "") {
  std::optional<double> found;
  for (const auto& sample : samples) {
    if (sample.metric == record::metric(metric) && sample.label == label) {
      EXPECT_FALSE(found) << metric << " stands twice";
      found = sample.value;
    }
  }
  return found;
}

TEST(EngineSamplesTest, ReadFieldsUnderTheirCataloguedNames) {
  const auto samples = engine_samples(resp::Info::parse(
      "# Memory\r\nused_memory:941064\r\nmaxmemory:0\r\nactive_defrag_running:25\r\n"
      "# Stats\r\nevicted_keys:12\r\nexpired_keys:3\r\n"
      "# CPU\r\nused_cpu_sys_main_thread:0.007664\r\n"));
  EXPECT_EQ(value_of(samples, "BytesUsedForCache"), 941064);
  EXPECT_EQ(value_of(samples, "maxmemory"), 0);
  EXPECT_EQ(value_of(samples, "active_defrag_running"), 0.25);
  EXPECT_EQ(value_of(samples, "Evictions"), 12);
  EXPECT_EQ(value_of(samples, "Reclaimed"), 3);
  EXPECT_EQ(value_of(samples, "used_cpu_sys_main_thread_seconds"), 0.007664);
}

TEST(EngineSamplesTest, HaveNoSampleForWhatWasNotTold) {
  const auto samples = engine_samples(resp::Info::parse("used_memory:many\r\n"));
  EXPECT_TRUE(samples.empty());
}

TEST(EngineSamplesTest, CountAnEmptyKeyspaceAsZeroKeysAndAMissingOneAsNothing) {
  EXPECT_EQ(value_of(engine_samples(resp::Info::parse("# Keyspace\r\n")), "CurrItems"), 0);
  EXPECT_EQ(value_of(engine_samples(resp::Info::parse("# Stats\r\n")), "CurrItems"), std::nullopt);
  const auto two = engine_samples(
      resp::Info::parse("# Keyspace\r\ndb0:keys=7,expires=2\r\ndb1:keys=5,expires=1\r\n"));
  EXPECT_EQ(value_of(two, "CurrItems"), 12);
  EXPECT_EQ(value_of(two, "CurrVolatileItems"), 3);
}

TEST(EngineSamplesTest, LabelCommandStatisticsByLowerCaseCommand) {
  const auto samples = engine_samples(resp::Info::parse(
      "# Commandstats\r\n"
      "cmdstat_SET:calls=5,usec=91,usec_per_call=18.2,rejected_calls=2,failed_calls=1\r\n"
      "cmdstat_config|get:calls=3,usec=7,usec_per_call=2.3\r\n"));
  EXPECT_EQ(value_of(samples, "command_calls", "set"), 5);
  EXPECT_EQ(value_of(samples, "command_usec", "set"), 91);
  EXPECT_EQ(value_of(samples, "command_rejected", "set"), 2);
  EXPECT_EQ(value_of(samples, "command_failed", "set"), 1);
  EXPECT_EQ(value_of(samples, "command_calls", "config|get"), 3);
  EXPECT_EQ(value_of(samples, "command_failed", "config|get"), std::nullopt);
}

TEST(MissingMetricsTest, NameWhatEveryEngineShouldTellAndNothingElse) {
  const auto missing =
      missing_metrics(resp::Info::parse("used_memory:1\r\n# Keyspace\r\n# Commandstats\r\n"));
  EXPECT_THAT(missing, Contains("maxmemory"));
  EXPECT_THAT(missing, Not(Contains("BytesUsedForCache")));
  EXPECT_THAT(missing, Not(Contains("CurrItems")));
  EXPECT_THAT(missing, Not(Contains("allocator_active")));  // depends on the allocator
}

}  // namespace
}  // namespace headroom::telemetry
