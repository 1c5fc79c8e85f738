#include "stats/histogram.h"

#include <cmath>
#include <tuple>
#include <utility>

#include "base/check.h"

namespace headroom::stats {

void Histogram::record_outside(Nanos value, std::uint64_t times) {
  if (times == 0) return;
  const std::int64_t ns = value.count();
  (value < kLowest ? below_ : above_) += times;
  count_ += times;
  sum_ += static_cast<Sum>(ns) * static_cast<Sum>(times);
  min_ = std::min(min_, ns);
  max_ = std::max(max_, ns);
}

void Histogram::reach(std::size_t index) {
  static_assert(index_of(static_cast<std::uint64_t>(kHighest.count())) + 1 == kBuckets);
  if (!cells_.empty()) index = std::max(index, static_cast<std::size_t>(cells_.back().index));
  if (index >= buckets_.size()) {
    // To the end of a power of two: latencies of a like size need not grow it again.
    const std::size_t wanted = ((index >> kSubBits) + 1) << kSubBits;
    buckets_.resize(std::min(wanted, kBuckets));
  }
  for (const Cell& cell : cells_) buckets_[cell.index] = cell.count;
  cells_ = {};
}

void Histogram::merge(const Histogram& other) {
  if (other.empty()) return;
  std::size_t last = 0;
  if (!other.cells_.empty()) last = static_cast<std::size_t>(other.cells_.back().index);
  if (!other.buckets_.empty()) last = other.buckets_.size() - 1;
  // Unfolded first, so that merging with itself works.
  if (last > 0) reach(last);
  other.visit_buckets([&](std::size_t index, std::uint64_t count) {
    buckets_[index] += count;
    return true;
  });
  count_ += other.count_;
  below_ += other.below_;
  above_ += other.above_;
  sum_ += other.sum_;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
}

std::vector<Histogram::Cell> Histogram::folded() const {
  std::size_t used = 0;
  visit_buckets([&](std::size_t, std::uint64_t) { return ++used, true; });
  std::vector<Cell> cells;
  cells.reserve(used);
  visit_buckets([&](std::size_t index, std::uint64_t count) {
    cells.push_back({.index = index & 0xffffU, .count = count & kMaxCellCount});
    return true;
  });
  return cells;
}

Histogram Histogram::drain() {
  // A cell might not hold its count; or there are none to fold.
  if (count_ > kMaxCellCount || buckets_.empty()) return std::exchange(*this, {});
  std::vector<Cell> cells = folded();
  std::vector<std::uint64_t> buckets = std::exchange(buckets_, {});
  for (const Cell& cell : cells) buckets[cell.index] = 0;
  Histogram given = std::exchange(*this, {});
  given.cells_ = std::move(cells);
  buckets_ = std::move(buckets);
  return given;
}

std::optional<Nanos> Histogram::min() const {
  if (empty()) return std::nullopt;
  return Nanos{min_};
}

std::optional<Nanos> Histogram::max() const {
  if (empty()) return std::nullopt;
  return Nanos{max_};
}

std::optional<double> Histogram::mean_ns() const {
  if (empty()) return std::nullopt;
  return static_cast<double>(sum_) / static_cast<double>(count_);
}

std::optional<Nanos> Histogram::quantile(double q) const {
  check(q >= 0 && q <= 1, "a quantile is asked for in [0, 1]");
  if (empty()) return std::nullopt;
  // 0.07 is a little more than 7/100 as a double: without the allowance of a few units in the last
  // place, the 7th of 100 samples would be missed by one.
  const double wanted =
      std::ceil(q * static_cast<double>(count_) * (1 - 4 * std::numeric_limits<double>::epsilon()));
  const auto rank = std::clamp(static_cast<std::uint64_t>(wanted), std::uint64_t{1}, count_);
  if (rank <= std::max<std::uint64_t>(below_, 1)) return Nanos{min_};
  if (rank > count_ - std::max<std::uint64_t>(above_, 1)) return Nanos{max_};
  std::uint64_t seen = below_;
  std::int64_t value = max_;
  visit_buckets([&](std::size_t index, std::uint64_t count) {
    seen += count;
    if (seen < rank) return true;
    value = static_cast<std::int64_t>(low_of(index) + width_of(index) / 2);
    return false;
  });
  return Nanos{std::clamp(value, min_, max_)};
}

void Histogram::for_each(
    const std::function<void(std::int64_t, std::int64_t, std::uint64_t)>& visit) const {
  visit_buckets([&](std::size_t index, std::uint64_t count) {
    const auto low = static_cast<std::int64_t>(low_of(index));
    visit(low, low + static_cast<std::int64_t>(width_of(index)), count);
    return true;
  });
}

bool operator==(const Histogram& a, const Histogram& b) {
  const auto totals = [](const Histogram& h) {
    return std::tie(h.count_, h.below_, h.above_, h.min_, h.max_, h.sum_);
  };
  if (totals(a) != totals(b)) return false;
  const auto content = [](const Histogram& h) {
    std::vector<std::pair<std::size_t, std::uint64_t>> buckets;
    h.visit_buckets([&](std::size_t index, std::uint64_t count) {
      buckets.emplace_back(index, count);
      return true;
    });
    return buckets;
  };
  return content(a) == content(b);
}

}  // namespace headroom::stats
