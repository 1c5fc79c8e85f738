#include "stats/merged_quantile.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/check.h"
#include "base/random.h"
#include "stats/sample.h"

namespace headroom::stats {
namespace {

constexpr std::size_t kResamples = 1'000;

// Visits (key, value, count) of what a histogram holds; what lies outside its range stands at the
// extreme that was seen, as in Histogram::quantile().
template <class Visit>
void visit_samples(const Histogram& run, Visit visit) {
  if (run.below() > 0)
    visit(run.min()->count(), static_cast<double>(run.min()->count()), run.below());
  run.for_each([&](std::int64_t low, std::int64_t high, std::uint64_t count) {
    visit(low, (static_cast<double>(low) + static_cast<double>(high - 1)) / 2, count);
  });
  if (run.above() > 0)
    visit(run.max()->count(), static_cast<double>(run.max()->count()), run.above());
}

std::vector<std::uint64_t> draw(std::size_t runs, Random& random) {
  std::vector<std::uint64_t> times(runs, 0);
  for (std::size_t i = 0; i < runs; ++i) ++times[random.below(runs)];
  return times;
}

}  // namespace

RunMixture::RunMixture(std::span<const Histogram> runs) {
  std::map<std::int64_t, double> buckets;  // low end -> midpoint
  for (const Histogram& run : runs) {
    check(!run.empty(), "a run in a mixture has samples");
    visit_samples(run,
                  [&](std::int64_t low, double value, std::uint64_t) { buckets[low] = value; });
  }
  std::vector<std::int64_t> lows;
  for (const auto& [low, value] : buckets) {
    lows.push_back(low);
    values_.push_back(value);
  }
  for (const Histogram& run : runs) {
    std::vector<std::uint64_t> counts(lows.size(), 0);
    visit_samples(run, [&](std::int64_t low, double, std::uint64_t count) {
      counts[static_cast<std::size_t>(std::ranges::lower_bound(lows, low) - lows.begin())] += count;
    });
    for (std::size_t i = 1; i < counts.size(); ++i) counts[i] += counts[i - 1];
    cumulative_.push_back(std::move(counts));
  }
}

double RunMixture::quantile(double q, std::span<const std::uint64_t> times) const {
  check(times.size() == runs() && q >= 0 && q <= 1, "a mixture says how often each run comes");
  const auto samples_up_to = [&](std::size_t bucket) {
    std::uint64_t samples = 0;
    for (std::size_t run = 0; run < runs(); ++run) samples += times[run] * cumulative_[run][bucket];
    return samples;
  };
  const std::uint64_t all = samples_up_to(values_.size() - 1);
  check(all > 0, "a mixture has samples");
  const auto wanted = std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(std::ceil(q * static_cast<double>(all))));
  std::size_t low = 0;
  std::size_t high = values_.size() - 1;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (samples_up_to(middle) >= wanted)
      high = middle;
    else
      low = middle + 1;
  }
  return values_[low];
}

std::optional<Estimate> ratio_of_merged_quantiles(const RunMixture& from, const RunMixture& to,
                                                  double q, std::uint64_t seed) {
  if (from.runs() == 0 || to.runs() == 0) return std::nullopt;
  const auto once = [](const RunMixture& mixture) {
    return std::vector<std::uint64_t>(mixture.runs(), 1);
  };
  Estimate estimate;
  estimate.value = to.quantile(q, once(to)) / from.quantile(q, once(from));
  if (std::min(from.runs(), to.runs()) < kFewestForBootstrap) return estimate;
  Random random(seed);
  std::vector<double> ratios;
  ratios.reserve(kResamples);
  for (std::size_t i = 0; i < kResamples; ++i) {
    const double divisor = from.quantile(q, draw(from.runs(), random));
    ratios.push_back(to.quantile(q, draw(to.runs(), random)) / divisor);
  }
  estimate.low = stats::quantile(ratios, (1 - kBootstrapConfidence) / 2);
  estimate.high = stats::quantile(ratios, (1 + kBootstrapConfidence) / 2);
  return estimate;
}

}  // namespace headroom::stats
