#include "scenario/operations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headroom::scenario {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;

std::vector<std::string> names_of(const Workload& workload) {
  std::vector<std::string> names;
  for (const Operation& operation : operations_of(workload)) names.push_back(operation.name);
  return names;
}

Workload ratio(std::uint32_t sets, std::uint32_t gets) {
  Workload workload;
  workload.set_weight = sets;
  workload.get_weight = gets;
  return workload;
}

TEST(Operations, OfARatioAreSetAndGet) {
  EXPECT_THAT(names_of(ratio(1, 10)), ElementsAre("SET", "GET"));
  EXPECT_THAT(names_of(ratio(0, 1)), ElementsAre("GET"));
  EXPECT_THAT(names_of(ratio(1, 0)), ElementsAre("SET"));
  Workload prefilled = ratio(0, 1);
  prefilled.prefill = true;
  EXPECT_THAT(names_of(prefilled), ElementsAre("SET", "GET"));
  EXPECT_EQ(operations_of(prefilled)[0].weight, 0U);
}

TEST(Operations, SetWritesTheTtl) {
  const auto set_with = [](Ttl ttl) {
    Workload workload = ratio(1, 0);
    workload.ttl = ttl;
    return operations_of(workload)[0].line;
  };
  EXPECT_EQ(set_with(Nanos(seconds{2})), *read_command_line("SET __key__ __data__ PX 2000"));
  EXPECT_EQ(set_with(TtlRange{seconds{1}, seconds{2}}),
            *read_command_line("SET __key__ __data__ PX __rand(1000,2000)__"));
  EXPECT_EQ(set_with(TtlJitter{seconds{10}, 25}),
            *read_command_line("SET __key__ __data__ PX __rand(7500,12500)__"));
  EXPECT_EQ(set_with(TtlJitter{milliseconds{1}, 100}),
            *read_command_line("SET __key__ __data__ PX __rand(1,2)__"))
      << "the engine refuses a TTL of 0";
}

TEST(Operations, OfCommandsHaveUniqueNames) {
  Workload workload;
  workload.prefill = true;
  workload.commands = {{"GET __key__", "", 1, {}, {}},
                       {"get other", "", 1, {}, {}},
                       {"INCR __key__", "GET-2", 1, {}, {}},
                       {"MULTI; INCR a; EXEC", "", 1, {}, {}},
                       {"\"odd verb\" a", "", 1, {}, {}}};
  EXPECT_THAT(names_of(workload),
              ElementsAre("prefill", "GET", "GET-3", "GET-2", "MULTI", "command-5"));
}

TEST(Operations, TakeWhatACommandSaysBeforeWhatTheWorkloadSays) {
  Workload workload;
  workload.key_distribution = ZipfKeys{1};
  workload.value_size = std::uint64_t{10};
  workload.commands = {{"GET __key__", "", 3, {}, {}},
                       {"SET __key__ __data__", "", 1, UniformKeys{}, SizeRange{1, 2}}};
  const auto operations = operations_of(workload);
  EXPECT_EQ(operations[0].weight, 3U);
  EXPECT_EQ(operations[0].keys, KeyDistribution(ZipfKeys{1}));
  EXPECT_EQ(operations[0].value_size, ValueSize(std::uint64_t{10}));
  EXPECT_EQ(operations[1].keys, KeyDistribution(UniformKeys{}));
  EXPECT_EQ(operations[1].value_size, ValueSize(SizeRange{1, 2}));
  EXPECT_EQ(describe_mix(workload), "GET 3, SET 1");
  EXPECT_EQ(describe_keys(workload), "zipf(1) or as the command says");
}

TEST(Operations, SizesHaveAMeanOverAllKeys) {
  EXPECT_EQ(mean_bytes(std::uint64_t{7}), 7U);
  EXPECT_EQ(mean_bytes(SizeRange{100, 301}), 200U);
  EXPECT_EQ(mean_bytes(SizeList{{100, 3}, {1000, 1}}), 325U);
  const std::uint64_t huge = std::uint64_t{1} << 29U;
  EXPECT_EQ(mean_bytes(SizeList(1000, WeightedSize{huge, 1'000'000})), huge);
  EXPECT_EQ(largest_bytes(SizeList{{100, 3}, {1000, 1}}), 1000U);
  EXPECT_EQ(smallest_bytes(SizeList{{100, 3}, {1000, 1}}), 100U);
}

TEST(Operations, CacheAsideFillsWhatAPlainGetMisses) {
  Workload workload;
  workload.value_size = std::uint64_t{100};
  workload.get_weight = 1;
  workload.backend_time = Nanos{1};
  workload.ttl = Nanos{std::chrono::seconds{2}};
  auto operations = operations_of(workload);
  ASSERT_EQ(operations.size(), 2U);
  EXPECT_TRUE(operations[0].reads_through);
  EXPECT_EQ(operations[1].name, "fill");
  EXPECT_TRUE(operations[1].fills);
  EXPECT_EQ(operations[1].weight, 0U);
  EXPECT_EQ(operations[1].line.commands.front().size(), 5U);  // SET key value PX 2000
  workload.get_weight = 0;
  workload.commands = {
      {.text = "get __key__", .name = "fill", .weight = 1, .keys = {}, .value_size = {}},
      {.text = "GET fixed", .name = "", .weight = 1, .keys = {}, .value_size = {}},
      {.text = "GETEX __key__", .name = "", .weight = 1, .keys = {}, .value_size = {}},
      // Drawn in a stage, if at all.
      {.text = "GET __key__", .name = "later", .weight = 0, .keys = {}, .value_size = {}}};
  operations = operations_of(workload);
  ASSERT_EQ(operations.size(), 5U);
  EXPECT_TRUE(operations[0].reads_through);
  EXPECT_FALSE(operations[1].reads_through);
  EXPECT_FALSE(operations[2].reads_through);
  EXPECT_TRUE(operations[3].reads_through);
  EXPECT_EQ(operations[4].name, "fill-2");
}

}  // namespace
}  // namespace headroom::scenario
