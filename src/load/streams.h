// Which random numbers are drawn for what. Every stream is derived from (seed, worker, connection,
// purpose): no two connections share one, and drawing more of one kind never shifts another.
#pragma once

#include <cstdint>

#include "base/random.h"

namespace headroom::load {

// Values are part of what a seed means: they never change.
enum class Purpose : std::uint64_t {
  kOperations = 0,   // which command comes next, per connection
  kKeys = 1,         // which key it is about, per connection
  kBackoff = 2,      // jitter of reconnecting, per worker
  kPrefix = 3,       // the prefix of an owner's keys
  kValue = 4,        // the content of values, one for the whole fleet
  kPopularity = 5,   // which keys of an owner are popular
  kSizes = 6,        // which sizes the values of an owner's keys have
  kNumbers = 7,      // random numbers in commands (TTLs, too), per connection
  kReplicas = 15,    // which replica a read goes to, per worker
  kArrivals = 16,    // gaps between due times in open loop, per worker
  kThinkTime = 17,   // pauses in closed loop, per worker
  kBackend = 18,     // how long backends take, per worker
  kRequestLog = 19,  // which requests are logged, per worker
};

// Stands for the connection (or the worker) in streams that belong to none.
inline constexpr std::uint64_t kNone = ~std::uint64_t{0};

[[nodiscard]] inline Random make_stream(std::uint64_t seed, std::uint64_t worker,
                                        std::uint64_t connection, Purpose purpose) {
  return Random(derive_seed(seed, {worker, connection, static_cast<std::uint64_t>(purpose)}));
}

}  // namespace headroom::load
