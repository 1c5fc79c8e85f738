#include "load/key_distribution.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/check.h"
#include "scenario/value.h"

namespace headroom::load {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr double kGoldenSection = 0.6180339887498949;

}  // namespace

KeySampler::KeySampler(const scenario::KeyDistribution& distribution, const KeyShare& share,
                       std::uint64_t seed)
    : share_(share), permutation_(share.space, seed) {
  check(share.count > 0 && share.begin + share.count <= share.space,
        "a share of the keys is not empty and lies within their space");
  const auto keys = static_cast<double>(share.space);
  const scenario::Overloaded prepare{
      [](const scenario::UniformKeys&) {},
      [&](const scenario::SequentialKeys&) { shape_ = Shape::kSequential; },
      [&](const scenario::GaussianKeys& gaussian) {
        shape_ = Shape::kGaussian;
        centre_ = keys * gaussian.centre_percent / 100;
        deviation_ = keys * gaussian.spread_percent / 100;
      },
      [&](const scenario::ZipfKeys& zipf) {
        if (zipf.exponent == 0) return;  // uniform
        shape_ = Shape::kZipf;
        zipf_.emplace(share.space, zipf.exponent);
      },
      [&](const scenario::HotspotKeys& hotspot) {
        shape_ = Shape::kHotspot;
        const double hot = std::ceil(keys * hotspot.keys_percent / 100);
        hot_keys_ = std::clamp(static_cast<std::uint64_t>(hot), std::uint64_t{1}, share.space);
        hot_requests_ratio_ = hotspot.requests_percent / 100;
      },
  };
  std::visit(prepare, distribution);
  find_hot();
}

// The densest half of the Gaussian lies evenly about its centre, as far as the ends let it.
void KeySampler::find_hot() {
  if (shape_ == Shape::kHotspot && hot_keys_ < share_.space) hot_end_ = hot_keys_;
  if (shape_ == Shape::kZipf) hot_end_ = zipf_->median_rank();
  if (shape_ != Shape::kGaussian) return;
  const auto keys = static_cast<double>(share_.space);
  const auto below = [&](double x) {
    return std::erfc((centre_ - x) / (deviation_ * std::numbers::sqrt2)) / 2;
  };
  const auto begin = [&](double reach) { return std::max(0.0, centre_ - reach); };
  const auto end = [&](double reach) { return std::min(keys, centre_ + reach); };
  const double half = (below(keys) - below(0)) / 2;
  double low = 0;
  double high = keys;
  constexpr int kHalvings = 64;
  for (int i = 0; i < kHalvings; ++i) {
    const double reach = (low + high) / 2;
    (below(end(reach)) - below(begin(reach)) >= half ? high : low) = reach;
  }
  hot_begin_ = static_cast<std::uint64_t>(begin(high));
  hot_end_ = static_cast<std::uint64_t>(std::ceil(end(high)));
}

std::optional<std::uint64_t> KeySampler::hot_keys() const {
  if (hot_end_ == hot_begin_) return std::nullopt;
  return hot_end_ - hot_begin_;
}

void KeySampler::move_to(std::uint64_t epoch) {
  const double keys = static_cast<double>(share_.space);
  const auto stride = static_cast<std::uint64_t>(keys * kGoldenSection);
  offset_ = static_cast<std::uint64_t>(static_cast<Wide>(epoch) *
                                       std::max<std::uint64_t>(stride, 1) % share_.space);
}

std::uint64_t KeySampler::draw_shaped(Random& random) {
  switch (shape_) {
    case Shape::kUniform:
      return random.below(share_.space);
    case Shape::kSequential:
      return draw_sequential();
    case Shape::kGaussian:
      return moved(noted(draw_gaussian(random)));
    case Shape::kZipf:
      return moved(permutation_(noted(zipf_->draw(random) - 1)));
    case Shape::kHotspot:
      return moved(noted(draw_hotspot(random)));
  }
  check(false, "every shape is known");
  return 0;
}

std::uint64_t KeySampler::draw_sequential() {
  const std::uint64_t index = share_.begin + next_;
  if (++next_ == share_.count) next_ = 0;
  return index;
}

std::uint64_t KeySampler::draw_gaussian(Random& random) const {
  const auto keys = static_cast<double>(share_.space);
  for (;;) {
    // Box and Muller, 1958. 1 - u is in (0, 1], which has a logarithm.
    const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
    const double normal = radius * std::cos(2 * std::numbers::pi * random.uniform());
    const double index = std::floor(centre_ + deviation_ * normal);
    if (index >= 0 && index < keys) return static_cast<std::uint64_t>(index);
  }
}

std::uint64_t KeySampler::draw_hotspot(Random& random) const {
  const std::uint64_t cold_keys = share_.space - hot_keys_;
  if (cold_keys == 0 || random.uniform() < hot_requests_ratio_) return random.below(hot_keys_);
  return hot_keys_ + random.below(cold_keys);
}

}  // namespace headroom::load
