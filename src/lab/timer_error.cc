#include "lab/timer_error.h"

#include <sys/prctl.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "net/epoll.h"

namespace headroom::lab {
namespace {

// How long the calling thread has been ready to run and had no CPU since it began: the second field
// of /proc/thread-self/schedstat, in nanoseconds (Documentation/scheduler/sched-stats.rst).
std::optional<Nanos> waited_for_cpu() {
  const Result<std::string> content = read_file("/proc/thread-self/schedstat");
  if (!content) return std::nullopt;
  const auto fields = split(*content, ' ');
  if (fields.size() < 2) return std::nullopt;
  std::int64_t value = 0;
  const auto [end, error] =
      std::from_chars(fields[1].data(), fields[1].data() + fields[1].size(), value);
  if (error != std::errc{}) return std::nullopt;
  return Nanos{value};
}

struct Sleeper {
  net::Epoll epoll;
  stats::Histogram lateness;
  Nanos length{0};
  std::optional<Nanos> waited;

  void run(Nanos period, Nanos at_most, const std::atomic<bool>& ends) {
    prctl(PR_SET_NAME, "timer-error");
    prctl(PR_SET_TIMERSLACK, 1);  // as every thread of ours that keeps a schedule
    std::array<epoll_event, 1> events{};
    const std::optional<Nanos> waited_before = waited_for_cpu();
    const Nanos begin = real_clock().now();
    Nanos due = begin + period;
    Nanos now = begin;
    while (!ends && now < begin + at_most) {
      if (due > now) (void)epoll.wait(events, due - now);
      now = real_clock().now();
      // A wait may also end before its time: it is then begun again.
      for (; due <= now; due += period) lateness.record(std::max(now - due, Nanos{1}));
    }
    length = now - begin;
    const std::optional<Nanos> waited_after = waited_for_cpu();
    if (waited_before && waited_after) waited = *waited_after - *waited_before;
  }
};

}  // namespace

Result<TimerError> measure_timer_error(std::uint32_t workers, double rate_per_s, Nanos length,
                                       StopSwitch& stop) {
  const auto period = std::chrono::round<Nanos>(std::chrono::duration<double>(1 / rate_per_s));
  std::vector<Sleeper> sleepers;
  for (std::uint32_t i = 0; i < workers; ++i) {
    Result<net::Epoll> epoll = net::Epoll::create();
    if (!epoll) return fail(std::move(epoll.error()));
    sleepers.push_back({*std::move(epoll), {}, Nanos{0}, std::nullopt});
  }
  std::atomic<bool> ends{false};
  {
    const StopSwitch::Scope scope(stop, [&ends] { ends = true; });
    std::vector<std::thread> threads;
    for (Sleeper& sleeper : sleepers)
      threads.emplace_back([&] { sleeper.run(period, length, ends); });
    for (std::thread& thread : threads) thread.join();
  }
  if (stop.stopped()) return fail(ErrorKind::kIncomplete, "stopped by the user");
  TimerError result;
  Nanos elapsed{0};
  Nanos waited{0};
  for (const Sleeper& sleeper : sleepers) {
    result.lateness.merge(sleeper.lateness);
    elapsed += sleeper.length;
    waited += sleeper.waited.value_or(Nanos{0});
  }
  const bool told = std::ranges::all_of(
      sleepers, [](const Sleeper& sleeper) { return sleeper.waited.has_value(); });
  if (told && elapsed > Nanos{0})
    result.kept_waiting_ratio =
        static_cast<double>(waited.count()) / static_cast<double>(elapsed.count());
  return result;
}

}  // namespace headroom::lab
