#include "load/workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace headroom::load {
namespace {

using testing::ElementsAre;

scenario::Workload workload(std::uint32_t sets, std::uint32_t gets, std::uint64_t value_bytes = 8) {
  scenario::Workload result;
  result.set_weight = sets;
  result.get_weight = gets;
  result.value_size = value_bytes;
  return result;
}

KeyShare own(std::uint32_t worker, std::uint64_t keys) { return {worker, keys, 0, keys}; }

scenario::Workload commands(std::vector<scenario::WeightedCommand> rows) {
  scenario::Workload result = workload(0, 0);
  result.commands = std::move(rows);
  return result;
}

std::vector<std::string> operation_names(const scenario::Workload& workload) {
  std::vector<std::string> names;
  for (const scenario::Operation& operation : scenario::operations_of(workload))
    names.push_back(operation.name);
  return names;
}

TEST(Workload, NamesTheOperationsItMakes) {
  EXPECT_THAT(operation_names(workload(1, 10)), ElementsAre("SET", "GET"));
  EXPECT_THAT(operation_names(workload(0, 1)), ElementsAre("GET"));
  EXPECT_THAT(operation_names(workload(1, 0)), ElementsAre("SET"));
  scenario::Workload prefilled = workload(0, 1);
  prefilled.prefill = true;
  EXPECT_THAT(operation_names(prefilled), ElementsAre("SET", "GET"));
}

TEST(Workload, DrawsByWeight) {
  const WorkloadPlan plan(workload(1, 10), 1);
  Generator generator(plan, 1, own(0, 1000));
  ConnectionStreams streams(1, 0, 0);
  constexpr int kDraws = 110'000;
  int sets = 0;
  for (int i = 0; i < kDraws; ++i) sets += generator.draw(streams).operation == 0 ? 1 : 0;
  // 10,000 expected; five standard deviations.
  EXPECT_NEAR(sets, kDraws / 11, 5 * std::sqrt(kDraws * (1.0 / 11) * (10.0 / 11)));
}

TEST(Workload, NeverDrawsAnOperationThatOnlyPrefills) {
  scenario::Workload prefilled = workload(0, 1);
  prefilled.prefill = true;
  const WorkloadPlan plan(prefilled, 1);
  Generator generator(plan, 1, own(0, 1000));
  ConnectionStreams streams(1, 0, 0);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(generator.draw(streams).operation, 1);
}

TEST(Workload, KeysAreUniform) {
  constexpr std::uint64_t kKeys = 1000;
  constexpr int kDraws = 1'000'000;
  const WorkloadPlan plan(workload(1, 1), 1);
  Generator generator(plan, 1, own(0, kKeys));
  ConnectionStreams streams(1, 0, 0);
  std::vector<int> counts(kKeys);
  for (int i = 0; i < kDraws; ++i) ++counts[generator.draw(streams).key];
  double chi_square = 0;
  constexpr double kExpected = static_cast<double>(kDraws) / kKeys;
  for (const int count : counts)
    chi_square += (count - kExpected) * (count - kExpected) / kExpected;
  // 999 degrees of freedom: mean 999, standard deviation sqrt(2 * 999) = 44.7; five of them.
  EXPECT_NEAR(chi_square, 999, 5 * 44.7);
}

std::vector<std::uint64_t> keys_drawn(std::uint64_t seed, std::uint32_t worker,
                                      std::uint32_t connection) {
  const WorkloadPlan plan(workload(1, 10), seed);
  Generator generator(plan, seed, own(worker, 1'000'000));
  ConnectionStreams streams(seed, worker, connection);
  std::vector<std::uint64_t> keys;
  for (int i = 0; i < 100; ++i) keys.push_back(generator.draw(streams).key);
  return keys;
}

TEST(Workload, TheSameSeedGivesTheSameKeysAndEveryConnectionItsOwn) {
  EXPECT_EQ(keys_drawn(1, 2, 3), keys_drawn(1, 2, 3));
  std::set<std::vector<std::uint64_t>> sequences;
  for (std::uint32_t worker = 0; worker < 10; ++worker) {
    for (std::uint32_t connection = 0; connection < 10; ++connection) {
      sequences.insert(keys_drawn(1, worker, connection));
    }
  }
  sequences.insert(keys_drawn(2, 0, 0));
  EXPECT_EQ(sequences.size(), 101U);
}

TEST(Workload, ConnectionsTogetherCoverTheKeysAsOneRandomStreamWould) {
  // S draws over K keys by 50 connections reach K (1 - e^(-S/K)) keys; shared streams would reach a
  // fiftieth of the draws.
  constexpr std::uint64_t kKeys = 20'000;
  const WorkloadPlan plan(workload(1, 0), 1);
  Generator generator(plan, 1, own(0, kKeys));
  std::set<std::uint64_t> distinct;
  for (std::uint32_t connection = 0; connection < 50; ++connection) {
    ConnectionStreams streams(1, 0, connection);
    for (int i = 0; i < 400; ++i) distinct.insert(generator.draw(streams).key);
  }
  EXPECT_NEAR(static_cast<double>(distinct.size()), kKeys * (1 - std::exp(-1.0)), kKeys * 0.01);
}

TEST(Workload, EncodesGetAndSetForEveryNumberOfDigits) {
  const WorkloadPlan plan(workload(1, 1, 11), 7);
  Generator generator(plan, 7, own(4, 1'000'000));
  ConnectionStreams streams(7, 4, 0);
  const std::string value = "\r\n$11\r\n" + std::string(plan.values().value(11)) + "\r\n";
  Batch batch;
  std::string expected;
  for (const std::uint64_t key : {0ULL, 7ULL, 10ULL, 999ULL, 123'456ULL, 99'999'999ULL,
                                  100'000'000ULL, 12'345'678'901'234'567'890ULL}) {
    const std::string text = key_text(7, 4, key);
    const std::string bulk = "$" + std::to_string(text.size()) + "\r\n" + text;
    generator.encode({.operation = 0, .key = key}, streams, batch);
    generator.encode({.operation = 1, .key = key}, streams, batch);
    expected += "*3\r\n$3\r\nSET\r\n" + bulk + value + "*2\r\n$3\r\nGET\r\n" + bulk + "\r\n";
  }
  EXPECT_EQ(batch.bytes(), expected);
  EXPECT_EQ(batch.tail(), "");
}

TEST(Workload, LeavesALargeValueWhereItLies) {
  const WorkloadPlan plan(workload(1, 1, 1 << 20), 7);
  Generator generator(plan, 7, own(0, 10));
  ConnectionStreams streams(7, 0, 0);
  Batch batch;
  EXPECT_FALSE(batch.full());
  generator.encode({.operation = 0, .key = 3}, streams, batch);
  EXPECT_TRUE(batch.full());
  EXPECT_EQ(batch.tail(), plan.around_key(0)->after);
  EXPECT_EQ(batch.tail().data(), plan.around_key(0)->after.data());
}

TEST(Workload, CommandsAreDrawnByWeightWithTheirOwnKeys) {
  const WorkloadPlan plan(commands({{"GET __key__", "", 3, {}, {}},
                                    {"INCR __key__", "", 1, scenario::SequentialKeys{}, {}}}),
                          1);
  Generator generator(plan, 1, own(0, 1000));
  ConnectionStreams streams(1, 0, 0);
  constexpr int kDraws = 100'000;
  std::uint64_t incremented = 0;
  for (int i = 0; i < kDraws; ++i) {
    const Request request = generator.draw(streams);
    if (request.operation == 0) continue;
    ASSERT_EQ(request.key, incremented++ % 1000) << "in order";
  }
  EXPECT_NEAR(static_cast<double>(incremented), kDraws / 4.0, 5 * std::sqrt(kDraws * 3.0 / 16));
}

TEST(Workload, APrefilledWorkloadOfCommandsHasAnOperationThatPrefills) {
  scenario::Workload prefilled = commands({{"HGET __key__ f", "", 1, {}, {}}});
  prefilled.prefill = true;
  EXPECT_THAT(operation_names(prefilled), ElementsAre("prefill", "HGET"));
  const WorkloadPlan plan(prefilled, 1);
  Generator generator(plan, 1, {.owner = kNone, .space = 100, .begin = 40, .count = 20});
  EXPECT_EQ(generator.prefill(3).key, 43U) << "the worker's share of the shared space";
  EXPECT_EQ(generator.prefill(3).operation, 0);
  EXPECT_EQ(generator.keys(), 20U);
  ConnectionStreams streams(1, 0, 0);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(generator.draw(streams).operation, 1);
}

TEST(Workload, WorkersThatShareASpaceAgreeOnKeysAndPopularity) {
  scenario::Workload shared = workload(1, 0);
  shared.key_space = scenario::KeyOwnership::kShared;
  shared.key_distribution = scenario::ZipfKeys{1.2};
  const auto popular = [&](scenario::KeyOwnership ownership, std::uint32_t worker) {
    const WorkloadPlan plan(shared, 1);
    Generator generator(plan, 1, share_of_worker(ownership, 2000, 2, worker));
    ConnectionStreams streams(1, worker, 0);
    std::map<std::uint64_t, int> counts;
    for (int i = 0; i < 10'000; ++i) ++counts[generator.draw(streams).key];
    const auto most = std::ranges::max_element(counts, {}, [](const auto& c) { return c.second; });
    Batch batch;
    generator.encode({.operation = 0, .key = most->first}, streams, batch);
    return std::string(batch.bytes());
  };
  EXPECT_EQ(popular(scenario::KeyOwnership::kShared, 0),
            popular(scenario::KeyOwnership::kShared, 1));
  EXPECT_NE(popular(scenario::KeyOwnership::kPerWorker, 0),
            popular(scenario::KeyOwnership::kPerWorker, 1));
}

TEST(Workload, PopularKeysMoveWhenItIsTime) {
  scenario::Workload moving = workload(1, 0);
  moving.key_distribution = scenario::HotspotKeys{100, 1};
  moving.keys_move_every = std::chrono::seconds{10};
  const WorkloadPlan plan(moving, 1);
  Generator generator(plan, 1, own(0, 1000));
  ConnectionStreams streams(1, 0, 0);
  const auto area = [&](Nanos since) {
    generator.advance(since);
    return generator.draw(streams).key / 10;
  };
  const std::uint64_t first = area(Nanos{0});
  EXPECT_EQ(area(std::chrono::milliseconds{9999}), first);
  const std::uint64_t second = area(std::chrono::seconds{10});
  EXPECT_NE(second, first);
  EXPECT_EQ(area(std::chrono::seconds{19}), second);
  EXPECT_NE(area(std::chrono::seconds{45}), second) << "a late look skips epochs";
}

}  // namespace
}  // namespace headroom::load
