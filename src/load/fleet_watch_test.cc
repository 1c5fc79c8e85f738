// Single requests: the slowest, the log, latency by value size and by hot and cold keys.
#include <string>

#include "load/keys.h"
#include "load/streams.h"
#include "tests/support/fleet_fixture.h"

namespace headroom::load {
namespace {

using record::RequestRecord;
using record::Split;

class FleetWatchTest : public FleetTest {
 protected:
  [[nodiscard]] std::vector<RequestRecord> logged() const {
    std::vector<RequestRecord> all;
    for (const auto& interval : sink_.content().intervals)
      all.insert(all.end(), interval.logged.begin(), interval.logged.end());
    return all;
  }
  [[nodiscard]] std::vector<RequestRecord> slowest() const {
    std::vector<RequestRecord> all;
    for (const auto& interval : sink_.content().intervals)
      record::merge_slowest(all, interval.slowest);
    return all;
  }
  [[nodiscard]] std::map<record::SplitKey, std::uint64_t> splits() const {
    std::map<record::SplitKey, std::uint64_t> counts;
    for (const auto& interval : sink_.content().intervals) {
      for (const auto& series : interval.splits) counts[series.key] += series.histogram.count();
    }
    return counts;
  }
};

TEST_F(FleetWatchTest, TheSlowestAreThoseThatTheServerMadeSlow) {
  Script script;
  script.on({"GET"}).nth(40).delay(60ms);
  script.on({"SET"}).nth(7).delay(40ms);
  serve(std::move(script));
  config_.load = {1, 2, 2, 5s, 5s};
  config_.load.keep_slowest = true;
  config_.load.requests = 600;
  connect();
  run(0s, 600s);
  const auto all = slowest();
  ASSERT_EQ(all.size(), record::kSlowestKept);
  EXPECT_TRUE(std::ranges::is_sorted(all, record::slower));
  // What was behind them in the pipeline waited as well.
  EXPECT_GE(*all[0].service, 60ms);
  const auto slow_set = std::ranges::find_if(all, [](const RequestRecord& request) {
    return request.operation == 0 && *request.service >= 40ms;
  });
  ASSERT_NE(slow_set, all.end());
  EXPECT_EQ(slow_set->value_bytes, 32U);
  EXPECT_EQ(slow_set->outcome, Outcome::kOk);
  EXPECT_FALSE(slow_set->response);
  EXPECT_TRUE(slow_set->key.starts_with(key_prefix(config_.seed, 0))) << slow_set->key;
  EXPECT_GE(slow_set->sent, windows_.measure_begin);
}

TEST_F(FleetWatchTest, TheWholeLogHasEveryRequestOfMeasure) {
  Script script;
  script.on({"GET"}).every(3).nil();
  script.on({"SET"}).every(5).error("ERR no");
  serve(std::move(script));
  config_.load = {2, 2, 3, 5s, 5s};
  config_.load.request_log = 1.0;
  config_.load.requests = 500;
  config_.workload.value_size = scenario::SizeList{{32, 1}, {300, 1}};
  connect();
  run(0s, 600s);
  std::vector<record::OperationCounts> counts(2);
  for (const RequestRecord& request : logged()) {
    ++counts[request.operation].sent;
    ++counts[request.operation].outcomes[static_cast<std::size_t>(request.outcome)];
    const bool has_value = request.operation == 0 || request.outcome == Outcome::kHit;
    EXPECT_EQ(request.value_bytes.has_value(), has_value);
    EXPECT_TRUE(request.service);
    EXPECT_LT(request.worker, 2U);
    EXPECT_LT(request.connection, 2U);
  }
  EXPECT_EQ(counts, totals({Phase::kMeasure}));
}

TEST_F(FleetWatchTest, WhatHasNoReplyIsInTheLogWithoutALatency) {
  Script script;
  script.on({"GET"}).nth(5).never_answer();
  serve(std::move(script));
  config_.load = {1, 1, 2, 5s, 100ms};
  config_.load.request_log = 1.0;
  config_.load.keep_slowest = true;
  connect();
  run_until(
      [&] {
        return sink_.wait_until(
            [](const auto& content) { return content.count(EventKind::kReconnected) > 0; }, kSoon);
      },
      kSoon);
  std::uint64_t unanswered = 0;
  for (const RequestRecord& request : logged()) {
    if (!record::has_reply(request.outcome)) ++unanswered;
    EXPECT_EQ(request.service.has_value(), record::has_reply(request.outcome));
  }
  EXPECT_EQ(unanswered, total(Outcome::kTimeout) + total(Outcome::kLost));
  EXPECT_GT(unanswered, 0U);
}

TEST_F(FleetWatchTest, SplitsBySizeAndPopularityAddUp) {
  serve({});
  config_.load = {2, 2, 3, 5s, 5s};
  config_.load.fine_splits = true;
  config_.load.requests = 20'000;
  config_.workload.value_size = scenario::SizeList{{32, 1}, {300, 1}};
  config_.workload.key_distribution = scenario::HotspotKeys{80, 10};
  connect();
  run(0s, 600s);
  std::map<Split, std::uint64_t> sums;
  std::map<std::uint64_t, std::uint64_t> set_sizes;
  std::uint64_t hot = 0;
  for (const auto& [key, count] : splits()) {
    sums[key.split] += count;
    if (key.split == Split::kValueSize && key.latency.operation == 0) set_sizes[key.part] += count;
    if (key.split == Split::kKeys && key.part == record::kHotKeys) hot += count;
  }
  EXPECT_EQ(sums[Split::kKeys], 20'000U);
  EXPECT_EQ(sums[Split::kValueSize], 20'000U - total(Outcome::kMiss));  // which has no value
  EXPECT_EQ(set_sizes.size(), 2U);
  EXPECT_GT(set_sizes[64], 1'000U);
  EXPECT_GT(set_sizes[512], 1'000U);
  // 80 % of 20,000 draws, within five deviations.
  EXPECT_NEAR(static_cast<double>(hot), 16'000, 5 * 57);
  EXPECT_EQ(sink_.content().facts.at("workload.hot_keys.GET"), "5");  // 10 % of a worker's 50
}

TEST_F(FleetWatchTest, OneSizeAndEvenKeysAreNotSplit) {
  serve({});
  config_.load.fine_splits = true;
  config_.load.requests = 100;
  connect();
  run(0s, 600s);
  EXPECT_TRUE(splits().empty());
  EXPECT_TRUE(sink_.content().facts.empty());
}

TEST_F(FleetWatchTest, InOpenLoopTheSlowestAreThoseThatUsersWaitedForLongest) {
  Script script;
  script.on({"GET", "SET"}).nth(20).delay(80ms);
  serve(std::move(script));
  config_.load = {1, 1, 1, 5s, 5s};
  config_.load.rate = scenario::ConstantRate{500};
  config_.load.keep_slowest = true;
  connect();
  run(0s, 1s);
  const auto all = slowest();
  ASSERT_FALSE(all.empty());
  ASSERT_TRUE(all[0].response);
  EXPECT_GE(*all[0].response, 80ms);
  // Those behind it were sent late: served in no time, and yet slow.
  const auto waited = std::ranges::find_if(all, [](const RequestRecord& request) {
    return *request.response >= 40ms && *request.service < 40ms;
  });
  EXPECT_NE(waited, all.end());
}

}  // namespace
}  // namespace headroom::load
