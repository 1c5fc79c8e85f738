#include "stats/sample.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/check.h"

namespace headroom::stats {
namespace {

class CompensatedSum {
 public:
  void add(double value) {
    const double total = total_ + value;
    lost_ +=
        std::fabs(total_) >= std::fabs(value) ? (total_ - total) + value : (value - total) + total_;
    total_ = total;
  }
  [[nodiscard]] double value() const { return total_ + lost_; }

 private:
  double total_ = 0;
  double lost_ = 0;
};

double squared_deviations(std::span<const double> values, double center) {
  CompensatedSum sum;
  for (const double value : values) sum.add((value - center) * (value - center));
  return sum.value();
}

}  // namespace

double sum(std::span<const double> values) {
  CompensatedSum sum;
  for (const double value : values) sum.add(value);
  return sum.value();
}

std::optional<double> mean(std::span<const double> values) {
  if (values.empty()) return std::nullopt;
  return sum(values) / static_cast<double>(values.size());
}

std::optional<double> standard_deviation(std::span<const double> values) {
  if (values.size() < 2) return std::nullopt;
  return std::sqrt(squared_deviations(values, *mean(values)) /
                   static_cast<double>(values.size() - 1));
}

std::optional<double> coefficient_of_variation(std::span<const double> values) {
  const std::optional<double> deviation = standard_deviation(values);
  if (!deviation) return std::nullopt;
  const double center = std::fabs(*mean(values));
  if (center == 0) return std::nullopt;
  return *deviation / center;
}

std::optional<double> quantile(std::span<const double> values, double q) {
  check(q >= 0 && q <= 1, "a quantile is asked for in [0, 1]");
  if (values.empty()) return std::nullopt;
  std::vector<double> copy(values.begin(), values.end());
  const double position = q * static_cast<double>(copy.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const auto at = copy.begin() + static_cast<std::ptrdiff_t>(below);
  std::nth_element(copy.begin(), at, copy.end());
  if (below + 1 == copy.size()) return *at;
  return std::lerp(*at, *std::min_element(at + 1, copy.end()),
                   position - static_cast<double>(below));
}

std::optional<double> median(std::span<const double> values) { return quantile(values, 0.5); }

std::optional<double> autocorrelation(std::span<const double> series, std::size_t lag) {
  check(lag >= 1, "an autocorrelation has a lag");
  if (series.size() < lag + 2) return std::nullopt;
  const double center = *mean(series);
  const double variance = squared_deviations(series, center);
  if (variance == 0) return std::nullopt;
  CompensatedSum products;
  for (std::size_t i = lag; i < series.size(); ++i)
    products.add((series[i] - center) * (series[i - lag] - center));
  return products.value() / variance;
}

}  // namespace headroom::stats
