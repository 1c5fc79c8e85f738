// How well the mean of a time series is known when its values depend on one another.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace headroom::stats {

struct MeanInterval {
  double mean = 0;  // of all values
  double low = 0;
  double high = 0;
  std::size_t batches = 0;
  std::size_t batch_size = 0;
  // Neighbouring batches are still alike (their lag-1 autocorrelation is above what independent
  // ones would show with probability 0.05): the series is too short for its memory, and the
  // interval is probably too narrow.
  bool batches_correlated = false;
};

// Fewer values give no interval: there would be less than five batches.
inline constexpr std::size_t kFewestForInterval = 20;

// Confidence interval of the mean of a stationary series by batch means: the series is cut into
// batches of floor(sqrt(n)) neighbours, whose means are nearly independent, and Student's t
// interval with (batches - 1) degrees of freedom is laid around their mean. The batch size is the
// consistent choice of Flegal and Jones (Batch means and spectral variance estimators in Markov
// chain Monte Carlo, Annals of Statistics 38, 2010); the method is Law and Kelton's (Simulation
// Modeling and Analysis, 9.5.3). Values that fill no batch are dropped at the beginning.
//
// confidence in (0, 1), e.g. 0.95. nullopt for a series shorter than kFewestForInterval.
[[nodiscard]] std::optional<MeanInterval> batch_means_interval(std::span<const double> series,
                                                               double confidence);

// The t for which Student's distribution has `probability` below it.
[[nodiscard]] double student_t_quantile(double probability, double degrees_of_freedom);

}  // namespace headroom::stats
