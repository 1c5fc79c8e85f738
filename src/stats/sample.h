// What a handful of numbers says: runs of a group, minutes of a run. Sums are compensated (Neumaier
// 1974), so that order and magnitude do not show in the result. All values must be finite.
//
// nullopt: there are too few values for the statistic to exist.
#pragma once

#include <optional>
#include <span>

namespace headroom::stats {

[[nodiscard]] double sum(std::span<const double> values);
// At least 1 value.
[[nodiscard]] std::optional<double> mean(std::span<const double> values);
// With n - 1; at least 2 values.
[[nodiscard]] std::optional<double> standard_deviation(std::span<const double> values);
// standard_deviation / |mean|, a ratio; at least 2 values whose mean is not zero.
[[nodiscard]] std::optional<double> coefficient_of_variation(std::span<const double> values);

// Quantile of a sample, q in [0, 1]: definition 7 of Hyndman and Fan (Sample quantiles in
// statistical packages, The American Statistician 50, 1996), i.e. linear between order statistics
// at (n - 1) q. It is what NumPy, R and spreadsheets compute by default. At least 1 value; any
// order.
[[nodiscard]] std::optional<double> quantile(std::span<const double> values, double q);
[[nodiscard]] std::optional<double> median(std::span<const double> values);

// Sample autocorrelation at `lag` (>= 1), with the divisor n (Box, Jenkins: Time Series Analysis,
// 2.1.5). At least lag + 2 values that are not all equal.
[[nodiscard]] std::optional<double> autocorrelation(std::span<const double> series,
                                                    std::size_t lag);

}  // namespace headroom::stats
