#include "stats/permutation.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/random.h"
#include "stats/sample.h"

namespace headroom::stats {
namespace {

constexpr std::uint64_t kDrawn = 99'999;

// How the sum of the first group compares with the observed one. For a fixed pool the difference of
// means grows with that sum, so counting sums is counting differences.
struct Tails {
  double observed = 0;
  double tolerance = 0;  // sums that differ only by rounding are equal
  double as_high = 0;
  double as_low = 0;
  void count(double sum) {
    if (sum >= observed - tolerance) ++as_high;
    if (sum <= observed + tolerance) ++as_low;
  }
  [[nodiscard]] double two_sided(double arrangements) const {
    return std::min(1.0, 2 * std::min(as_high, as_low) / arrangements);
  }
};

// Both groups, less their common mean: nothing large is left to cancel.
std::vector<double> centred_pool(std::span<const double> a, std::span<const double> b) {
  std::vector<double> pool(a.begin(), a.end());
  pool.insert(pool.end(), b.begin(), b.end());
  const double centre = *mean(pool);
  for (double& value : pool) value -= centre;
  return pool;
}

// Visits the sum of every choice of `choose` values, in lexicographic order of their indices.
void count_all(const std::vector<double>& pool, std::size_t choose, Tails& tails) {
  std::vector<std::size_t> chosen(choose);
  std::vector<double> sums(choose + 1, 0.0);  // sums[i] = of the first i chosen
  const auto settle = [&](std::size_t from) {
    for (std::size_t i = from; i < choose; ++i) sums[i + 1] = sums[i] + pool[chosen[i]];
  };
  for (std::size_t i = 0; i < choose; ++i) chosen[i] = i;
  settle(0);
  while (true) {
    tails.count(sums[choose]);
    std::size_t at = choose;
    while (at > 0 && chosen[at - 1] == pool.size() - choose + at - 1) --at;
    if (at == 0) return;
    ++chosen[at - 1];
    for (std::size_t i = at; i < choose; ++i) chosen[i] = chosen[i - 1] + 1;
    settle(at - 1);
  }
}

void count_drawn(std::vector<double> pool, std::size_t choose, std::uint64_t seed, Tails& tails) {
  Random random(seed);
  for (std::uint64_t draw = 0; draw < kDrawn; ++draw) {
    double sum = 0;
    for (std::size_t i = 0; i < choose; ++i) {
      std::swap(pool[i], pool[i + random.below(pool.size() - i)]);
      sum += pool[i];
    }
    tails.count(sum);
  }
}

}  // namespace

double count_arrangements(std::size_t a, std::size_t b) {
  const std::size_t fewer = std::min(a, b);
  double ways = 1;
  // After step i it is the binomial coefficient (a + b over i): whole at every step.
  for (std::size_t i = 1; i <= fewer; ++i)
    ways = ways * static_cast<double>(a + b - fewer + i) / static_cast<double>(i);
  return std::round(ways);
}

PermutationTest permutation_test(std::span<const double> a, std::span<const double> b,
                                 std::uint64_t seed) {
  check(!a.empty() && !b.empty(), "a permutation test compares two groups");
  const std::vector<double> pool = centred_pool(a, b);
  Tails tails;
  double size = 0;
  for (std::size_t i = 0; i < pool.size(); ++i) {
    if (i < a.size()) tails.observed += pool[i];
    size += std::fabs(pool[i]);
  }
  tails.tolerance = 1e-12 * size;

  PermutationTest result;
  result.arrangements = count_arrangements(a.size(), b.size());
  result.smallest_p = std::min(1.0, 2 / result.arrangements);
  result.exact = result.arrangements <= kMostArrangements;
  if (result.exact) {
    count_all(pool, a.size(), tails);
    result.p = tails.two_sided(result.arrangements);
    return result;
  }
  count_drawn(pool, a.size(), seed, tails);
  tails.count(tails.observed);
  constexpr double kLookedAt = static_cast<double>(kDrawn + 1);
  result.p = tails.two_sided(kLookedAt);
  result.smallest_p = 2 / kLookedAt;
  return result;
}

}  // namespace headroom::stats
