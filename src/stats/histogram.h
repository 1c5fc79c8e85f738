// The latency histogram: log-linear, mergeable without loss.
//
// Shape: values below 1,024 ns have a bucket each; above, every power of two is divided into 512
// equal buckets, as HdrHistogram does (Tene, hdrhistogram.org). A bucket is represented by its
// midpoint, so a value read back is off by at most 1/1,024 (0.098 %) of itself.
// Range: 1 ns to 1 h. What falls outside is counted apart (below(), above()) and is part of count()
// and of the quantiles, where it stands as the exact extreme that was seen.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace headroom::stats {

// Not thread-safe. Buckets are allocated by the first record(); until then an object is small.
class Histogram {
 public:
  static constexpr Nanos kLowest{1};
  static constexpr Nanos kHighest = std::chrono::hours{1};

  void record(Nanos value) { record(value, 1); }
  void record(Nanos value, std::uint64_t times);
  // Adds the other's samples; the result is what recording all of them here would have given.
  void merge(const Histogram& other);
  // Gives away all samples and keeps the memory: for a recorder that hands over what it has every
  // second and must not pay for new buckets each time. What it gives is compact, as what decode()
  // gives: a sorted list of the buckets that are not empty, some 10 KB instead of up to 140 KB.
  // Recording or merging into it brings the buckets back; nothing else tells the difference.
  [[nodiscard]] Histogram drain();

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] std::uint64_t below() const { return below_; }
  [[nodiscard]] std::uint64_t above() const { return above_; }
  // Exact extremes and mean of what was recorded; nullopt when empty.
  [[nodiscard]] std::optional<Nanos> min() const;
  [[nodiscard]] std::optional<Nanos> max() const;
  [[nodiscard]] std::optional<double> mean_ns() const;
  // The smallest recorded value (up to the bucket's precision) with at least q * count() samples at
  // or below it; q in [0, 1]. Never outside [min(), max()], and exactly those for the first and the
  // last sample. nullopt when empty.
  [[nodiscard]] std::optional<Nanos> quantile(double q) const;

  // Calls `visit(low_ns, high_ns, count)` for each non-empty bucket [low, high), ascending.
  void for_each(const std::function<void(std::int64_t, std::int64_t, std::uint64_t)>& visit) const;

  // A compact, versioned, portable text of bytes; histogram_codec.cc describes it. Equal histograms
  // have equal texts. decode() refuses (kIncomplete) anything malformed or contradictory, so that
  // it may be given any bytes; it also refuses more than 2^48 - 1 samples. What it gives is
  // compact.
  [[nodiscard]] std::string encode() const;
  [[nodiscard]] static Result<Histogram> decode(std::string_view bytes);

  // By content: two that hold the same samples (to the bucket, with the same extremes and sum) are
  // equal, whatever way they came to hold them.
  friend bool operator==(const Histogram& a, const Histogram& b);

 private:
  __extension__ using Sum = __int128;  // exact, so that merging gives the same mean in any order

  // One non-empty bucket of a compact histogram.
  struct Cell {
    std::uint64_t index : 16;
    std::uint64_t count : 48;
    friend bool operator==(const Cell&, const Cell&) = default;
  };
  static constexpr std::uint64_t kMaxCellCount = (std::uint64_t{1} << 48U) - 1;

  static constexpr unsigned kSubBits = 9;  // 512 buckets to a power of two
  static constexpr std::uint64_t kExactBelow = std::uint64_t{2} << kSubBits;

  // The bucket of a value in range. Values of 2^e..2^(e+1)-1 share the width 2^(e-9), and their
  // indices follow those of the power before.
  static constexpr std::size_t index_of(std::uint64_t ns) {
    if (ns < kExactBelow) return static_cast<std::size_t>(ns);
    const auto shift = static_cast<unsigned>(std::bit_width(ns)) - (kSubBits + 1);
    return (static_cast<std::size_t>(shift) << kSubBits) + static_cast<std::size_t>(ns >> shift);
  }
  static constexpr std::uint64_t width_of(std::size_t index) {
    return index < kExactBelow ? 1 : std::uint64_t{1} << ((index >> kSubBits) - 1);
  }
  static constexpr std::uint64_t low_of(std::size_t index) {
    if (index < kExactBelow) return index;
    const std::size_t shift = (index >> kSubBits) - 1;
    return (index - (shift << kSubBits)) << shift;
  }
  static constexpr std::size_t kBuckets = 17'223;  // index_of(kHighest) + 1

  void record_outside(Nanos value, std::uint64_t times);
  // Makes the buckets reach at least to `index`; unfolds a compact histogram.
  void reach(std::size_t index);
  // Parts of decode(): the buckets with their `samples`, and whether everything fits together.
  [[nodiscard]] Status decode_buckets(std::string_view bytes, std::uint64_t samples);
  [[nodiscard]] Status check_totals() const;
  // The buckets that are not empty, as cells.
  [[nodiscard]] std::vector<Cell> folded() const;
  // Calls visit(index, count) for each non-empty bucket, ascending; visit returns whether to go on.
  template <class Visit>
  void visit_buckets(Visit visit) const;

  std::uint64_t count_ = 0;
  std::uint64_t below_ = 0;
  std::uint64_t above_ = 0;
  std::int64_t min_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t max_ = std::numeric_limits<std::int64_t>::min();
  Sum sum_ = 0;
  // Either may hold samples, never both.
  std::vector<std::uint64_t> buckets_;  // count by index, as far as was needed
  std::vector<Cell> cells_;             // compact form, ascending
};

inline void Histogram::record(Nanos value, std::uint64_t times) {
  const std::int64_t ns = value.count();
  // One comparison for both ends: what is below 1 wraps round to the largest numbers.
  if (static_cast<std::uint64_t>(ns) - 1 >= static_cast<std::uint64_t>(kHighest.count()))
      [[unlikely]] {
    record_outside(value, times);
    return;
  }
  if (times == 0) return;
  const std::size_t index = index_of(static_cast<std::uint64_t>(ns));
  if (index >= buckets_.size()) [[unlikely]]
    reach(index);
  buckets_[index] += times;
  count_ += times;
  sum_ += static_cast<Sum>(ns) * static_cast<Sum>(times);
  min_ = std::min(min_, ns);
  max_ = std::max(max_, ns);
}

template <class Visit>
void Histogram::visit_buckets(Visit visit) const {
  for (const Cell& cell : cells_) {
    if (!visit(static_cast<std::size_t>(cell.index), static_cast<std::uint64_t>(cell.count)))
      return;
  }
  if (buckets_.empty() || count_ == below_ + above_) return;
  // The extremes bound what has to be looked at, unless they lie outside the range.
  std::size_t first = 0;
  std::size_t last = buckets_.size() - 1;
  if (min_ >= kLowest.count()) first = index_of(static_cast<std::uint64_t>(min_));
  if (max_ <= kHighest.count()) last = std::min(last, index_of(static_cast<std::uint64_t>(max_)));
  for (std::size_t index = first; index <= last; ++index) {
    if (buckets_[index] != 0 && !visit(index, buckets_[index])) return;
  }
}

}  // namespace headroom::stats
