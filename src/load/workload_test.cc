#include "load/workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "load/fleet.h"

namespace headroom::load {
namespace {

using record::Outcome;
using resp::Reply;
using resp::ReplyType;
using testing::ElementsAre;

scenario::Workload workload(std::uint32_t sets, std::uint32_t gets, std::uint64_t value_bytes = 8) {
  scenario::Workload result;
  result.set_weight = sets;
  result.get_weight = gets;
  result.value_bytes = value_bytes;
  return result;
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
  const Generator generator(plan, 1, 0, 1000);
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
  const Generator generator(plan, 1, 0, 1000);
  ConnectionStreams streams(1, 0, 0);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(generator.draw(streams).operation, 1);
}

TEST(Workload, KeysAreUniform) {
  constexpr std::uint64_t kKeys = 1000;
  constexpr int kDraws = 1'000'000;
  const WorkloadPlan plan(workload(1, 1), 1);
  const Generator generator(plan, 1, 0, kKeys);
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
  const Generator generator(plan, seed, worker, 1'000'000);
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
  const Generator generator(plan, 1, 0, kKeys);
  std::set<std::uint64_t> distinct;
  for (std::uint32_t connection = 0; connection < 50; ++connection) {
    ConnectionStreams streams(1, 0, connection);
    for (int i = 0; i < 400; ++i) distinct.insert(generator.draw(streams).key);
  }
  EXPECT_NEAR(static_cast<double>(distinct.size()), kKeys * (1 - std::exp(-1.0)), kKeys * 0.01);
}

TEST(Workload, EncodesGetAndSetForEveryNumberOfDigits) {
  const WorkloadPlan plan(workload(1, 1, 11), 7);
  const Generator generator(plan, 7, 4, 1'000'000);
  const std::string& value_part = plan.value_part();
  ASSERT_TRUE(value_part.starts_with("\r\n$11\r\n"));
  ASSERT_EQ(value_part.size(), 2U + 5U + 11U + 2U);
  Batch batch;
  std::string expected;
  for (const std::uint64_t key : {0ULL, 7ULL, 10ULL, 999ULL, 123'456ULL, 99'999'999ULL,
                                  100'000'000ULL, 12'345'678'901'234'567'890ULL}) {
    const std::string text = key_text(7, 4, key);
    const std::string bulk = "$" + std::to_string(text.size()) + "\r\n" + text;
    generator.encode({0, key}, batch);
    generator.encode({1, key}, batch);
    expected += "*3\r\n$3\r\nSET\r\n" + bulk + value_part + "*2\r\n$3\r\nGET\r\n" + bulk + "\r\n";
  }
  EXPECT_EQ(batch.bytes(), expected);
  EXPECT_EQ(batch.tail(), "");
}

TEST(Workload, LeavesALargeValueWhereItLies) {
  const WorkloadPlan plan(workload(1, 1, 1 << 20), 7);
  const Generator generator(plan, 7, 0, 10);
  Batch batch;
  EXPECT_FALSE(batch.full());
  generator.encode({0, 3}, batch);
  EXPECT_TRUE(batch.full());
  EXPECT_EQ(batch.tail(), plan.value_part());
  EXPECT_EQ(batch.tail().data(), plan.value_part().data());
}

TEST(Workload, ValuesDoNotCompress) {
  const WorkloadPlan plan(workload(1, 1, 1 << 16), 7);
  std::vector<double> counts(256);
  const std::string& part = plan.value_part();
  for (std::size_t i = 0; i < 1 << 16; ++i) {
    ++counts[static_cast<unsigned char>(part[part.size() - 3 - i])];
  }
  double entropy_bits = 0;
  for (const double count : counts) {
    if (count > 0) entropy_bits -= count / 65536 * std::log2(count / 65536);
  }
  EXPECT_GT(entropy_bits, 7.99);
}

TEST(Workload, ReadsOutcomesFromReplies) {
  const WorkloadPlan plan(workload(1, 1), 1);
  const Generator generator(plan, 1, 0, 10);
  constexpr std::uint8_t kSet = 0;
  constexpr std::uint8_t kGet = 1;
  const Reply ok{ReplyType::kSimple, "OK", 0};
  const Reply bulk{ReplyType::kBulk, "", 8};
  const Reply null{ReplyType::kNull, "", 0};
  const Reply number{ReplyType::kInteger, "", 1};
  const auto error = [](std::string_view text) { return Reply{ReplyType::kError, text, 0}; };
  EXPECT_EQ(generator.classify(kGet, bulk), Outcome::kHit);
  EXPECT_EQ(generator.classify(kGet, null), Outcome::kMiss);
  EXPECT_EQ(generator.classify(kSet, ok), Outcome::kOk);
  EXPECT_EQ(generator.classify(kSet, error("OOM command not allowed")), Outcome::kRejected);
  EXPECT_EQ(generator.classify(kSet, error("OOM")), Outcome::kRejected);
  EXPECT_EQ(generator.classify(kSet, error("OOMPH no")), Outcome::kError);
  EXPECT_EQ(generator.classify(kSet, error("ERR OOM")), Outcome::kError);
  EXPECT_EQ(generator.classify(kGet, error("MOVED 1 h:1")), Outcome::kError);
  // Replies of a type that the command never gives are errors, not successes.
  EXPECT_EQ(generator.classify(kGet, ok), Outcome::kError);
  EXPECT_EQ(generator.classify(kGet, number), Outcome::kError);
  EXPECT_EQ(generator.classify(kSet, null), Outcome::kError);
  EXPECT_EQ(generator.classify(kSet, bulk), Outcome::kError);
}

}  // namespace
}  // namespace headroom::load
