#include "load/keys.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "load/streams.h"

namespace headroom::load {

std::string key_prefix(std::uint64_t seed, std::uint64_t owner) {
  Random random = make_stream(seed, owner, kNone, Purpose::kPrefix);
  const std::uint64_t high = random();
  const std::uint64_t low = random();
  // Version 4 in the third group, variant 10 in the fourth (RFC 9562).
  return fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}-", high >> 32U, (high >> 16U) & 0xffffU,
                     high & 0xfffU, ((low >> 48U) & 0x3fffU) | 0x8000U, low & 0xffff'ffff'ffffU);
}

std::uint64_t keys_of_worker(std::uint64_t keys, std::uint32_t workers, std::uint32_t worker) {
  check(worker < workers, "a worker's index is below the number of workers");
  return keys / workers + (worker < keys % workers ? 1 : 0);
}

KeyShare share_of_worker(scenario::KeyOwnership ownership, std::uint64_t keys,
                         std::uint32_t workers, std::uint32_t worker) {
  const std::uint64_t count = keys_of_worker(keys, workers, worker);
  if (ownership == scenario::KeyOwnership::kPerWorker) return {worker, count, 0, count};
  // Shares stand one behind the other, the larger ones first.
  const std::uint64_t larger = std::min<std::uint64_t>(worker, keys % workers);
  return {kNone, keys, keys / workers * worker + larger, count};
}

std::string key_text(std::uint64_t seed, std::uint64_t owner, std::uint64_t index) {
  return key_prefix(seed, owner) + std::to_string(index);
}

}  // namespace headroom::load
