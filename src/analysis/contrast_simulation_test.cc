// How often a comparison claims a difference: where there is none, and where there is one. Seeded.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "analysis/comparison.h"
#include "analysis/contrast.h"
#include "base/random.h"
#include "tests/support/normal.h"

namespace headroom::analysis {
namespace {

using headroom::testing::normal;

constexpr double kCv = 0.02;  // from run to run

// What the machine adds to the throughput of the run at this place in the order of all runs, in
// units of the throughput.
using Machine = std::function<std::vector<double>(Random&, std::size_t)>;

std::vector<double> steady(Random&, std::size_t runs) { return std::vector<double>(runs, 0.0); }

std::vector<double> drifting(Random& random, std::size_t runs) {
  const double slope = 0.02 * normal(random);  // of a run to the next
  std::vector<double> drift(runs);
  for (std::size_t i = 0; i < runs; ++i) drift[i] = slope * static_cast<double>(i);
  return drift;
}

std::vector<double> autocorrelated(Random& random, std::size_t runs) {
  constexpr double kMemory = 0.8;
  std::vector<double> series(runs);
  double state = normal(random);
  for (double& value : series) {
    state = kMemory * state + std::sqrt(1 - kMemory * kMemory) * normal(random);
    value = kCv * state;
  }
  return series;
}

enum class Order { kAlternating, kOneAfterTheOther };

// A closed loop: latencies follow throughput, the rest is on its own.
ObservedRun run_of(Random& random, double level, std::int64_t hour) {
  ObservedRun run;
  run.started = WallTime{std::chrono::hours{hour}};
  run.regime = Regime::kHeadroom;
  const double throughput = level * (1 + kCv * normal(random));
  run.figures[Figure::kThroughput] = throughput;
  run.figures[Figure::kLatencyP50] = 1e10 / throughput * (1 + kCv * normal(random));
  run.figures[Figure::kLatencyP99] = 3e10 / throughput * (1 + 2 * kCv * normal(random));
  run.figures[Figure::kOpsPerCpuSecond] = 1e5 * (1 + kCv * normal(random));
  run.figures[Figure::kHitRatio] = 0.8 * (1 + 0.01 * normal(random));
  return run;
}

std::vector<Arm> simulate(Random& random, std::size_t runs, double difference,
                          const Machine& machine, Order order) {
  std::vector<Arm> arms(2);
  arms[0].name = "A";
  arms[1].name = "B";
  const std::vector<double> added = machine(random, 2 * runs);
  for (std::size_t i = 0; i < 2 * runs; ++i) {
    const std::size_t arm = order == Order::kAlternating ? i % 2 : i / runs;
    const double level = 50'000 * (1 + (arm == 1 ? difference : 0) + added[i]);
    arms[arm].runs.push_back(run_of(random, level, static_cast<std::int64_t>(i)));
  }
  return arms;
}

bool claims_any(std::span<const Arm> arms) {
  ContrastOptions options;
  options.estimates = false;
  for (const Contrast& contrast : contrast_arms(arms, options)) {
    if (contrast.decision == Decision::kDifferent) return true;
  }
  return false;
}

// The share of simulated comparisons that claim a difference in any figure.
double share(std::size_t runs, double difference, int rounds, const Machine& machine,
             Order order = Order::kAlternating) {
  Random random(derive_seed(97, {runs, static_cast<std::uint64_t>(rounds)}));
  int claimed = 0;
  for (int round = 0; round < rounds; ++round)
    claimed += claims_any(simulate(random, runs, difference, machine, order)) ? 1 : 0;
  return static_cast<double>(claimed) / rounds;
}

double at_most(double level, int rounds) {  // with four standard errors of sampling
  return level + 4 * std::sqrt(level * (1 - level) / rounds);
}

TEST(Simulation, WithoutADifferenceAtMostFivePercentClaimOne) {
  EXPECT_EQ(share(3, 0, 10'000, steady), 0);
  EXPECT_LE(share(5, 0, 10'000, steady), at_most(0.05, 10'000));
  // Beyond 100,000 arrangements they are drawn, which takes a hundred times as long.
  EXPECT_LE(share(10, 0, 100, steady), at_most(0.05, 100));
}

TEST(Simulation, ADriftingMachineIsNoDifferenceWhenArmsAlternate) {
  EXPECT_LE(share(5, 0, 3'000, drifting), at_most(0.05, 3'000));
  EXPECT_LE(share(5, 0, 3'000, autocorrelated), at_most(0.05, 3'000));
}

TEST(Simulation, ADriftingMachineIsNoDifferenceWhenArmsRunOneAfterTheOther) {
  EXPECT_LE(share(5, 0, 3'000, drifting, Order::kOneAfterTheOther), at_most(0.05, 3'000));
  EXPECT_LE(share(5, 0, 3'000, autocorrelated, Order::kOneAfterTheOther), at_most(0.05, 3'000));
}

TEST(Simulation, FivePercentAtTwoPercentSpreadAreFoundInFourOfFiveComparisons) {
  EXPECT_GE(share(5, 0.05, 3'000, steady), 0.80);
}

TEST(Simulation, ALargeDifferenceIsFoundEvenOneArmAfterTheOther) {
  EXPECT_GE(share(5, 1.0, 500, steady, Order::kOneAfterTheOther), 0.99);
}

}  // namespace
}  // namespace headroom::analysis
