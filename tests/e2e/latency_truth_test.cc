// The latency that is reported, against the latency that is known: a server that delays each reply
// by a time of the script's, and writes down what that time really was.
//
// What lies between is the path: two passages through the kernel and the waking of the client. A
// bare client that does nothing else takes the same path, before each measurement; what it sees
// beyond the server's delay is the path's own latency, and belongs to the truth.
//
// Disturbances of the machine only ever add latency, and not to both alike. So a comparison is
// repeated, a few times, until each quantile has held once; an instrument that is wrong is wrong
// each time.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <thread>
#include <vector>

#include "load/fleet.h"
#include "net/epoll.h"
#include "net/socket.h"
#include "tests/e2e/collecting_sink.h"
#include "tests/e2e/harness.h"
#include "tests/support/raw_client.h"
#include "tests/support/scripted_server.h"

namespace headroom::e2e {
namespace {

using namespace std::chrono_literals;
using scripted::Script;
using scripted::ScriptedServer;

constexpr int kAttempts = 10;

// The smallest value with at least q of all at or below it, as stats::Histogram has it.
Nanos quantile(std::vector<Nanos> values, double q) {
  std::ranges::sort(values);
  const auto rank = static_cast<std::size_t>(std::ceil(q * static_cast<double>(values.size())));
  return values.at(std::max<std::size_t>(rank, 1) - 1);
}

// 1 % or 5 microseconds, whichever is larger.
Nanos tolerance(Nanos truth) { return std::max<Nanos>(truth / 100, 5us); }

std::vector<Nanos> added_by(const ScriptedServer& server, std::uint64_t first_connection) {
  std::vector<Nanos> added;
  for (const scripted::Served& served : server.observed().log) {
    const bool data = served.command == "GET" || served.command == "SET";
    if (data && served.connection >= first_connection && served.added()) {
      added.push_back(*served.added());
    }
  }
  return added;
}

// One request at a time, by the same system calls that a worker makes; connection 0 of the server.
std::vector<Nanos> bare_client(const ScriptedServer& server, int requests) {
  auto fd = net::connect(server.address(), real_clock().now() + 1s);
  auto epoll = net::Epoll::create();
  EXPECT_TRUE(fd && epoll && epoll->add(fd->get(), EPOLLIN, 0));
  const std::string request = scripted::encode({"GET", "a-key-of-some-forty-bytes-as-in-the-load"});
  std::array<epoll_event, 1> events;
  std::array<char, 4096> buffer;
  std::vector<Nanos> latencies;
  for (int i = 0; i < requests; ++i) {
    const Nanos sent = real_clock().now();
    if (send(fd->get(), request.data(), request.size(), MSG_NOSIGNAL) < 0) break;
    (void)epoll->wait(events, 10s);
    if (recv(fd->get(), buffer.data(), buffer.size(), 0) <= 0) break;
    latencies.push_back(real_clock().now() - sent);
  }
  EXPECT_EQ(latencies.size(), static_cast<std::size_t>(requests));
  return latencies;
}

stats::Histogram fleet_latency(const ScriptedServer& server, std::uint32_t pipeline, Nanos length) {
  CollectingSink sink;
  load::FleetConfig config;
  config.address = server.address();
  config.workload.value_bytes = 100;
  config.workload.set_weight = 1;
  config.workload.get_weight = 10;
  config.keys = 1000;
  config.load.workers = 1;
  config.load.connections = 1;
  config.load.pipeline = pipeline;
  config.load.connect_timeout = 5s;
  config.load.request_timeout = 10s;
  config.seed = 1;
  config.clock = &real_clock();
  config.origin = real_clock().now();
  config.sink = &sink;
  load::Fleet fleet(config);
  const Status connected = fleet.connect();
  EXPECT_TRUE(connected) << (connected ? "" : connected.error().message);
  load::LoadWindows windows;
  windows.warmup_begin = real_clock().now() - config.origin + 5ms;
  windows.measure_begin = windows.warmup_begin;
  windows.measure_end = windows.measure_begin + length;
  windows.drain_deadline = windows.measure_end + 2s;
  (void)fleet.run(windows);
  // A reply that came after the end belongs to the drain; the server's log has it, too.
  stats::Histogram all = sink.latency(record::Phase::kMeasure);
  all.merge(sink.latency(record::Phase::kDrain));
  return all;
}

struct Comparison {
  double q = 0;
  Nanos truth{0};     // what the server added, and the path
  Nanos added{0};     // what the server added
  Nanos reported{0};  // what Headroom says
  [[nodiscard]] bool holds() const {
    // Nothing arrives before it was sent; the histogram rounds by at most 1/1,024.
    return reported >= added - added / 1024 &&
           std::chrono::abs(reported - truth) <= tolerance(truth);
  }
  [[nodiscard]] std::string text() const {
    const auto us = [](Nanos value) { return static_cast<double>(value.count()) / 1000; };
    return fmt::format("p{:g}: reported {:.1f} us, truth {:.1f} us (server {:.1f} us)\n", 100 * q,
                       us(reported), us(truth), us(added));
  }
};

// Compares p50 and p99 of a fleet's single connection with the truth, until they agree.
void expect_truth(Nanos delay, int requests, Nanos length) {
  std::string seen;
  std::map<double, bool> held = {{0.5, false}, {0.99, false}};
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    Script script;
    script.always().delay(delay);
    if (delay <= 1ms) script.spin();  // else how late a request's arrival is noticed says too much
    const auto server = ScriptedServer::start(std::move(script));
    ASSERT_TRUE(server);
    const std::vector<Nanos> bare = bare_client(**server, requests);
    const std::vector<Nanos> bare_added = added_by(**server, 0);
    const stats::Histogram reported = fleet_latency(**server, 1, length);
    const std::vector<Nanos> added = added_by(**server, 1);
    ASSERT_EQ(reported.count(), added.size());

    for (auto& [q, held_once] : held) {
      Comparison comparison;
      comparison.q = q;
      comparison.added = quantile(added, q);
      comparison.truth = comparison.added + quantile(bare, q) - quantile(bare_added, q);
      comparison.reported = *reported.quantile(q);
      held_once = held_once || comparison.holds();
      seen += comparison.text();
    }
    if (std::ranges::all_of(held, &std::pair<const double, bool>::second)) {
      ::testing::Test::RecordProperty("comparison", seen);
      return;
    }
  }
  ADD_FAILURE() << "not once in " << kAttempts << " attempts:\n" << seen;
}

// Keeps every CPU from going to sleep, at the lowest of all priorities: a sleeping CPU takes a
// while to wake, and a virtual one takes a while that varies.
class WakefulCpus {
 public:
  WakefulCpus() {
    for (unsigned cpu = 0; cpu < std::max(1U, std::thread::hardware_concurrency()); ++cpu) {
      threads_.emplace_back([](const std::stop_token& stop) {
        const sched_param none{.sched_priority = 0};
        if (sched_setscheduler(0, SCHED_IDLE, &none) != 0) return;
        while (!stop.stop_requested()) {
        }
      });
    }
  }

 private:
  std::vector<std::jthread> threads_;
};

// Where it may, the test takes precedence over all else that the machine does: what is measured is
// how late a worker wakes. Threads and processes inherit it from the thread that makes them.
class LatencyTruthTest : public Test {
 protected:
  void SetUp() override {
    Test::SetUp();
    wakeful_cpus_.emplace();
    const sched_param lowest_real_time{.sched_priority = 1};
    (void)sched_setscheduler(0, SCHED_FIFO, &lowest_real_time);
  }
  void TearDown() override {
    const sched_param none{.sched_priority = 0};
    (void)sched_setscheduler(0, SCHED_OTHER, &none);
    wakeful_cpus_.reset();
    Test::TearDown();
  }

 private:
  std::optional<WakefulCpus> wakeful_cpus_;
};

TEST_F(LatencyTruthTest, OfAHundredMicroseconds) { expect_truth(100us, 3000, 400ms); }
TEST_F(LatencyTruthTest, OfAMillisecond) { expect_truth(1ms, 600, 700ms); }
TEST_F(LatencyTruthTest, OfTwentyMilliseconds) { expect_truth(20ms, 100, 2s); }

// Sixteen requests are on their way at once; each reply has its own delay, and the latencies that
// are reported must be spread as the delays were.
TEST_F(LatencyTruthTest, OfEachReplyInAPipelineOfSixteen) {
  constexpr std::uint32_t kDepth = 16;
  std::string seen;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    Script script;
    script.always().on_connection(0).delay(1ms);
    script.on({"GET", "SET"}).on_connection(1).delay_by([](std::uint64_t index) {
      // Replies keep their order, so delays of any other shape soon make all alike. Sixteen
      // requests come together and are answered a millisecond apart; the sixteen that these make
      // room for come a millisecond apart and are answered together.
      const bool together = index / kDepth % 2 == 0;
      return together ? Nanos(1ms) * static_cast<int>(index % kDepth + 1) : Nanos{0};
    });
    const auto server = ScriptedServer::start(std::move(script));
    ASSERT_TRUE(server);
    const std::vector<Nanos> bare = bare_client(**server, 100);
    const Nanos path = quantile(bare, 0.5) - quantile(added_by(**server, 0), 0.5);
    const stats::Histogram reported = fleet_latency(**server, kDepth, 1s);
    const std::vector<Nanos> added = added_by(**server, 1);
    ASSERT_EQ(reported.count(), added.size());
    ASSERT_GT(added.size(), 500U);
    ASSERT_GT(quantile(added, 0.95), 5 * quantile(added, 0.05)) << "the script spreads nothing";

    bool holds = true;
    for (const double q : {0.05, 0.25, 0.5, 0.75, 0.95}) {
      const Nanos served = quantile(added, q);
      const Comparison comparison{q, served + path, served, *reported.quantile(q)};
      // Requests and replies of a pipeline meet on the way: theirs may be up to twice the path of
      // one.
      holds = holds && comparison.reported >= served - served / 1024 &&
              comparison.reported <= served + 2 * path + tolerance(served);
      seen += comparison.text();
    }
    if (holds) {
      ::testing::Test::RecordProperty("comparison", seen);
      return;
    }
  }
  ADD_FAILURE() << "not once in " << kAttempts << " attempts:\n" << seen;
}

// The same through the binary, the run file and the report.
TEST_F(LatencyTruthTest, ReachesTheReport) {
  std::string seen;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    Script script;
    script.on({"GET", "SET"}).delay(20ms);
    const auto server = ScriptedServer::start(std::move(script));
    ASSERT_TRUE(server);
    const Finished finished = run_headroom(
        {"run",
         endpoint_scenario((*server)->address(),
                           "[workload]\nkeys = 1000\n[load]\nworkers = 1\nconnections = 4\n"
                           "[timing]\nmeasure = \"1s\"\n"),
         "-o", path(fmt::format("truth-{}.run", attempt)), "--quiet"},
        options());
    ASSERT_EQ(finished.exit_code, 0) << finished.err;
    const record::Run run = read(path(fmt::format("truth-{}.run", attempt)));
    stats::Histogram reported;
    for (const record::MergedInterval& interval : run.intervals) {
      for (const auto& series : interval.latencies) reported.merge(series.histogram);
    }
    const std::vector<Nanos> added = added_by(**server, 0);
    ASSERT_EQ(reported.count(), added.size());
    const Nanos truth = quantile(added, 0.5);
    const Comparison comparison{0.5, truth, truth, *reported.quantile(0.5)};
    seen += comparison.text();
    if (comparison.holds()) return;
  }
  ADD_FAILURE() << "not once in " << kAttempts << " attempts:\n" << seen;
}

}  // namespace
}  // namespace headroom::e2e
