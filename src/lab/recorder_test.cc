#include "lab/recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/file.h"
#include "store/run_reader.h"

namespace headroom::lab {
namespace {

using record::Outcome;
using record::Phase;
using std::chrono::milliseconds;
using std::chrono::seconds;

record::RunHeader header() {
  record::RunHeader header;
  header.run_id = "0123";
  header.operations = {"SET"};
  header.scenario_toml = "name = \"test\"\n";
  return header;
}

record::WorkerInterval report(std::uint32_t worker, Phase phase, std::int64_t index,
                              std::uint64_t requests) {
  record::WorkerInterval interval;
  interval.worker = worker;
  interval.interval = {phase, index, seconds{index}, seconds{index + 1}};
  interval.counts.resize(1);
  interval.counts[0].sent = requests;
  interval.counts[0].outcomes[static_cast<std::size_t>(Outcome::kOk)] = requests;
  if (requests > 0) {
    interval.latencies.push_back({{0, Outcome::kOk, record::LatencyKind::kService}, {}});
    interval.latencies[0].histogram.record(milliseconds{1} * (worker + 1), requests);
  }
  return interval;
}

class RecorderTest : public testing::Test {
 protected:
  RecorderTest() : dir_(*TempDir::create("recorder-test")), path_(dir_.path() / "a.run") {}

  std::unique_ptr<Recorder> recorder(std::uint32_t workers) {
    auto writer = store::RunWriter::create(path_, header());
    EXPECT_TRUE(writer) << writer.error().message;
    return std::make_unique<Recorder>(std::move(*writer), workers);
  }

  TempDir dir_;
  std::filesystem::path path_;
};

TEST_F(RecorderTest, WhatManyThreadsLeaveIsAllInTheSealedFile) {
  constexpr std::uint32_t kWorkers = 4;
  constexpr std::int64_t kSeconds = 50;
  auto recorder = this->recorder(kWorkers);
  recorder->phase_began(Phase::kMeasure, Nanos{0});
  std::vector<std::thread> threads;
  for (std::uint32_t worker = 0; worker < kWorkers; ++worker) {
    threads.emplace_back([&, worker] {
      for (std::int64_t i = 0; i < kSeconds; ++i)
        recorder->interval(report(worker, Phase::kMeasure, i, 10 + worker));
    });
  }
  for (std::thread& thread : threads) thread.join();
  recorder->phase_ended(Phase::kMeasure, seconds{kSeconds});
  recorder->workers_done();
  ASSERT_TRUE(recorder->seal(record::RunEnd::kComplete, ""));

  const auto run = store::read_run(path_);
  ASSERT_TRUE(run) << run.error().message;
  ASSERT_EQ(run->intervals.size(), static_cast<std::size_t>(kSeconds));
  for (const record::MergedInterval& interval : run->intervals) {
    EXPECT_EQ(interval.workers, kWorkers);
    EXPECT_EQ(interval.counts.at(0).sent, 10U + 11U + 12U + 13U);
    EXPECT_EQ(interval.latencies.at(0).histogram.count(), 46U);
    EXPECT_EQ(interval.latencies.at(0).histogram.max(), milliseconds{4});
  }
  EXPECT_EQ(run->workers.size(), kWorkers * static_cast<std::size_t>(kSeconds));
  ASSERT_EQ(run->worker_windows.size(), kWorkers);
  EXPECT_EQ(run->worker_windows[3].latencies.at(0).histogram.count(), 13U * kSeconds);
  ASSERT_EQ(run->phases.size(), 1U);
  EXPECT_EQ(run->phases[0].end, Nanos{seconds{kSeconds}});
  EXPECT_EQ(run->end, record::RunEnd::kComplete);
}

TEST_F(RecorderTest, AFlushIsReadableByOthersBeforeTheSeal) {
  auto recorder = this->recorder(1);
  recorder->interval(report(0, Phase::kMeasure, 0, 7));
  recorder->event({seconds{1}, record::EventKind::kNote, "seen"});
  ASSERT_TRUE(recorder->flush());
  const auto run = store::read_run(path_);
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->end, std::nullopt);
  ASSERT_EQ(run->intervals.size(), 1U);
  EXPECT_EQ(run->events.back().text, "seen");
}

TEST_F(RecorderTest, CommitsByItselfWhileDataComes) {
  auto recorder = this->recorder(1);
  recorder->interval(report(0, Phase::kMeasure, 0, 7));
  const auto deadline = std::chrono::steady_clock::now() + seconds{20};
  std::size_t seen = 0;
  while (seen == 0 && std::chrono::steady_clock::now() < deadline) {
    const auto run = store::read_run(path_);
    ASSERT_TRUE(run) << run.error().message;
    seen = run->intervals.size();
    std::this_thread::sleep_for(milliseconds{20});
  }
  EXPECT_EQ(seen, 1U);
}

TEST_F(RecorderTest, ShowsTheLastIntervalWithItsLatency) {
  auto recorder = this->recorder(2);
  EXPECT_EQ(recorder->last_interval(), std::nullopt);
  record::WorkerInterval failing = report(0, Phase::kMeasure, 0, 90);
  failing.counts[0].outcomes[static_cast<std::size_t>(Outcome::kTimeout)] = 3;
  failing.counts[0].outcomes[static_cast<std::size_t>(Outcome::kRejected)] = 5;
  failing.counts[0].outcomes[static_cast<std::size_t>(Outcome::kUnsent)] = 7;
  recorder->interval(failing);
  recorder->interval(report(1, Phase::kMeasure, 0, 10));
  ASSERT_TRUE(recorder->flush());
  const auto last = recorder->last_interval();
  ASSERT_TRUE(last);
  EXPECT_EQ(last->completed, 100U);
  EXPECT_EQ(last->failed, 3U);
  EXPECT_EQ(last->rejected, 5U);
  ASSERT_TRUE(last->p99);
  EXPECT_NEAR(static_cast<double>(last->p99->count()), 2e6, 2e3);
}

}  // namespace
}  // namespace headroom::lab
