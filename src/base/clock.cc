#include "base/clock.h"

#include <time.h>

namespace headroom {
namespace {

Nanos read(clockid_t id) {
  timespec t{};
  ::clock_gettime(id, &t);
  return std::chrono::seconds{t.tv_sec} + Nanos{t.tv_nsec};
}

class RealClock final : public Clock {
 public:
  [[nodiscard]] Nanos now() const override { return read(CLOCK_MONOTONIC); }
  [[nodiscard]] WallTime wall() const override { return {read(CLOCK_REALTIME)}; }
};

}  // namespace

const Clock& real_clock() {
  static const RealClock clock;
  return clock;
}

}  // namespace headroom
