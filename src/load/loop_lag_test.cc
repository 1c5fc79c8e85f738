// Loop lag of a generator that was stopped.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <thread>

#include "base/file.h"
#include "tests/support/fleet_fixture.h"

namespace headroom::load {
namespace {

class LoopLagTest : public FleetTest {
 protected:
  // In a process of its own: a fleet that waits for replies which never come tells that it does,
  // and then, when it has been stopped and goes on, its greatest loop lag.
  [[noreturn]] void wait_for_nothing(int told) {
    Script script;
    script.on({"GET", "SET"}).never_answer();
    serve(std::move(script));
    config_.load = {1, 1, 1, 5s, 5s};
    connect();
    run_until(
        [&] {
          const auto begun = [](const auto& content) { return content.intervals.size() >= 2; };
          EXPECT_TRUE(sink_.wait_until(begun, kSoon));
          tell(told, Nanos{0});
          return sink_.wait_until(
              [](const auto& content) { return greatest(content) >= kPause / 2; }, kSoon);
        },
        0s);
    tell(told, greatest(sink_.content()));
    ::_exit(0);
  }

  static Nanos greatest(const RecordingSink::Content& content) {
    Nanos lag{0};
    for (const auto& interval : content.intervals)
      lag = std::max(lag, interval.health.loop_lag_max);
    return lag;
  }
  static void tell(int fd, Nanos lag) {
    const auto count = lag.count();
    ASSERT_EQ(::write(fd, &count, sizeof count), static_cast<ssize_t>(sizeof count));
  }
  static Nanos hear(int fd) {
    Nanos::rep count = -1;
    EXPECT_EQ(::read(fd, &count, sizeof count), static_cast<ssize_t>(sizeof count));
    return Nanos{count};
  }

  static constexpr Nanos kPause = 400ms;
};

TEST_F(LoopLagTest, APauseOfTheProcessIsSeenThoughItFallsIntoAWait) {
  std::array<int, 2> ends{-1, -1};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const UniqueFd ours(ends[0]);
  UniqueFd childs(ends[1]);
  const pid_t child = ::fork();
  if (child == 0) wait_for_nothing(childs.get());
  childs.reset();
  EXPECT_EQ(hear(ours.get()), Nanos{0});
  ::kill(child, SIGSTOP);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, WUNTRACED), child);
  ASSERT_TRUE(WIFSTOPPED(status));
  std::this_thread::sleep_for(kPause);  // the pause itself
  ::kill(child, SIGCONT);
  // What the wait had left when the process was stopped is not seen: 100 ms at most.
  EXPECT_GE(hear(ours.get()), kPause - 100ms);
  ::kill(child, SIGKILL);
  ASSERT_EQ(::waitpid(child, &status, 0), child);
}

}  // namespace
}  // namespace headroom::load
