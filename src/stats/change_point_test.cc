#include "stats/change_point.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
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

struct Level {
  std::size_t length;
  double mean;
};
std::vector<double> levels(const std::vector<Level>& parts, double noise, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> series;
  for (const Level& part : parts) {
    for (std::size_t i = 0; i < part.length; ++i)
      series.push_back(part.mean + noise * normal(random));
  }
  return series;
}

std::vector<std::size_t> ends(const std::vector<Segment>& segments) {
  std::vector<std::size_t> result;
  for (const Segment& segment : segments) result.push_back(segment.end);
  return result;
}

TEST(FindSegments, CoversTheSeriesWithoutGaps) {
  const std::vector<double> series = levels({{40, 100}, {60, 110}, {20, 90}}, 2, 1);
  std::size_t next = 0;
  for (const Segment& segment : find_segments(series)) {
    EXPECT_EQ(segment.begin, next);
    EXPECT_GE(segment.length(), 5U);
    EXPECT_DOUBLE_EQ(segment.mean,
                     *mean(std::span(series).subspan(segment.begin, segment.length())));
    next = segment.end;
  }
  EXPECT_EQ(next, series.size());
}

TEST(FindSegments, FindsShiftsWhereTheyAre) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto segments = find_segments(levels({{40, 100}, {60, 110}, {20, 90}}, 2, seed));
    ASSERT_EQ(segments.size(), 3U) << "seed " << seed;
    EXPECT_NEAR(static_cast<double>(segments[0].end), 40, 1.5);
    EXPECT_NEAR(static_cast<double>(segments[1].end), 100, 1.5);
  }
}

TEST(FindSegments, FindsExactShiftsWithoutNoise) {
  EXPECT_EQ(ends(find_segments(levels({{30, 1e5}, {30, 1.001e5}}, 0, 0))),
            (std::vector<std::size_t>{30, 60}));
  EXPECT_EQ(find_segments(levels({{60, 0}}, 0, 0)).size(), 1U);
  EXPECT_EQ(find_segments(levels({{60, 0.1}}, 0, 0)).size(), 1U);
}

TEST(FindSegments, TooShortASeriesIsOneSegment) {
  EXPECT_TRUE(find_segments({}).empty());
  EXPECT_EQ(find_segments(std::vector<double>{3}).size(), 1U);
  EXPECT_EQ(find_segments(levels({{4, 0}, {5, 1000}}, 0, 0)).size(), 1U);
  EXPECT_EQ(find_segments(levels({{5, 0}, {5, 1000}}, 0, 0)).size(), 2U);
}

// How many of 100 series without a shift are cut.
int cut_series(std::size_t size, double phi) {
  int cut = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    std::vector<double> series = levels({{size, 0}}, 1, seed);
    for (std::size_t i = 1; i < size; ++i) series[i] += phi * series[i - 1];
    if (find_segments(series).size() > 1) ++cut;
  }
  return cut;
}

TEST(FindSegments, SeldomCutsWhatIsLevel) {
  EXPECT_LE(cut_series(60, 0), 20);  // 5 %
  EXPECT_LE(cut_series(600, 0), 20);
  EXPECT_LE(cut_series(600, 0.3), 20);
  EXPECT_LE(cut_series(600, 0.6), 40);
}

TEST(FindSegments, OutliersAreNoShifts) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::vector<double> series = levels({{120, 1000}}, 10, seed);
    series[20] = 0;
    series[60] = series[61] = 100;
    series[100] = 10'000;
    EXPECT_EQ(find_segments(series).size(), 1U) << "seed " << seed;
  }
}

TEST(FindSegments, AFloorOfNoiseHidesWhatIsTooSmallToMatter) {
  const std::vector<double> series = levels({{60, 100}, {60, 101}}, 0.1, 3);
  EXPECT_EQ(find_segments(series).size(), 2U);
  EXPECT_EQ(find_segments(series, {.noise_floor = 5}).size(), 1U);
}

TEST(FindSegments, DoesNotDependOnUnits) {
  const std::vector<double> series = levels({{40, 1}, {40, 1.2}}, 0.03, 4);
  for (const double scale : {1e-9, 1e9}) {
    std::vector<double> scaled = series;
    for (double& value : scaled) value = value * scale;
    EXPECT_EQ(ends(find_segments(scaled)), ends(find_segments(series)));
  }
}

// The pruning must not change what is found: the same as trying every partition, on series short
// enough for that.
TEST(FindSegments, IsTheCheapestPartition) {
  struct Search {
    std::span<const double> series;
    double penalty;
    double cost(std::size_t begin, std::size_t end) const {
      const auto part = series.subspan(begin, end - begin);
      const double center = *mean(part);
      double total = 0;
      for (const double value : part) total += (value - center) * (value - center);
      return total;
    }
    double best(std::size_t begin) const {
      double least = cost(begin, series.size());
      for (std::size_t cut = begin + 2; cut + 2 <= series.size(); ++cut)
        least = std::min(least, cost(begin, cut) + penalty + best(cut));
      return least;
    }
  };
  Random random(8);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> series;
    double level = 0;
    for (int i = 0; i < 16; ++i) {
      if (random.below(4) == 0) level += 4 * normal(random);
      series.push_back(level + normal(random));
    }
    // A floor above everything sets noise and clipping, so that the penalty is known here.
    constexpr double kNoise = 1.5;
    const ChangePointOptions options{.shortest = 2, .noise_floor = kNoise};
    const std::vector<double> steps = [&] {
      std::vector<double> result;
      for (std::size_t i = 1; i < series.size(); ++i)
        result.push_back(std::fabs(series[i] - series[i - 1]));
      return result;
    }();
    if (1.4826 * *median(steps) > kNoise / 3) continue;  // the floor does not rule
    const Search search{series, 3 * std::log(16.0) * kNoise * kNoise};
    const auto segments = find_segments(series, options);
    double found = -search.penalty;
    for (const Segment& segment : segments)
      found += search.cost(segment.begin, segment.end) + search.penalty;
    EXPECT_NEAR(found, search.best(0), 1e-9) << "round " << round;
  }
}

}  // namespace
}  // namespace headroom::stats
