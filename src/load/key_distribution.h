// Which key a request is about: draws indexes of keys as a scenario's key distribution says. Pure.
//
// Zipf's ranks are spread over the keys by a permutation (load/permutation.h), so that popular keys
// are not neighbours. The popular keys of the Gaussian and of the hotspot are neighbours: by their
// definition they are an area of the key space.
//
// A set of popular keys moves by adding an offset to every index: in epoch e it is e times the
// golden section of the key space, so that areas of up to 38 % of the keys do not overlap those of
// the epoch before.
#pragma once

#include <cstdint>
#include <optional>

#include "base/random.h"
#include "load/keys.h"
#include "load/permutation.h"
#include "load/zipf.h"
#include "scenario/workload.h"

namespace headroom::load {

// Hot keys are the smallest set that takes half of the draws, by theory; of the hotspot, the keys
// of its spot. Where all keys are equally popular none is.
//
// Not thread-safe: one worker's, as sequential keys have a place.
class KeySampler {
 public:
  // `seed` says which keys are popular: samplers that shall agree have the same.
  KeySampler(const scenario::KeyDistribution& distribution, const KeyShare& share,
             std::uint64_t seed);

  // An index below share.space.
  [[nodiscard]] std::uint64_t draw(Random& random) {
    if (shape_ == Shape::kUniform) [[likely]]
      return random.below(share_.space);
    return draw_shaped(random);
  }

  // Whether the index that was drawn last is that of a hot key.
  [[nodiscard]] bool drew_hot() const { return drew_hot_; }
  // How many keys are hot; nullopt: none is more popular than others.
  [[nodiscard]] std::optional<std::uint64_t> hot_keys() const;

  // Makes other keys popular; epoch 0 at first.
  void move_to(std::uint64_t epoch);

 private:
  enum class Shape : std::uint8_t { kUniform, kSequential, kGaussian, kZipf, kHotspot };

  [[nodiscard]] std::uint64_t draw_shaped(Random& random);
  [[nodiscard]] std::uint64_t draw_sequential();
  [[nodiscard]] std::uint64_t draw_gaussian(Random& random) const;
  void find_hot();
  // The place of a draw among popularities: a key's of areas, a rank's of Zipf, from 0.
  [[nodiscard]] std::uint64_t noted(std::uint64_t place) {
    drew_hot_ = place >= hot_begin_ && place < hot_end_;
    return place;
  }
  [[nodiscard]] std::uint64_t draw_hotspot(Random& random) const;
  [[nodiscard]] std::uint64_t moved(std::uint64_t index) const {
    const std::uint64_t sum = index + offset_;  // both below space, which is below 2^63
    return sum < share_.space ? sum : sum - share_.space;
  }

  Shape shape_ = Shape::kUniform;
  bool drew_hot_ = false;
  KeyShare share_;
  std::uint64_t offset_ = 0;       // of the present epoch
  std::uint64_t next_ = 0;         // sequential: place within the share
  double centre_ = 0;              // gaussian: in keys
  double deviation_ = 0;           // gaussian: in keys
  std::uint64_t hot_keys_ = 0;     // hotspot
  double hot_requests_ratio_ = 0;  // hotspot
  std::uint64_t hot_begin_ = 0;    // of the places that are hot
  std::uint64_t hot_end_ = 0;
  std::optional<Zipf> zipf_;
  Permutation permutation_;
};

}  // namespace headroom::load
