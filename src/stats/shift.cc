#include "stats/shift.h"

#include <algorithm>
#include <vector>

#include "base/random.h"
#include "stats/sample.h"

namespace headroom::stats {
namespace {

constexpr std::size_t kResamples = 2'000;

double resampled_median(std::span<const double> values, Random& random,
                        std::vector<double>& buffer) {
  buffer.clear();
  for (std::size_t i = 0; i < values.size(); ++i)
    buffer.push_back(values[random.below(values.size())]);
  return *median(buffer);
}

bool all_positive(std::span<const double> values) {
  return std::ranges::all_of(values, [](double value) { return value > 0; });
}

}  // namespace

std::optional<double> hodges_lehmann_shift(std::span<const double> from,
                                           std::span<const double> to) {
  std::vector<double> differences;
  differences.reserve(from.size() * to.size());
  for (const double a : from) {
    for (const double b : to) differences.push_back(b - a);
  }
  return median(differences);
}

std::optional<Estimate> ratio_of_medians(std::span<const double> from, std::span<const double> to,
                                         std::uint64_t seed) {
  if (from.empty() || to.empty() || !all_positive(from) || !all_positive(to)) return std::nullopt;
  Estimate estimate;
  estimate.value = *median(to) / *median(from);
  if (std::min(from.size(), to.size()) < kFewestForBootstrap) return estimate;
  Random random(seed);
  std::vector<double> buffer;
  std::vector<double> ratios;
  ratios.reserve(kResamples);
  for (std::size_t i = 0; i < kResamples; ++i) {
    const double divisor = resampled_median(from, random, buffer);
    ratios.push_back(resampled_median(to, random, buffer) / divisor);
  }
  estimate.low = quantile(ratios, (1 - kBootstrapConfidence) / 2);
  estimate.high = quantile(ratios, (1 + kBootstrapConfidence) / 2);
  return estimate;
}

}  // namespace headroom::stats
