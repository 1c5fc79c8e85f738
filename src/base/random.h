// Seeded random numbers: a small generator for hot loops and a way to derive independent streams.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <initializer_list>

namespace headroom {

// Mixes a seed with the coordinates of a stream (worker, connection, purpose...) into a new seed.
// Different coordinates give unrelated seeds; the same ones give the same seed on every machine.
// The mixing function is SplitMix64's finaliser (Steele, Lea, Flood: Fast splittable pseudorandom
// number generators, OOPSLA 2014), applied once per coordinate.
[[nodiscard]] std::uint64_t derive_seed(std::uint64_t seed,
                                        std::initializer_list<std::uint64_t> coordinates);

// xoshiro256++ 1.0 (Blackman and Vigna, 2019): 256 bits of state, period 2^256 - 1.
// Satisfies UniformRandomBitGenerator. Not thread-safe: one stream, one owner.
class Random {
 public:
  using result_type = std::uint64_t;
  explicit Random(std::uint64_t seed);

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return ~result_type{0}; }

  result_type operator()() {
    const std::uint64_t result = rotate(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = rotate(state_[3], 45);
    return result;
  }

  // Uniform in [0, bound); bound > 0. Lemire's multiply-shift with rejection: no bias.
  std::uint64_t below(std::uint64_t bound) {
    __extension__ using Wide = unsigned __int128;
    Wide product = static_cast<Wide>((*this)()) * bound;
    auto low = static_cast<std::uint64_t>(product);
    if (low < bound) {
      const std::uint64_t threshold = (0 - bound) % bound;
      while (low < threshold) {
        product = static_cast<Wide>((*this)()) * bound;
        low = static_cast<std::uint64_t>(product);
      }
    }
    return static_cast<std::uint64_t>(product >> 64);
  }

  // Uniform in [0, 1) with 53 bits.
  double uniform() { return static_cast<double>((*this)() >> 11) * 0x1.0p-53; }

  // Exponentially distributed with mean 1, by inversion.
  double exponential() { return -std::log1p(-uniform()); }

 private:
  static constexpr std::uint64_t rotate(std::uint64_t x, int k) {
    return (x << k) | (x >> (64 - k));
  }
  std::array<std::uint64_t, 4> state_;
};

}  // namespace headroom
