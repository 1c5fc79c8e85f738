#include "base/random.h"

namespace headroom {
namespace {

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;

std::uint64_t mix(std::uint64_t x) {
  x += kGolden;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace

std::uint64_t derive_seed(std::uint64_t seed, std::initializer_list<std::uint64_t> coordinates) {
  std::uint64_t result = mix(seed);
  for (const std::uint64_t coordinate : coordinates) result = mix(result ^ coordinate);
  return result;
}

Random::Random(std::uint64_t seed) {
  for (std::uint64_t& word : state_) word = seed = mix(seed);
}

}  // namespace headroom
