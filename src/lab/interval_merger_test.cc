#include "lab/interval_merger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headroom::lab {
namespace {

using record::Outcome;
using record::Phase;
using std::chrono::seconds;

constexpr record::LatencyKey kSetOk{0, Outcome::kOk, record::LatencyKind::kService};

record::WorkerInterval report(std::uint32_t worker, Phase phase, std::int64_t index,
                              std::vector<Nanos> latencies) {
  record::WorkerInterval interval;
  interval.worker = worker;
  interval.interval = {phase, index, seconds{index}, seconds{index + 1}};
  interval.counts.resize(1);
  interval.counts[0].sent = latencies.size();
  interval.counts[0].outcomes[static_cast<std::size_t>(Outcome::kOk)] = latencies.size();
  if (!latencies.empty()) {
    interval.latencies.push_back({kSetOk, {}});
    for (const Nanos latency : latencies) interval.latencies[0].histogram.record(latency);
  }
  return interval;
}

TEST(IntervalMerger, HoldsAnIntervalUntilEveryWorkerHasReported) {
  IntervalMerger merger(3);
  EXPECT_TRUE(merger.add(report(0, Phase::kMeasure, 0, {Nanos{100}})).empty());
  EXPECT_TRUE(merger.add(report(2, Phase::kMeasure, 0, {})).empty());
  const auto merged = merger.add(report(1, Phase::kMeasure, 0, {Nanos{300}, Nanos{500}}));
  ASSERT_EQ(merged.size(), 1U);
  EXPECT_EQ(merged[0].workers, 3U);
  EXPECT_EQ(merged[0].counts[0].sent, 3U);
  ASSERT_EQ(merged[0].latencies.size(), 1U);
  stats::Histogram together;
  for (const int value : {100, 300, 500}) together.record(Nanos{value});
  EXPECT_EQ(merged[0].latencies[0].histogram, together);
}

TEST(IntervalMerger, MergesTheTimesOfOpeningByStepAndWhetherAgain) {
  IntervalMerger merger(2);
  const auto opened = [](std::uint32_t worker, record::ConnectKey key, Nanos took) {
    record::WorkerInterval interval = report(worker, Phase::kConnect, 0, {});
    interval.connects.push_back({key, {}});
    interval.connects[0].histogram.record(took);
    return interval;
  };
  constexpr record::ConnectKey kTls{record::ConnectStep::kTls, false};
  EXPECT_TRUE(merger.add(opened(0, kTls, Nanos{100})).empty());
  record::WorkerInterval other = opened(1, kTls, Nanos{300});
  other.connects.push_back({{record::ConnectStep::kTls, true}, {}});
  other.connects[1].histogram.record(Nanos{7});
  const auto merged = merger.add(other);
  ASSERT_EQ(merged.size(), 1U);
  ASSERT_EQ(merged[0].connects.size(), 2U);
  EXPECT_EQ(merged[0].connects[0].histogram.count(), 2U);
  EXPECT_EQ(merged[0].connects[0].histogram.max(), Nanos{300});
  EXPECT_EQ(merged[0].connects[1].histogram.count(), 1U);
}

TEST(IntervalMerger, GivesIntervalsInOrderOfTimeEvenIfAWorkerRunsAhead) {
  IntervalMerger merger(2);
  EXPECT_TRUE(merger.add(report(0, Phase::kWarmup, 0, {})).empty());
  EXPECT_TRUE(merger.add(report(0, Phase::kMeasure, 0, {})).empty());
  EXPECT_EQ(merger.add(report(1, Phase::kWarmup, 0, {})).at(0).interval.phase, Phase::kWarmup);
  EXPECT_EQ(merger.add(report(1, Phase::kMeasure, 0, {})).at(0).interval.phase, Phase::kMeasure);
}

TEST(IntervalMerger, FlushGivesWhatSomeWorkersNeverReached) {
  IntervalMerger merger(2);
  EXPECT_TRUE(merger.add(report(0, Phase::kPrefill, 0, {Nanos{5}})).empty());
  EXPECT_EQ(merger.add(report(1, Phase::kPrefill, 0, {Nanos{5}})).size(), 1U);
  EXPECT_TRUE(merger.add(report(1, Phase::kPrefill, 1, {Nanos{7}})).empty());
  const auto rest = merger.flush_intervals();
  ASSERT_EQ(rest.size(), 1U);
  EXPECT_EQ(rest[0].workers, 1U);
  EXPECT_EQ(rest[0].counts[0].sent, 1U);
  EXPECT_TRUE(merger.flush_intervals().empty());
}

TEST(IntervalMerger, KeepsEachWorkersHistogramsPerPhase) {
  IntervalMerger merger(2);
  for (std::uint32_t worker = 0; worker < 2; ++worker) {
    (void)merger.add(report(worker, Phase::kWarmup, 0, {Nanos{9}}));
    (void)merger.add(report(worker, Phase::kMeasure, 0, {Nanos{10 + worker}}));
    (void)merger.add(report(worker, Phase::kMeasure, 1, {Nanos{20 + worker}}));
  }
  const auto windows = merger.take_windows();
  ASSERT_EQ(windows.size(), 4U);
  EXPECT_EQ(windows[2].phase, Phase::kMeasure);
  EXPECT_EQ(windows[2].worker, 0U);
  ASSERT_EQ(windows[2].latencies.size(), 1U);
  EXPECT_EQ(windows[2].latencies[0].histogram.count(), 2U);
  EXPECT_EQ(windows[3].latencies[0].histogram.max(), Nanos{21});
  EXPECT_TRUE(merger.take_windows().empty());
}

TEST(IntervalMerger, KeepsTheSlowestOfAllWorkersAndTheirSplitsTogether) {
  IntervalMerger merger(2);
  const record::SplitKey kHot{record::Split::kKeys, record::kHotKeys, kSetOk};
  for (std::uint32_t worker = 0; worker < 2; ++worker) {
    record::WorkerInterval interval = report(worker, Phase::kMeasure, 0, {});
    interval.splits.push_back({kHot, {}});
    interval.splits[0].histogram.record(Nanos{10 + worker});
    for (int i = 0; i < 80; ++i)
      interval.slowest.push_back({.worker = worker, .key = "k", .service = Nanos{2 * i + worker}});
    (void)merger.add(interval);
  }
  const auto splits = merger.take_splits();
  ASSERT_EQ(splits.size(), 1U);
  EXPECT_EQ(splits[0].key, kHot);
  EXPECT_EQ(splits[0].histogram.count(), 2U);
  const auto slowest = merger.take_slowest();
  ASSERT_EQ(slowest.size(), record::kSlowestKept);
  EXPECT_EQ(slowest.front().service, Nanos{159});
  EXPECT_EQ(slowest.back().service, Nanos{60});
  EXPECT_TRUE(merger.take_splits().empty());
  EXPECT_TRUE(merger.take_slowest().empty());
}

TEST(IntervalMerger, AddsWhatBecameOfMisses) {
  IntervalMerger merger(2);
  record::WorkerInterval interval = report(0, Phase::kMeasure, 0, {});
  interval.cache_aside = record::CacheAside{.begun = 3, .filled = 1, .failed = 1, .abandoned = 1};
  (void)merger.add(interval);
  interval.worker = 1;
  const auto merged = merger.add(interval);
  ASSERT_EQ(merged.size(), 1U);
  ASSERT_TRUE(merged[0].cache_aside);
  EXPECT_EQ(merged[0].cache_aside->begun, 6U);
  EXPECT_EQ(merged[0].cache_aside->ended(), 6U);
}

}  // namespace
}  // namespace headroom::lab
