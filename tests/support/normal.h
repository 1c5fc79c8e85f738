// Normally distributed numbers from our own seeded source, the same on every machine.
#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include "base/random.h"

namespace headroom::testing {

[[nodiscard]] inline double normal(Random& random) {  // Box and Muller
  const double u = 1 - random.uniform();
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * random.uniform());
}

[[nodiscard]] inline std::vector<double> normal_values(Random& random, std::size_t count,
                                                       double mean, double deviation) {
  std::vector<double> values(count);
  for (double& value : values) value = mean + deviation * normal(random);
  return values;
}

}  // namespace headroom::testing
