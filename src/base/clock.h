// Time behind an interface: real for runs, steered by hand in tests.
#pragma once

#include <chrono>
#include <cstdint>

namespace headroom {

using Nanos = std::chrono::nanoseconds;

// Since the Unix epoch, UTC.
struct WallTime {
  Nanos since_epoch{0};
  friend auto operator<=>(const WallTime&, const WallTime&) = default;
};

// Thread-safe: any thread may read any clock at any time.
class Clock {
 public:
  virtual ~Clock() = default;
  // Monotonic time since an arbitrary origin that is fixed for the life of the process. All
  // latencies and offsets come from it; a step of the wall clock does not touch it.
  [[nodiscard]] virtual Nanos now() const = 0;
  // Wall-clock time, for labels only.
  [[nodiscard]] virtual WallTime wall() const = 0;
};

// CLOCK_MONOTONIC and CLOCK_REALTIME.
[[nodiscard]] const Clock& real_clock();

// A clock that moves only when told to. Not thread-safe.
class FakeClock final : public Clock {
 public:
  explicit FakeClock(Nanos start = Nanos{0}, WallTime wall = {}) : now_(start), wall_(wall) {}
  [[nodiscard]] Nanos now() const override { return now_; }
  [[nodiscard]] WallTime wall() const override { return wall_; }
  void advance(Nanos by) {
    now_ += by;
    wall_.since_epoch += by;
  }

 private:
  Nanos now_;
  WallTime wall_;
};

}  // namespace headroom
