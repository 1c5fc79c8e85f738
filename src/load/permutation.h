// A seeded bijection of [0, n) onto itself without a table. Pure.
//
// Additions, multiplications by odd numbers and shifts folded back are bijections of k-bit numbers;
// of the smallest k with 2^k >= n, results outside [0, n) are mapped again until one is inside
// (cycle walking: Black and Rogaway, Ciphers with arbitrary finite domains, 2002), less than twice
// on average.
#pragma once

#include <bit>
#include <cstdint>

#include "base/random.h"

namespace headroom::load {

class Permutation {
 public:
  // n > 0. The same (n, seed) gives the same bijection everywhere.
  Permutation(std::uint64_t n, std::uint64_t seed) : n_(n) {
    const int bits = n > 1 ? static_cast<int>(std::bit_width(n - 1)) : 1;
    mask_ = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << static_cast<unsigned>(bits)) - 1;
    shift_ = static_cast<unsigned>(bits + 1) / 2;
    Random random(seed);
    offset_ = random();
    for (std::uint64_t& factor : factors_) factor = random() | 1U;
  }

  [[nodiscard]] std::uint64_t operator()(std::uint64_t x) const {
    do {
      x = (x + offset_) & mask_;
      for (const std::uint64_t factor : factors_) {
        x ^= x >> shift_;
        x = (x * factor) & mask_;
      }
      x ^= x >> shift_;
    } while (x >= n_);
    return x;
  }

 private:
  std::uint64_t n_;
  std::uint64_t mask_;
  std::uint64_t offset_;
  std::uint64_t factors_[3];
  unsigned shift_;
};

}  // namespace headroom::load
