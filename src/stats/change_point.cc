#include "stats/change_point.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "stats/sample.h"

namespace headroom::stats {
namespace {

// The standard deviation of a normal distribution in units of its median absolute deviation.
constexpr double kMadToDeviation = 1.4826;
constexpr double kClip = 3;  // noise widths
// A sum of numbers of this size is not known better than this: noise below it is arithmetic.
constexpr double kArithmetic = 1e-12;

// Of neighbours, less their median: a steady slope is neither noise nor likeness.
std::vector<double> differences(std::span<const double> series) {
  std::vector<double> result;
  result.reserve(series.size());
  for (std::size_t i = 1; i < series.size(); ++i) result.push_back(series[i] - series[i - 1]);
  const double slope = median(result).value_or(0);
  for (double& value : result) value -= slope;
  return result;
}

double spread(std::vector<double> values) {
  for (double& value : values) value = std::fabs(value);
  return kMadToDeviation * median(values).value_or(0);
}

// The Hampel filter: each value within `limit` of the median of its neighbourhood.
std::vector<double> drawn_back(std::span<const double> series, std::size_t reach, double limit) {
  std::vector<double> result;
  result.reserve(series.size());
  for (std::size_t i = 0; i < series.size(); ++i) {
    const std::size_t begin = i > reach ? i - reach : 0;
    const std::size_t end = std::min(series.size(), i + reach + 1);
    const double center = *median(series.subspan(begin, end - begin));
    result.push_back(std::clamp(series[i], center - limit, center + limit));
  }
  return result;
}

// Of an autoregression x[i] = phi x[i-1] + noise the differences correlate by -(1 - phi) / 2 at lag
// one. Kept in [0, 0.9]: beyond that, noise and shifts cannot be told apart.
double autoregression(std::span<const double> steps, double limit) {
  double products = 0;
  double squares = 0;
  double before = 0;
  for (const double raw : steps) {
    const double step = std::clamp(raw, -limit, limit);
    products += step * before;
    squares += step * step;
    before = step;
  }
  if (squares == 0) return 0;
  return std::clamp(1 + 2 * products / squares, 0.0, 0.9);
}

// Sums that give the squared deviation of any stretch from its mean at once.
class Cost {
 public:
  explicit Cost(std::span<const double> series) : sums_(1, 0.0), squares_(1, 0.0) {
    const double center = *median(series);  // keeps the squares small, so that they do not cancel
    for (const double raw : series) {
      const double value = raw - center;
      sums_.push_back(sums_.back() + value);
      squares_.push_back(squares_.back() + value * value);
    }
  }
  [[nodiscard]] double operator()(std::size_t begin, std::size_t end) const {
    const double sum = sums_[end] - sums_[begin];
    return squares_[end] - squares_[begin] - sum * sum / static_cast<double>(end - begin);
  }

 private:
  std::vector<double> sums_;
  std::vector<double> squares_;
};

// The ends of the segments of the cheapest partition.
std::vector<std::size_t> cheapest_partition(std::span<const double> series, double penalty,
                                            std::size_t shortest) {
  struct Candidate {
    std::size_t begin;    // of the last segment
    std::size_t expires;  // from this end on another is better
  };
  constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();
  const Cost cost(series);
  const std::size_t size = series.size();
  std::vector<double> best(size + 1, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> last_begin(size + 1, 0);
  best[0] = -penalty;
  std::vector<Candidate> candidates{{0, kNever}};
  for (std::size_t end = shortest; end <= size; ++end) {
    for (const Candidate& candidate : candidates) {
      const double total = best[candidate.begin] + cost(candidate.begin, end) + penalty;
      if (total < best[end]) {
        best[end] = total;
        last_begin[end] = candidate.begin;
      }
    }
    // Cutting here as well would be no dearer: the candidate is not needed once the segment after
    // such a cut may be as short as it would have to be.
    for (Candidate& candidate : candidates) {
      if (candidate.expires == kNever &&
          best[candidate.begin] + cost(candidate.begin, end) > best[end])
        candidate.expires = end + shortest;
    }
    std::erase_if(candidates, [&](const Candidate& c) { return c.expires <= end + 1; });
    const std::size_t next_begin = end + 1 - shortest;
    if (next_begin >= shortest) candidates.push_back({next_begin, kNever});
  }
  std::vector<std::size_t> ends;
  for (std::size_t end = size; end > 0; end = last_begin[end]) ends.push_back(end);
  std::ranges::reverse(ends);
  return ends;
}

}  // namespace

std::vector<Segment> find_segments(std::span<const double> series,
                                   const ChangePointOptions& options) {
  check(options.shortest >= 2, "a segment has at least two values");
  if (series.empty()) return {};
  std::vector<std::size_t> ends{series.size()};
  if (series.size() >= 2 * options.shortest) {
    double largest = 0;
    for (const double value : series) largest = std::max(largest, std::fabs(value));
    const double least = std::max(options.noise_floor, kArithmetic * largest);
    // Differences of neighbours that are alike are smaller than the noise is wide: phi says by how
    // much.
    const std::vector<double> steps = differences(series);
    const double step_spread = spread(steps);
    const double phi = autoregression(steps, kClip * step_spread);
    const double width = std::max(step_spread / std::sqrt(2 * (1 - phi)), least);
    const double long_run = std::max(width * std::sqrt((1 + phi) / (1 - phi)), least);
    const std::vector<double> tame = drawn_back(series, options.shortest - 1, kClip * width);
    const double penalty = 3 * std::log(static_cast<double>(series.size())) * long_run * long_run;
    if (penalty > 0) ends = cheapest_partition(tame, penalty, options.shortest);
  }
  std::vector<Segment> segments;
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    segments.push_back({begin, end, *mean(series.subspan(begin, end - begin))});
    begin = end;
  }
  return segments;
}

}  // namespace headroom::stats
