#include "load/recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/recording_sink.h"

namespace headroom::load {
namespace {

using record::Interval;
using record::Outcome;
using record::Phase;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;

constexpr Nanos kOrigin = seconds{1000};

class RecorderTest : public testing::Test {
 protected:
  [[nodiscard]] std::vector<Interval> intervals() const {
    std::vector<Interval> result;
    for (const auto& interval : sink_.content().intervals) result.push_back(interval.interval);
    return result;
  }
  [[nodiscard]] std::vector<std::uint64_t> sent() const {
    std::vector<std::uint64_t> result;
    for (const auto& interval : sink_.content().intervals) {
      result.push_back(interval.counts[0].sent);
    }
    return result;
  }
  void at(Nanos run_time) {
    while (recorder_.due(kOrigin + run_time)) recorder_.cut(gauges_);
  }

  RecordingSink sink_;
  Recorder recorder_{3, 2, kOrigin, sink_};
  Gauges gauges_;
};

TEST(Turn, LagBeginsWhenTheWorkerWokeOrShouldHave) {
  constexpr Nanos kLate = milliseconds{300};
  EXPECT_EQ((Turn{.wake_by = kLate, .woke = Nanos{100}, .ended = Nanos{140}}).lag(), Nanos{40});
  EXPECT_EQ((Turn{.wake_by = Nanos{100}, .woke = Nanos{100}, .ended = Nanos{140}}).lag(),
            Nanos{40});
  // A pause within the wait.
  EXPECT_EQ((Turn{.wake_by = Nanos{100}, .woke = kLate, .ended = kLate + Nanos{40}}).lag(),
            kLate - Nanos{60});
  // A pause within the turn.
  EXPECT_EQ((Turn{.wake_by = Nanos{100}, .woke = Nanos{50}, .ended = kLate}).lag(),
            kLate - Nanos{50});
}

TEST_F(RecorderTest, PartsOfAPhaseAreCutWhereTheyMeetAndNumberedOn) {
  recorder_.plan({{Phase::kMeasure, seconds{1}, milliseconds{2500}},
                  {Phase::kMeasure, milliseconds{2500}, milliseconds{4000}},
                  {Phase::kDrain, milliseconds{4000}}},
                 Nanos{0});
  at(milliseconds{4500});
  EXPECT_THAT(intervals(),
              ElementsAre(Interval{Phase::kMeasure, 0, seconds{1}, seconds{2}},
                          Interval{Phase::kMeasure, 1, seconds{2}, milliseconds{2500}},
                          Interval{Phase::kMeasure, 2, milliseconds{2500}, milliseconds{3500}},
                          Interval{Phase::kMeasure, 3, milliseconds{3500}, milliseconds{4000}}));
}

TEST_F(RecorderTest, CutsPhasesIntoSecondsThatEndWithThem) {
  recorder_.plan({{Phase::kWarmup, milliseconds{500}, milliseconds{1700}},
                  {Phase::kMeasure, milliseconds{1700}, milliseconds{3700}},
                  {Phase::kDrain, milliseconds{3700}}},
                 Nanos{0});
  at(milliseconds{3800});
  recorder_.finish(milliseconds{3900}, gauges_);
  EXPECT_THAT(intervals(),
              ElementsAre(Interval{Phase::kWarmup, 0, milliseconds{500}, milliseconds{1500}},
                          Interval{Phase::kWarmup, 1, milliseconds{1500}, milliseconds{1700}},
                          Interval{Phase::kMeasure, 0, milliseconds{1700}, milliseconds{2700}},
                          Interval{Phase::kMeasure, 1, milliseconds{2700}, milliseconds{3700}},
                          Interval{Phase::kDrain, 0, milliseconds{3700}, milliseconds{3900}}));
  EXPECT_EQ(recorder_.cut_at(), Nanos::max());
}

TEST_F(RecorderTest, PhasesOfNoLengthLeaveNoInterval) {
  recorder_.plan({{Phase::kWarmup, seconds{1}, seconds{1}},
                  {Phase::kMeasure, seconds{1}, seconds{2}},
                  {Phase::kDrain, seconds{2}}},
                 Nanos{0});
  at(seconds{2});
  recorder_.finish(seconds{2}, gauges_);
  EXPECT_THAT(intervals(), ElementsAre(Interval{Phase::kMeasure, 0, seconds{1}, seconds{2}}));
}

TEST_F(RecorderTest, CountsInTheIntervalOfTheClockReading) {
  recorder_.plan({{Phase::kMeasure, Nanos{0}, seconds{3}}}, Nanos{0});
  at(seconds{1} - Nanos{1});
  recorder_.sent(0);
  at(seconds{1});
  recorder_.sent(0);
  recorder_.sent(0);
  at(seconds{3});
  EXPECT_THAT(sent(), ElementsAre(1, 2, 0));
}

TEST_F(RecorderTest, APlanThatIsStoppedEarlyEndsInsideItsPhase) {
  recorder_.plan(
      {{Phase::kWarmup, Nanos{0}, seconds{2}}, {Phase::kMeasure, seconds{2}, seconds{9}}},
      Nanos{0});
  recorder_.sent(0);
  recorder_.finish(milliseconds{2500}, gauges_);
  EXPECT_THAT(intervals(),
              ElementsAre(Interval{Phase::kWarmup, 0, Nanos{0}, seconds{1}},
                          Interval{Phase::kWarmup, 1, seconds{1}, seconds{2}},
                          Interval{Phase::kMeasure, 0, seconds{2}, milliseconds{2500}}));
  // What was counted before the late cut belongs to the first second.
  EXPECT_THAT(sent(), ElementsAre(1, 0, 0));
}

TEST_F(RecorderTest, HandsOverCountsAndLatenciesOnce) {
  recorder_.plan({{Phase::kMeasure, Nanos{0}}}, Nanos{0});
  recorder_.sent(1);
  recorder_.replied(1, Outcome::kHit, milliseconds{3});
  recorder_.ended(0, Outcome::kTimeout);
  recorder_.turned({.wake_by = seconds{1}, .woke = Nanos{10}, .ended = Nanos{50}});
  recorder_.turned({.wake_by = Nanos{90}, .woke = Nanos{100}, .ended = Nanos{160}});
  ++recorder_.health().connections_lost;
  gauges_ = {milliseconds{250}, 17};
  at(seconds{1});
  gauges_ = {milliseconds{600}, 0};
  at(seconds{2});

  const auto content = sink_.content();
  ASSERT_EQ(content.intervals.size(), 2U);
  const record::WorkerInterval& first = content.intervals[0];
  EXPECT_EQ(first.worker, 3U);
  EXPECT_EQ(first.counts[1].sent, 1U);
  EXPECT_EQ(first.counts[1].of(Outcome::kHit), 1U);
  EXPECT_EQ(first.counts[0].of(Outcome::kTimeout), 1U);
  ASSERT_EQ(first.latencies.size(), 1U);  // a timeout has no latency
  EXPECT_EQ(first.latencies[0].key, (record::LatencyKey{1, Outcome::kHit}));
  EXPECT_EQ(first.latencies[0].histogram.max(), Nanos{milliseconds{3}});
  EXPECT_EQ(first.loop_lag.count(), 2U);
  EXPECT_EQ(first.health.loop_lag_max, Nanos{70});
  EXPECT_EQ(first.health.loops, 2U);
  EXPECT_EQ(first.health.connections_lost, 1U);
  EXPECT_EQ(first.health.in_flight, 17U);
  EXPECT_EQ(first.health.cpu, Nanos{milliseconds{250}});

  const record::WorkerInterval& second = content.intervals[1];
  EXPECT_EQ(second.counts, std::vector<record::OperationCounts>(2));
  EXPECT_TRUE(second.latencies.empty());
  EXPECT_TRUE(second.loop_lag.empty());
  EXPECT_EQ(second.health.connections_lost, 0U);
  EXPECT_EQ(second.health.cpu, Nanos{milliseconds{350}});
}

TEST_F(RecorderTest, KeepsTheScheduleBesideTheRepliesInOpenLoop) {
  recorder_.plan({{Phase::kMeasure, Nanos{0}}}, Nanos{0});
  recorder_.sent(0);
  recorder_.kept_schedule(milliseconds{2});
  recorder_.sent(0);
  recorder_.kept_schedule(Nanos{20});
  recorder_.replied(0, Outcome::kOk, milliseconds{3});
  recorder_.responded(0, Outcome::kOk, milliseconds{5});
  recorder_.unsent(1, milliseconds{700});
  gauges_.schedule = {.due = 5, .backlog = 2};
  at(seconds{1});
  gauges_.schedule = {.due = 9, .backlog = 0};
  at(seconds{2});

  const auto content = sink_.content();
  const record::WorkerInterval& first = content.intervals[0];
  EXPECT_EQ(first.counts[1].of(Outcome::kUnsent), 1U);
  ASSERT_EQ(first.latencies.size(), 3U);
  EXPECT_EQ(first.latencies[0].key, (record::LatencyKey{0, Outcome::kOk}));
  EXPECT_EQ(first.latencies[1].key,
            (record::LatencyKey{0, Outcome::kOk, record::LatencyKind::kResponse}));
  EXPECT_EQ(first.latencies[1].histogram.max(), Nanos{milliseconds{5}});
  EXPECT_EQ(first.latencies[2].key,
            (record::LatencyKey{1, Outcome::kUnsent, record::LatencyKind::kResponse}));
  EXPECT_EQ(first.schedule_lag.count(), 2U);
  EXPECT_EQ(first.health.schedule, (record::ScheduleHealth{5, 1, 2, milliseconds{2}}));
  EXPECT_EQ(content.intervals[1].health.schedule, (record::ScheduleHealth{4, 0, 0, Nanos{0}}));
}

TEST_F(RecorderTest, P99IsOfCompletedRepliesOfThePresentInterval) {
  recorder_.plan({{Phase::kMeasure, Nanos{0}}}, Nanos{0});
  EXPECT_EQ(recorder_.completed_p99(), std::nullopt);
  recorder_.replied(0, Outcome::kError, seconds{5});
  EXPECT_EQ(recorder_.completed_p99(), std::nullopt);
  recorder_.replied(0, Outcome::kOk, milliseconds{1});
  recorder_.replied(1, Outcome::kMiss, milliseconds{2});
  EXPECT_EQ(recorder_.completed_p99(), Nanos{milliseconds{2}});
}

TEST_F(RecorderTest, EqualRepliesInARowAreCountedOneByOne) {
  recorder_.plan({{Phase::kMeasure, Nanos{0}}}, Nanos{0});
  const auto reply = [this](std::uint8_t operation, Outcome outcome, Nanos latency, int times) {
    for (int i = 0; i < times; ++i) recorder_.replied(operation, outcome, latency);
  };
  reply(0, Outcome::kOk, Nanos{0}, 2);  // shorter than a histogram has buckets for
  reply(1, Outcome::kHit, milliseconds{1}, 3);
  reply(1, Outcome::kMiss, milliseconds{1}, 2);
  reply(0, Outcome::kOk, milliseconds{1}, 1);
  reply(1, Outcome::kHit, milliseconds{1}, 4);
  recorder_.cut(gauges_);
  reply(1, Outcome::kHit, milliseconds{1}, 5);
  recorder_.cut(gauges_);
  const auto content = sink_.content();
  ASSERT_EQ(content.intervals.size(), 2U);
  const auto counts = [&content](std::size_t interval, std::size_t operation, Outcome outcome) {
    return content.intervals[interval]
        .counts[operation]
        .outcomes[static_cast<std::size_t>(outcome)];
  };
  EXPECT_EQ(counts(0, 0, Outcome::kOk), 3U);
  EXPECT_EQ(counts(0, 1, Outcome::kHit), 7U);
  EXPECT_EQ(counts(0, 1, Outcome::kMiss), 2U);
  EXPECT_EQ(counts(1, 1, Outcome::kHit), 5U);
  const auto samples = [&content](std::size_t interval) {
    std::vector<std::uint64_t> result;
    for (const auto& series : content.intervals[interval].latencies)
      result.push_back(series.histogram.count());
    return result;
  };
  EXPECT_THAT(samples(0), ElementsAre(3, 7, 2));
  EXPECT_THAT(samples(1), ElementsAre(5));
}

}  // namespace
}  // namespace headroom::load
