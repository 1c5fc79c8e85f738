#include "stats/equivalence.h"

#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/check.h"
#include "stats/sample.h"

namespace headroom::stats {
namespace {

// nullopt: a value is not positive.
std::optional<std::vector<double>> logarithms(std::span<const double> values) {
  std::vector<double> logs;
  for (const double value : values) {
    if (value <= 0) return std::nullopt;
    logs.push_back(std::log(value));
  }
  return logs;
}

// P(T >= t), T being Student's with these degrees of freedom.
double upper_tail(double t, double degrees) {
  return boost::math::cdf(boost::math::complement(boost::math::students_t(degrees), t));
}

}  // namespace

std::optional<EquivalenceTest> equivalence_test(std::span<const double> a,
                                                std::span<const double> b, double margin) {
  check(margin > 0, "equivalence is within a margin");
  if (a.size() < 2 || b.size() < 2) return std::nullopt;
  const auto log_a = logarithms(a);
  const auto log_b = logarithms(b);
  if (!log_a || !log_b) return std::nullopt;

  const auto error_of = [](const std::vector<double>& values) {
    const double deviation = *standard_deviation(values);
    return deviation * deviation / static_cast<double>(values.size());
  };
  const double error_a = error_of(*log_a);
  const double error_b = error_of(*log_b);
  const double difference = *mean(*log_b) - *mean(*log_a);
  const double bound = std::log1p(margin);
  EquivalenceTest result{std::exp(difference), 1};
  const double error = std::sqrt(error_a + error_b);
  if (error == 0) {  // no spread at all: the difference is what it is
    result.p = std::fabs(difference) < bound ? 0 : 1;
    return result;
  }
  // Welch-Satterthwaite.
  const double degrees = (error_a + error_b) * (error_a + error_b) /
                         (error_a * error_a / static_cast<double>(a.size() - 1) +
                          error_b * error_b / static_cast<double>(b.size() - 1));
  const double above_low = upper_tail((difference + bound) / error, degrees);
  const double below_high = upper_tail((bound - difference) / error, degrees);
  result.p = std::max(above_low, below_high);
  return result;
}

}  // namespace headroom::stats
