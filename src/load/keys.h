// The text of keys, and how the key space is divided. Pure.
//
// A key is a prefix of 37 bytes, the same for all keys of one owner and different for each owner,
// and the decimal index of the key: "6f1c4d0e-8a3b-4c55-9d21-0b7f6a5e4c3d-48213". Up to ten million
// keys per owner have 38 to 44 bytes, as in the published runs, so that memory per key compares.
// The owner is a worker, or kNone (load/streams.h) where all workers share one space.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "scenario/workload.h"

namespace headroom::load {

inline constexpr std::size_t kKeyPrefixBytes = 37;

// A UUID in version 4's shape, drawn from (seed, owner), and a dash.
[[nodiscard]] std::string key_prefix(std::uint64_t seed, std::uint64_t owner);

// How many of `keys` belong to `worker`: an even share, the first `keys % workers` workers one
// more. Indexes of a worker run from 0.
[[nodiscard]] std::uint64_t keys_of_worker(std::uint64_t keys, std::uint32_t workers,
                                           std::uint32_t worker);

// The keys that a worker draws from, [0, space) of their owner's, and those that it prefills and
// runs through in order, [begin, begin + count).
struct KeyShare {
  std::uint64_t owner = 0;
  std::uint64_t space = 0;
  std::uint64_t begin = 0;
  std::uint64_t count = 0;
};
// `keys` are those of all workers together, at least one for each.
[[nodiscard]] KeyShare share_of_worker(scenario::KeyOwnership ownership, std::uint64_t keys,
                                       std::uint32_t workers, std::uint32_t worker);

// The whole text of a key, for whoever is not in a hurry.
[[nodiscard]] std::string key_text(std::uint64_t seed, std::uint64_t owner, std::uint64_t index);

inline constexpr std::array<std::uint64_t, 20> kPowersOfTen = [] {
  std::array<std::uint64_t, 20> powers{};
  std::uint64_t power = 1;
  for (std::uint64_t& entry : powers) {
    entry = power;
    power *= 10;
  }
  return powers;
}();
inline constexpr std::size_t kMaxDigits = 20;

// Decimal digits of a number; 1 for 0.
[[nodiscard]] constexpr std::size_t decimal_digits(std::uint64_t value) {
  // Setting the lowest bit makes 0 a 1 and changes no number of digits. 1233 / 4096 is log10(2),
  // near enough for 64 bits: the guess is right or one too small.
  value |= 1U;
  const auto guess = (static_cast<std::size_t>(std::bit_width(value)) * 1233U) >> 12U;
  return guess + (value >= kPowersOfTen[guess] ? 1U : 0U);
}

// Eight decimal digits of a number below 10^8, leading zeros included, the first in the lowest
// byte: halves, then pairs, then digits are divided side by side within one word.
[[nodiscard]] constexpr std::uint64_t eight_digits(std::uint64_t value) {
  const std::uint64_t halves = value / 10'000 | (value % 10'000) << 32U;
  // x * 10486 >> 20 is x / 100 for x < 10^4; y * 103 >> 10 is y / 10 for y < 100.
  const std::uint64_t hundreds = ((halves * 10'486U) >> 20U) & 0x0000'007f'0000'007fU;
  const std::uint64_t pairs = hundreds | (halves - hundreds * 100U) << 16U;
  const std::uint64_t tens = ((pairs * 103U) >> 10U) & 0x000f'000f'000f'000fU;
  return (tens | (pairs - tens * 10U) << 8U) + 0x3030'3030'3030'3030U;
}

// Writes `value`, which has `digits` decimal digits, to [at, at + digits). Up to seven bytes behind
// that are overwritten.
inline void write_decimal(char* at, std::uint64_t value, std::size_t digits) {
  static_assert(std::endian::native == std::endian::little);
  constexpr std::uint64_t kEightDigits = 100'000'000;
  if (digits > 8) [[unlikely]] {
    write_decimal(at, value / kEightDigits, digits - 8);
    at += digits - 8;
    value %= kEightDigits;
    digits = 8;
  }
  const std::uint64_t text = eight_digits(value) >> (8 * (8 - digits));
  std::memcpy(at, &text, sizeof text);
}

}  // namespace headroom::load
