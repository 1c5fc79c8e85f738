#include "stats/power.h"

#include <boost/math/distributions/non_central_t.hpp>

#include <cmath>

#include "base/check.h"
#include "stats/interval.h"
#include "stats/permutation.h"

namespace headroom::stats {
namespace {

constexpr std::size_t kMostRuns = 1'000;

}  // namespace

double power_of_t_test(double effect, std::size_t runs, double alpha) {
  check(runs >= 2 && effect >= 0 && alpha > 0 && alpha < 1, "power is asked of a possible test");
  const double degrees = static_cast<double>(2 * runs - 2);
  const double critical = student_t_quantile(1 - alpha / 2, degrees);
  const double noncentrality = effect * std::sqrt(static_cast<double>(runs) / 2);
  // Far beyond the critical value the normal distribution says the same, without the series of the
  // noncentral t running out of terms.
  constexpr double kFar = 30;
  if (noncentrality > critical + kFar) return 1;
  if (noncentrality == 0) return alpha;
  const boost::math::non_central_t distribution(degrees, noncentrality);
  return boost::math::cdf(boost::math::complement(distribution, critical)) +
         boost::math::cdf(distribution, -critical);
}

std::size_t fewest_runs_for(double alpha) {
  check(alpha > 0, "a level is positive");
  std::size_t runs = 1;
  while (2 / count_arrangements(runs, runs) > alpha) ++runs;
  return runs;
}

std::optional<std::size_t> runs_needed(double difference, double cv, double alpha, double power) {
  check(power > 0 && power < 1 && cv >= 0, "power is a probability, and a spread not negative");
  if (difference <= 0) return std::nullopt;
  std::size_t runs = std::max<std::size_t>(2, fewest_runs_for(alpha));
  if (cv == 0) return runs;
  const double effect = difference / cv;
  const auto suffices = [&](std::size_t n) { return power_of_t_test(effect, n, alpha) >= power; };
  if (suffices(runs)) return runs;
  if (!suffices(kMostRuns)) return std::nullopt;
  std::size_t enough = kMostRuns;  // power grows with runs: halve the gap
  while (enough - runs > 1) {
    const std::size_t middle = runs + (enough - runs) / 2;
    (suffices(middle) ? enough : runs) = middle;
  }
  return enough;
}

}  // namespace headroom::stats
