#include "load/request_watch.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace headroom::load {
namespace {

// Parts of an operation: its classes of value sizes, then cold and hot keys.
constexpr std::size_t kParts = record::kSizeClasses + 2;
constexpr std::size_t kKinds = 2;

record::SplitKey key_at(std::size_t index) {
  record::SplitKey key;
  key.latency.kind = static_cast<record::LatencyKind>(index % kKinds);
  index /= kKinds;
  key.latency.outcome = record::kOutcomes[index % record::kOutcomeCount];
  index /= record::kOutcomeCount;
  const std::size_t part = index % kParts;
  key.latency.operation = static_cast<std::uint16_t>(index / kParts);
  const bool sized = part < record::kSizeClasses;
  key.split = sized ? record::Split::kValueSize : record::Split::kKeys;
  key.part = sized ? record::largest_of_class(part) : part - record::kSizeClasses;
  return key;
}

}  // namespace

RequestWatch::RequestWatch(const WatchPlan& plan, std::size_t operations, Random random)
    : plan_(plan), random_(random) {
  if (plan.by_value_size || plan.by_keys)
    splits_.resize(operations * kParts * record::kOutcomeCount * kKinds);
  if (plan.log_share) static_cast<void>(draw_sample());
}

void RequestWatch::watch(bool measuring) {
  if (measuring && !measuring_) longest_.clear();
  measuring_ = measuring;
  set_from();
}

void RequestWatch::set_from() {
  const bool everything = plan_.log_share || !splits_.empty();
  if (!measuring_ || !plan_.any()) {
    from_ = Nanos::max();
  } else if (everything || longest_.size() < record::kSlowestKept) {
    from_ = Nanos::min();
  } else {
    from_ = longest_.front() + Nanos{1};
  }
}

stats::Histogram& RequestWatch::histogram(const EndedRequest& request, std::size_t part,
                                          record::LatencyKind kind) {
  const std::size_t row = (request.operation * kParts + part) * record::kOutcomeCount +
                          static_cast<std::size_t>(request.outcome);
  return splits_[row * kKinds + static_cast<std::size_t>(kind)];
}

void RequestWatch::split(const EndedRequest& request, std::size_t part) {
  if (request.service)
    histogram(request, part, record::LatencyKind::kService).record(*request.service);
  if (request.response)
    histogram(request, part, record::LatencyKind::kResponse).record(*request.response);
}

bool RequestWatch::ended(const EndedRequest& request) {
  if (plan_.by_value_size && request.value_bytes)
    split(request, record::size_class(*request.value_bytes));
  if (plan_.by_keys && request.hot)
    split(request, record::kSizeClasses + (*request.hot ? record::kHotKeys : record::kColdKeys));
  is_sampled_ = plan_.log_share && draw_sample();
  // Who was not answered took as long as anybody had patience for.
  is_slow_ = plan_.slowest && request.service.has_value();
  if (is_slow_ && longest_.size() == record::kSlowestKept)
    is_slow_ = request.response.value_or(*request.service) > longest_.front();
  return is_slow_ || is_sampled_;
}

void RequestWatch::remember(record::RequestRecord request) {
  if (is_sampled_) logged_.push_back(request);
  if (!is_slow_) return;
  longest_.push_back(request.felt());
  std::ranges::push_heap(longest_, std::greater<>());
  if (longest_.size() > record::kSlowestKept) {
    std::ranges::pop_heap(longest_, std::greater<>());
    longest_.pop_back();
  }
  slowest_.push_back(std::move(request));
  set_from();
}

// True for each request with the same chance: the distance to the next one is drawn, geometrically
// distributed, so that those between cost nothing but a count.
bool RequestWatch::draw_sample() {
  if (to_sample_ > 1) {
    --to_sample_;
    return false;
  }
  const bool sampled = to_sample_ == 1;
  const double share = *plan_.log_share;
  to_sample_ = 1;
  if (share < 1) {
    const double gap = std::floor(std::log1p(-random_.uniform()) / std::log1p(-share));
    constexpr double kFar = 1e15;
    to_sample_ += static_cast<std::uint64_t>(std::min(gap, kFar));
  }
  return sampled;
}

void RequestWatch::take(record::WorkerInterval& out) {
  for (std::size_t i = 0; i < splits_.size(); ++i) {
    if (!splits_[i].empty()) out.splits.push_back({key_at(i), splits_[i].drain()});
  }
  record::merge_slowest(out.slowest, slowest_);
  slowest_.clear();
  out.logged = std::exchange(logged_, {});
}

}  // namespace headroom::load
