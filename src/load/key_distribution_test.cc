#include "load/key_distribution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>
#include <vector>

namespace headroom::load {
namespace {

using scenario::GaussianKeys;
using scenario::HotspotKeys;
using scenario::KeyDistribution;
using scenario::SequentialKeys;
using scenario::UniformKeys;
using scenario::ZipfKeys;

KeyShare whole(std::uint64_t keys) {
  return {.owner = 0, .space = keys, .begin = 0, .count = keys};
}

// Chi-square over classes of neighbouring outcomes, each expecting 25 draws at least. It has a mean
// of its degrees of freedom and the variance of twice that; five deviations are the limit. With the
// fixed seeds here the outcome never changes.
void expect_chi_square(const std::vector<double>& counts, const std::vector<double>& shares) {
  ASSERT_EQ(counts.size(), shares.size());
  const double draws = std::accumulate(counts.begin(), counts.end(), 0.0);
  const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
  double chi_square = 0;
  int classes = 0;
  double count = 0;
  double expected = 0;
  double left = draws;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    count += counts[i];
    const double share = draws * shares[i] / all;
    expected += share;
    left -= share;
    // What is left behind the last class belongs to it.
    if (i + 1 < counts.size() && (expected < 25 || left < 25)) continue;
    chi_square += (count - expected) * (count - expected) / expected;
    ++classes;
    count = expected = 0;
  }
  const double freedom = classes - 1;
  if (freedom == 0) return;
  EXPECT_NEAR(chi_square, freedom, 5 * std::sqrt(2 * freedom)) << classes << " classes";
}

std::vector<double> counts_of(std::uint64_t n, int draws,
                              const std::function<std::uint64_t()>& draw) {
  std::vector<double> counts(n);
  for (int i = 0; i < draws; ++i) counts.at(draw()) += 1;
  return counts;
}

std::vector<double> counts_of(const KeyDistribution& distribution, std::uint64_t keys, int draws,
                              std::uint64_t epoch = 0) {
  KeySampler sampler(distribution, whole(keys), 7);
  sampler.move_to(epoch);
  Random random(11);
  return counts_of(keys, draws, [&] { return sampler.draw(random); });
}

TEST(KeySampler, UniformIsUniform) {
  expect_chi_square(counts_of(UniformKeys{}, 1000, 1'000'000), std::vector<double>(1000, 1.0));
}

class ZipfTest : public testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(Exponents, ZipfTest,
                         testing::Values(0.0, 0.2, 0.5, 0.99, 1.0, 1.0 + 1e-10, 1.2, 2.5, 20.0));

std::vector<double> zipf_shares(std::uint64_t n, double exponent) {
  std::vector<double> shares;
  for (std::uint64_t i = 1; i <= n; ++i)
    shares.push_back(std::pow(static_cast<double>(i), -exponent));
  return shares;
}

TEST_P(ZipfTest, RanksFollowTheory) {
  for (const std::uint64_t n : {1U, 2U, 10U, 10'000U}) {
    const Zipf zipf(n, GetParam());
    Random random(n);
    expect_chi_square(counts_of(n, 500'000, [&] { return zipf.draw(random) - 1; }),
                      zipf_shares(n, GetParam()));
  }
}

TEST_P(ZipfTest, KeysHaveThePopularityOfTheirRank) {
  std::vector<double> counts = counts_of(ZipfKeys{GetParam()}, 5000, 500'000);
  // The permutation is known to be one; here it is undone by what it was made of.
  const Permutation permutation(5000, 7);
  std::vector<double> by_rank(counts.size());
  for (std::uint64_t rank = 0; rank < counts.size(); ++rank)
    by_rank[rank] = counts[GetParam() == 0 ? rank : permutation(rank)];
  expect_chi_square(by_rank, zipf_shares(5000, GetParam()));
}

TEST_P(ZipfTest, TheMedianRankIsTheFirstThatCompletesHalf) {
  for (const std::uint64_t n : {1U, 2U, 10U, 9'999U, 10'001U, 300'000U}) {
    const auto shares = zipf_shares(n, GetParam());
    double sum = 0;
    for (const double share : shares) sum += share;
    double half = 0;
    std::uint64_t rank = 0;
    while (half < sum / 2) half += shares[rank++];
    const std::uint64_t median = Zipf(n, GetParam()).median_rank();
    // Sums of many terms differ in their last digits.
    EXPECT_LE(median > rank ? median - rank : rank - median, n > 10'000 ? 1U : 0U) << n;
  }
}

TEST(KeySampler, HotKeysTakeHalfOfTheDraws) {
  constexpr std::uint64_t kKeys = 20'000;
  constexpr int kDraws = 200'000;
  const std::vector<KeyDistribution> distributions = {ZipfKeys{0.99},       ZipfKeys{0.5},
                                                      GaussianKeys{50, 10}, GaussianKeys{0, 20},
                                                      GaussianKeys{95, 10}, HotspotKeys{50, 3}};
  for (const KeyDistribution& distribution : distributions) {
    KeySampler sampler(distribution, whole(kKeys), 7);
    sampler.move_to(3);
    Random random(11);
    std::set<std::uint64_t> hot;
    std::set<std::uint64_t> cold;
    int hot_draws = 0;
    for (int i = 0; i < kDraws; ++i) {
      const std::uint64_t key = sampler.draw(random);
      hot_draws += sampler.drew_hot() ? 1 : 0;
      (sampler.drew_hot() ? hot : cold).insert(key);
    }
    // Half of them and at most one key more, within five deviations.
    EXPECT_NEAR(hot_draws, kDraws / 2, 5 * 224 + kDraws / 100) << distribution.index();
    ASSERT_TRUE(sampler.hot_keys());
    EXPECT_LE(hot.size(), *sampler.hot_keys());
    EXPECT_LT(*sampler.hot_keys(), kKeys / 2);
    for (const std::uint64_t key : hot) EXPECT_FALSE(cold.contains(key));
  }
  for (const KeyDistribution& even : std::vector<KeyDistribution>{
           UniformKeys{}, SequentialKeys{}, ZipfKeys{0}, HotspotKeys{90, 100}}) {
    KeySampler sampler(even, whole(kKeys), 7);
    EXPECT_FALSE(sampler.hot_keys());
    Random random(11);
    static_cast<void>(sampler.draw(random));
    EXPECT_FALSE(sampler.drew_hot());
  }
}

TEST(Zipf, StaysInRangeForAVastNumberOfRanks) {
  constexpr std::uint64_t kRanks = 1'000'000'000'000;
  for (const double exponent : {0.0, 0.5, 0.99, 1.0, 1.2, 100.0}) {
    const Zipf zipf(kRanks, exponent);
    Random random(3);
    for (int i = 0; i < 10'000; ++i) {
      const std::uint64_t rank = zipf.draw(random);
      ASSERT_GE(rank, 1U);
      ASSERT_LE(rank, kRanks);
    }
  }
}

TEST(KeySampler, GaussianIsNormalWithinTheKeySpace) {
  constexpr std::uint64_t kKeys = 2000;
  for (const GaussianKeys& keys :
       {GaussianKeys{50, 10}, GaussianKeys{0, 20}, GaussianKeys{90, 5}, GaussianKeys{50, 100}}) {
    std::vector<double> shares;
    const auto below = [&](std::uint64_t key) {
      const double deviations = (static_cast<double>(key) - kKeys * keys.centre_percent / 100) /
                                (kKeys * keys.spread_percent / 100);
      return 0.5 * std::erfc(-deviations / std::sqrt(2.0));
    };
    for (std::uint64_t key = 0; key < kKeys; ++key) shares.push_back(below(key + 1) - below(key));
    expect_chi_square(counts_of(keys, kKeys, 500'000), shares);
  }
}

TEST(KeySampler, HotspotSplitsRequestsAsAsked) {
  constexpr std::uint64_t kKeys = 1000;
  for (const HotspotKeys& keys : {HotspotKeys{90, 10}, HotspotKeys{50, 0.1}, HotspotKeys{0, 20},
                                  HotspotKeys{100, 20}, HotspotKeys{80, 100}}) {
    const auto hot = static_cast<std::uint64_t>(std::ceil(kKeys * keys.keys_percent / 100));
    std::vector<double> shares;
    for (std::uint64_t key = 0; key < kKeys; ++key) {
      const double requests = keys.requests_percent / 100;
      shares.push_back(hot == kKeys ? 1.0
                       : key < hot  ? requests / static_cast<double>(hot)
                                    : (1 - requests) / static_cast<double>(kKeys - hot));
    }
    const std::vector<double> counts = counts_of(keys, kKeys, 500'000);
    expect_chi_square(counts, shares);
    for (std::uint64_t key = 0; key < kKeys; ++key) {
      EXPECT_TRUE(shares[key] > 0 || counts[key] == 0) << key;
    }
  }
}

TEST(KeySampler, SequentialCoversItsShareExactlyOncePerPass) {
  const KeyShare share{.owner = 0, .space = 1000, .begin = 300, .count = 250};
  KeySampler sampler(SequentialKeys{}, share, 1);
  Random random(1);
  for (int pass = 0; pass < 3; ++pass) {
    for (std::uint64_t i = 0; i < share.count; ++i)
      ASSERT_EQ(sampler.draw(random), share.begin + i) << "pass " << pass;
  }
}

std::uint64_t most_popular(const std::vector<double>& counts) {
  return static_cast<std::uint64_t>(std::ranges::max_element(counts) - counts.begin());
}

TEST(KeySampler, PopularKeysMoveAndComeBackTheSame) {
  const ZipfKeys zipf{1.2};
  std::set<std::uint64_t> popular;
  for (std::uint64_t epoch = 0; epoch < 10; ++epoch)
    popular.insert(most_popular(counts_of(zipf, 1000, 20'000, epoch)));
  EXPECT_EQ(popular.size(), 10U);
  EXPECT_EQ(counts_of(zipf, 1000, 20'000, 3), counts_of(zipf, 1000, 20'000, 3));
}

TEST(KeySampler, AHotAreaThatMovesLeavesTheOldOne) {
  const HotspotKeys keys{100, 30};
  const std::vector<double> before = counts_of(keys, 1000, 50'000, 4);
  const std::vector<double> after = counts_of(keys, 1000, 50'000, 5);
  for (std::size_t key = 0; key < before.size(); ++key)
    EXPECT_TRUE(before[key] == 0 || after[key] == 0) << key;
}

TEST(KeySampler, OneKeyIsAlwaysTheKey) {
  for (const KeyDistribution& keys :
       {KeyDistribution(UniformKeys{}), KeyDistribution(SequentialKeys{}),
        KeyDistribution(GaussianKeys{50, 10}), KeyDistribution(ZipfKeys{1}),
        KeyDistribution(HotspotKeys{90, 10})}) {
    EXPECT_EQ(counts_of(keys, 1, 100, 5).front(), 100);
  }
}

TEST(KeySampler, PopularKeysAreNoNeighbours) {
  const std::vector<double> counts = counts_of(ZipfKeys{1}, 100'000, 100'000);
  std::vector<std::uint64_t> order(counts.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::partial_sort(order, order.begin() + 20, std::greater<>{},
                            [&](std::uint64_t key) { return counts[key]; });
  std::sort(order.begin(), order.begin() + 20);
  for (std::size_t i = 1; i < 20; ++i) EXPECT_GT(order[i], order[i - 1] + 1);
}

TEST(Permutation, IsABijectionOfEverySize) {
  for (std::uint64_t n = 1; n < 300; ++n) {
    const Permutation permutation(n, n);
    std::set<std::uint64_t> images;
    for (std::uint64_t x = 0; x < n; ++x) images.insert(permutation(x));
    ASSERT_EQ(images.size(), n);
    ASSERT_LT(*images.rbegin(), n);
  }
}

TEST(Permutation, DependsOnTheSeedAlone) {
  const std::uint64_t n = 1'000'000'000'000;
  EXPECT_EQ(Permutation(n, 1)(5), Permutation(n, 1)(5));
  EXPECT_NE(Permutation(n, 1)(5), Permutation(n, 2)(5));
  EXPECT_LT(Permutation(n, 1)(n - 1), n);
}

}  // namespace
}  // namespace headroom::load
