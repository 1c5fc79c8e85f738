// The latency that is reported, against the latency that is known (lab/truth.h).
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>
#include <vector>

#include "lab/drive.h"
#include "lab/truth.h"
#include "scripted/scripted_server.h"
#include "tests/e2e/harness.h"

namespace headroom::e2e {
namespace {

using namespace std::chrono_literals;
using lab::quantile_of;
using lab::Truth;
using lab::truth_of;
using scripted::Script;
using scripted::ScriptedServer;

// Other work on the machine may come between the clock and the call that it times. A comparison
// that fails is tried again, a few times; an instrument that is wrong is wrong each time.
constexpr int kAttempts = 5;

struct Comparison {
  double q = 0;
  Nanos added{0};
  Nanos whole{0};
  Nanos reported{0};

  [[nodiscard]] bool holds() const {
    // 1 % or 5 microseconds, whichever is larger. The histogram rounds by at most 1/1,024.
    const Nanos tolerance = std::max<Nanos>(whole / 100, 5us);
    return reported >= added - added / 1024 && std::chrono::abs(reported - whole) <= tolerance;
  }
  [[nodiscard]] std::string text() const {
    const auto us = [](Nanos value) { return static_cast<double>(value.count()) / 1000; };
    return fmt::format(
        "p{:g}: the server added {:.1f} us, the whole was {:.1f} us, reported {:.1f} us\n", 100 * q,
        us(added), us(whole), us(reported));
  }
};

// Compares quantiles of a single connection's latency with the truth. What was seen goes to the
// test's properties, or into its failure.
void expect_truth(const Script& script, std::uint32_t depth, Nanos length,
                  const std::vector<double>& quantiles) {
  std::string seen;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const auto server = ScriptedServer::start(Script(script).stamp_requests());
    ASSERT_TRUE(server);
    lab::StopSwitch stop;
    const auto driven = lab::drive((*server)->address(), {1, 1, depth, length}, stop);
    ASSERT_TRUE(driven) << driven.error().message;
    const stats::Histogram& reported = driven->latency;
    const Truth truth = truth_of((*server)->observed(), depth);
    ASSERT_EQ(reported.count(), truth.added.size());
    ASSERT_GT(truth.whole.size(), 9 * truth.added.size() / 10) << "requests without stamps";
    bool holds = true;
    for (const double q : quantiles) {
      const Comparison comparison{q, quantile_of(truth.added, q).value(),
                                  quantile_of(truth.whole, q).value(), *reported.quantile(q)};
      holds = holds && comparison.holds();
      seen += comparison.text();
    }
    if (holds) {
      ::testing::Test::RecordProperty("comparison", seen);
      return;
    }
  }
  ADD_FAILURE() << "not once in " << kAttempts << " attempts:\n" << seen;
}

// Keeps the CPUs from falling asleep between two requests: on a virtual machine waking one takes
// longer than what is measured. The threads take only time that nobody else wants.
class SleeplessCpus {
 public:
  SleeplessCpus() {
    for (unsigned i = 0; i < std::thread::hardware_concurrency(); ++i) {
      threads_.emplace_back([this] {
        const sched_param none{.sched_priority = 0};
        if (sched_setscheduler(0, SCHED_IDLE, &none) != 0) return;
        while (!stopping_.load(std::memory_order_relaxed)) {
        }
      });
    }
  }
  ~SleeplessCpus() {
    stopping_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  SleeplessCpus(const SleeplessCpus&) = delete;
  SleeplessCpus& operator=(const SleeplessCpus&) = delete;

 private:
  std::atomic<bool> stopping_{false};
  std::vector<std::thread> threads_;
};

// Where it may, the test takes precedence over all else that the machine does. Threads and
// processes inherit it from the thread that makes them.
class LatencyTruthTest : public Test {
 protected:
  void SetUp() override {
    Test::SetUp();
    sleepless_.emplace();
    const sched_param lowest_real_time{.sched_priority = 1};
    (void)sched_setscheduler(0, SCHED_FIFO, &lowest_real_time);
  }
  void TearDown() override {
    const sched_param none{.sched_priority = 0};
    (void)sched_setscheduler(0, SCHED_OTHER, &none);
    sleepless_.reset();
    Test::TearDown();
  }
  [[nodiscard]] static Script fixed(Nanos delay) {
    Script script;
    script.always().delay(delay);
    return script;
  }

 private:
  std::optional<SleeplessCpus> sleepless_;
};

TEST_F(LatencyTruthTest, OfAHundredMicroseconds) {
  expect_truth(fixed(100us), 1, 500ms, {0.5, 0.99});
}
TEST_F(LatencyTruthTest, OfAMillisecond) { expect_truth(fixed(1ms), 1, 1s, {0.5, 0.99}); }
TEST_F(LatencyTruthTest, OfTwentyMilliseconds) {
  expect_truth(fixed(20ms), 1, 2500ms, {0.5, 0.99});
}

// Sixteen requests are on their way at once; each reply has its own delay, and the latencies that
// are reported must be spread as the delays were.
TEST_F(LatencyTruthTest, OfEachReplyInAPipelineOfSixteen) {
  constexpr std::uint32_t kDepth = 16;
  Script script;
  script.on({"GET", "SET"}).delay_by([](std::uint64_t index) {
    // Replies keep their order, so delays of any other shape soon make all alike. Sixteen requests
    // come together and are answered a millisecond apart; the sixteen that these make room for come
    // a millisecond apart and are answered together. So latencies are 0 to 16 ms, evenly.
    const bool together = index / kDepth % 2 == 0;
    return together ? Nanos(1ms) * static_cast<int>(index % kDepth + 1) : Nanos{0};
  });
  // Each in the middle of a step of the distribution.
  expect_truth(script, kDepth, 1s, {0.0625, 0.25, 0.5, 0.75, 0.9375, 0.985});
}

// The same through the binary, the run file and the report.
TEST_F(LatencyTruthTest, ReachesTheReport) {
  std::string seen;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    Script script;
    script.on({"GET", "SET"}).delay(20ms);
    const auto server = ScriptedServer::start(std::move(script.stamp_requests()));
    ASSERT_TRUE(server);
    const std::string file = path(fmt::format("truth-{}.run", attempt));
    const Finished finished = run_headroom(
        {"run",
         endpoint_scenario((*server)->address(),
                           "[workload]\nkeys = 1000\n[load]\nworkers = 1\nconnections = 1\n"
                           "[timing]\nmeasure = \"2s\"\n"),
         "-o", file, "--quiet"},
        options());
    ASSERT_EQ(finished.exit_code, 0) << finished.err;
    stats::Histogram reported;
    for (const record::MergedInterval& interval : read(file).intervals) {
      for (const auto& series : interval.latencies) reported.merge(series.histogram);
    }
    const Truth truth = truth_of((*server)->observed(), 1);
    ASSERT_EQ(reported.count(), truth.added.size());
    const Comparison comparison{0.5, quantile_of(truth.added, 0.5).value(),
                                quantile_of(truth.whole, 0.5).value(), *reported.quantile(0.5)};
    seen += comparison.text();
    if (comparison.holds()) {
      RecordProperty("comparison", seen);
      return;
    }
  }
  ADD_FAILURE() << "not once in " << kAttempts << " attempts:\n" << seen;
}

}  // namespace
}  // namespace headroom::e2e
