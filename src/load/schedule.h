// When requests are due in open loop: pure functions of (rate, arrivals, seed, worker), so that no
// reply can move them, and a backlog of any length needs no memory: it is generated again.
//
// Even: request n of the whole load (n = 0, 1, ...) is due when the integral of the rate reaches
// n + 1/2. By any time t, the integral rounded to the nearest count was due; in a window between
// whole counts (a constant rate over whole seconds, for instance) exactly what was asked. Worker w
// of W takes n = w, w + W, ...: the shares add up to the load exactly, and the workers' requests
// interleave.
// Poisson: each worker has a process of its own with 1/W of the rate; together they are one of the
// whole rate. It is a unit process under a change of time: the gaps of the integral are exponential
// (Lewis and Shedler, Naval Research Logistics 26, 1979, section 1: inversion of the integrated
// rate).
#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "base/random.h"
#include "load/rate_curve.h"
#include "scenario/scenario.h"

namespace headroom::load {

// What all workers share. Constant.
struct Schedule {
  RateCurve curve;
  scenario::Arrivals arrivals = scenario::Arrivals::kEven;
  std::uint32_t workers = 1;
  std::uint64_t seed = 0;
};

// Walks over the due times of one worker. A copy walks on from where it was made, over the same
// times. Not thread-safe.
class ArrivalWalk {
 public:
  // `schedule` outlives the walk.
  ArrivalWalk(const Schedule& schedule, std::uint32_t worker);

  // Schedule time at which the present request is due; Nanos::max(): there is none any more.
  [[nodiscard]] Nanos due() const { return due_; }
  // How many requests lie before the present one.
  [[nodiscard]] std::uint64_t passed() const { return passed_; }
  // To the next request. due() is not Nanos::max().
  void advance() {
    ++passed_;
    step();
  }
  // About how many requests are due by `time`, the present one included: exact for even arrivals,
  // the expectation for Poisson.
  [[nodiscard]] std::uint64_t about_due_by(Nanos time) const;
  // The distance of this worker's requests at about `time`, in the mean; a rate of nothing: as long
  // as there is.
  [[nodiscard]] Nanos mean_gap_at(Nanos time) const;
  // Walks over all that is due before `time`.
  void skip_to(Nanos time);

 private:
  void step();

  const Schedule* schedule_;
  RateCurve::Inverse inverse_;
  Random random_;
  double position_;  // of the present request on the axis of the integral
  Nanos due_{0};
  std::uint64_t passed_ = 0;
  std::uint32_t worker_;
};

}  // namespace headroom::load
