#include "load/zipf.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/check.h"

namespace headroom::load {
namespace {

// (e^t - 1) / t and log(1 + t) / t, with their limits at 0: what keeps integrals exact where the
// exponent is 1 or nearly so.
double expm1_over(double t) { return std::abs(t) > 1e-8 ? std::expm1(t) / t : 1 + t / 2; }
double log1p_over(double t) { return std::abs(t) > 1e-8 ? std::log1p(t) / t : 1 - t / 2; }

}  // namespace

Zipf::Zipf(std::uint64_t n, double exponent) : n_(static_cast<double>(n)), exponent_(exponent) {
  check(n > 0 && exponent >= 0, "ranks begin at 1 and do not become more likely");
  lowest_ = integral(1.5) - 1;
  highest_ = integral(n_ + 0.5);
  squeeze_ = 2 - inverse_integral(integral(2.5) - weight(2));
}

std::uint64_t Zipf::draw(Random& random) const {
  for (;;) {
    const double y = highest_ + random.uniform() * (lowest_ - highest_);
    const double x = inverse_integral(y);
    const double rank = std::clamp(std::floor(x + 0.5), 1.0, n_);
    if (rank - x <= squeeze_ || y >= integral(rank + 0.5) - weight(rank))
      return static_cast<std::uint64_t>(rank);
  }
}

double Zipf::weight(double x) const { return std::exp(-exponent_ * std::log(x)); }

double Zipf::integral(double x) const {
  const double log_x = std::log(x);
  return expm1_over((1 - exponent_) * log_x) * log_x;
}

double Zipf::inverse_integral(double y) const {
  // Rounding may push the argument of the logarithm below what any x has.
  const double t = std::max(y * (1 - exponent_), -1.0);
  return std::exp(log1p_over(t) * y);
}

std::uint64_t Zipf::median_rank() const {
  constexpr double kSummed = 10'000;
  const auto summed = static_cast<std::uint64_t>(std::min(n_, kSummed));
  std::vector<double> sums = {0};  // of the first ranks
  for (std::uint64_t rank = 1; rank <= summed; ++rank)
    sums.push_back(sums.back() + weight(static_cast<double>(rank)));
  const auto last = static_cast<double>(summed);
  const auto sum_to = [&](std::uint64_t rank) {
    if (rank <= summed) return sums[rank];
    const auto x = static_cast<double>(rank);
    const double slopes = exponent_ / 12 * (weight(last) / last - weight(x) / x);
    return sums.back() + integral(x) - integral(last) + (weight(x) - weight(last)) / 2 + slopes;
  };
  std::uint64_t low = 1;
  auto high = static_cast<std::uint64_t>(n_);
  const double half = sum_to(high) / 2;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (sum_to(middle) >= half) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace headroom::load
