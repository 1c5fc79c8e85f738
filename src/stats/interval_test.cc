#include "stats/interval.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "base/random.h"
#include "stats/sample.h"

namespace headroom::stats {
namespace {

double normal(Random& random) {  // Box and Muller
  const double u = 1 - random.uniform();
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * random.uniform());
}

// x[i] = phi x[i-1] + noise around `level`, begun in its stationary distribution.
std::vector<double> autoregression(Random& random, std::size_t size, double level, double phi) {
  std::vector<double> series(size);
  double state = normal(random) / std::sqrt(1 - phi * phi);
  for (double& value : series) {
    state = phi * state + normal(random);
    value = level + state;
  }
  return series;
}

// SciPy 1.17: scipy.stats.t.ppf(probability, df)
TEST(StudentT, QuantilesAgreeWithSciPy) {
  EXPECT_NEAR(student_t_quantile(0.975, 4), 2.7764451051977934, 1e-12);
  EXPECT_NEAR(student_t_quantile(0.975, 29), 2.045229642132703, 1e-12);
  EXPECT_NEAR(student_t_quantile(0.95, 1), 6.313751514675037, 1e-12);
  EXPECT_NEAR(student_t_quantile(0.995, 9), 3.249835541592126, 1e-12);
  EXPECT_NEAR(student_t_quantile(0.5, 3), 0, 1e-12);
  EXPECT_NEAR(student_t_quantile(0.025, 7), -2.3646242515927844, 1e-12);
}

// The same in NumPy and SciPy, with s the series below:
//   n = len(s); b = int(np.sqrt(n)); a = n // b; m = s[n - a * b:].reshape(a, b).mean(1)
//   h = st.t.ppf(.975, a - 1) * m.std(ddof=1) / np.sqrt(a); s.mean() - h, s.mean() + h
//   c = s - s.mean(); (c[1:] * c[:-1]).sum() / (c * c).sum()
TEST(BatchMeans, AgreeWithNumPyAndSciPy) {
  std::vector<double> series;
  std::uint64_t state = 12345;
  for (int i = 0; i < 103; ++i) {
    state = (state * 1103515245 + 12345) % (1ULL << 31U);
    series.push_back(100 + static_cast<double>((state >> 16U) % 1000) / 100 +
                     (i % 20 < 10 ? 3 : 0));
  }
  const MeanInterval interval = *batch_means_interval(series, 0.95);
  EXPECT_EQ(interval.batch_size, 10U);
  EXPECT_EQ(interval.batches, 10U);
  EXPECT_NEAR(interval.mean, 106.27621359223302, 1e-10);
  EXPECT_NEAR(interval.low, 105.48805692757004, 1e-10);
  EXPECT_NEAR(interval.high, 107.064370256896, 1e-10);
  EXPECT_NEAR(*autocorrelation(series, 1), 0.08944766406236422, 1e-12);
  EXPECT_NEAR(*autocorrelation(series, 5), 0.005259215757133522, 1e-12);
}

TEST(BatchMeans, ShortSeriesHaveNoInterval) {
  const std::vector<double> series(kFewestForInterval, 7.0);
  EXPECT_EQ(batch_means_interval(std::span(series).subspan(1), 0.95), std::nullopt);
  const MeanInterval interval = *batch_means_interval(series, 0.95);
  EXPECT_EQ(interval.low, 7);
  EXPECT_EQ(interval.high, 7);
  EXPECT_FALSE(interval.batches_correlated);
}

// How often of 1,000 the interval holds the true mean.
int coverage(std::size_t size, double phi) {
  Random random(derive_seed(77, {size, static_cast<std::uint64_t>(phi * 100)}));
  int held = 0;
  for (int i = 0; i < 1000; ++i) {
    const MeanInterval interval =
        *batch_means_interval(autoregression(random, size, 10, phi), 0.95);
    if (interval.low <= 10 && 10 <= interval.high) ++held;
  }
  return held;
}

TEST(BatchMeans, HoldTheTrueMeanAsOftenAsTheySay) {
  // The standard error of a share of 0.95 of 1,000 is 0.007.
  EXPECT_NEAR(coverage(60, 0), 950, 28);
  EXPECT_NEAR(coverage(600, 0), 950, 28);
  // With memory they hold a little less, where an interval that ignores it would fall to 740 (0.5)
  // and to 480 (0.8).
  EXPECT_GE(coverage(600, 0.5), 920);
  EXPECT_GE(coverage(3600, 0.8), 915);
}

TEST(BatchMeans, SayWhenTheSeriesIsTooShortForItsMemory) {
  Random random(5);
  int warned_of_memory = 0;
  int warned_of_noise = 0;
  for (int i = 0; i < 200; ++i) {
    warned_of_memory +=
        batch_means_interval(autoregression(random, 400, 0, 0.99), 0.95)->batches_correlated;
    warned_of_noise +=
        batch_means_interval(autoregression(random, 400, 0, 0), 0.95)->batches_correlated;
  }
  EXPECT_GT(warned_of_memory, 150);
  EXPECT_LT(warned_of_noise, 25);
}

}  // namespace
}  // namespace headroom::stats
