#include "stats/interval.h"

#include <boost/math/distributions/students_t.hpp>

#include <cmath>
#include <vector>

#include "base/check.h"
#include "stats/sample.h"

namespace headroom::stats {

double student_t_quantile(double probability, double degrees_of_freedom) {
  check(probability > 0 && probability < 1 && degrees_of_freedom > 0,
        "a quantile of Student's t is asked for in (0, 1)");
  return boost::math::quantile(boost::math::students_t(degrees_of_freedom), probability);
}

std::optional<MeanInterval> batch_means_interval(std::span<const double> series,
                                                 double confidence) {
  check(confidence > 0 && confidence < 1, "a confidence is in (0, 1)");
  if (series.size() < kFewestForInterval) return std::nullopt;
  MeanInterval result;
  result.mean = *mean(series);
  result.batch_size = static_cast<std::size_t>(std::sqrt(static_cast<double>(series.size())));
  result.batches = series.size() / result.batch_size;

  std::vector<double> means;
  means.reserve(result.batches);
  const std::size_t dropped = series.size() - result.batches * result.batch_size;
  for (std::size_t begin = dropped; begin < series.size(); begin += result.batch_size)
    means.push_back(*mean(series.subspan(begin, result.batch_size)));

  const auto batches = static_cast<double>(result.batches);
  const double error = *standard_deviation(means) / std::sqrt(batches);
  const double half_width = student_t_quantile((1 + confidence) / 2, batches - 1) * error;
  // Laid around the mean of all values: the few that were dropped are as good as the others.
  result.low = result.mean - half_width;
  result.high = result.mean + half_width;
  // Independent means have a lag-1 autocorrelation of about -1/n with the standard error 1/sqrt(n).
  constexpr double kNormal95 = 1.6449;
  const std::optional<double> likeness = autocorrelation(means, 1);
  result.batches_correlated = likeness && *likeness + 1 / batches > kNormal95 / std::sqrt(batches);
  return result;
}

}  // namespace headroom::stats
