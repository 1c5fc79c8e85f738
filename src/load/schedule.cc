#include "load/schedule.h"

#include <algorithm>
#include <cmath>

#include "load/streams.h"

namespace headroom::load {
namespace {

constexpr double kHalf = 0.5;

}  // namespace

ArrivalWalk::ArrivalWalk(const Schedule& schedule, std::uint32_t worker)
    : schedule_(&schedule),
      inverse_(schedule.curve),
      random_(make_stream(schedule.seed, worker, kNone, Purpose::kArrivals)),
      position_(0),
      worker_(worker) {
  step();
}

void ArrivalWalk::step() {
  const double workers = schedule_->workers;
  if (schedule_->arrivals == scenario::Arrivals::kPoisson) {
    position_ += workers * random_.exponential();
  } else {
    position_ = static_cast<double>(passed_) * workers + worker_ + kHalf;
  }
  due_ = inverse_.time_of(position_).value_or(Nanos::max());
}

std::uint64_t ArrivalWalk::about_due_by(Nanos time) const {
  if (time < due_) return 0;
  const double ahead = (schedule_->curve.expected_by(time) - position_) / schedule_->workers;
  return 1 + static_cast<std::uint64_t>(std::max(ahead, 0.0));
}

Nanos ArrivalWalk::mean_gap_at(Nanos time) const {
  const double per_s = schedule_->curve.rate_per_s(time) / schedule_->workers;
  constexpr double kLongestNs = 1e18;
  return Nanos{static_cast<std::int64_t>(per_s > 1e9 / kLongestNs ? 1e9 / per_s : kLongestNs)};
}

void ArrivalWalk::skip_to(Nanos time) {
  while (due_ < time) advance();
}

}  // namespace headroom::load
