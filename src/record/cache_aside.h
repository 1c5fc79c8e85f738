// Cache-aside: reads that missed, asked a (modelled) backend and wrote its answer into the cache.
#pragma once

#include <cstdint>

#include "stats/histogram.h"

namespace headroom::record {

// In one interval. A fill begins with the reply that was a miss and ends in exactly one way, each
// counted when it became known: over a whole run, begun = filled + failed + abandoned.
struct CacheAside {
  std::uint64_t begun = 0;
  std::uint64_t filled = 0;     // the SET was answered with OK
  std::uint64_t failed = 0;     // the SET had an error, timed out or was lost
  std::uint64_t abandoned = 0;  // no SET was sent: the load ended, or the connection was gone
  // What the user of a filled one waited: until the reply to the SET, from the read's own send, and
  // in open loop from the read's intended time (else empty).
  stats::Histogram service = {};
  stats::Histogram response = {};

  [[nodiscard]] std::uint64_t ended() const { return filled + failed + abandoned; }
  void add(const CacheAside& other) {
    begun += other.begun;
    filled += other.filled;
    failed += other.failed;
    abandoned += other.abandoned;
    service.merge(other.service);
    response.merge(other.response);
  }
};

}  // namespace headroom::record
