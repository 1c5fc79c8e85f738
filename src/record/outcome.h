// How a request ended. Every request ends as exactly one outcome. Values are stored in run files
// and never change.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace headroom::record {

enum class Outcome : int {
  kHit = 0,       // a read that found its key
  kMiss = 1,      // a read that did not
  kOk = 2,        // any other good reply
  kRejected = 3,  // an OOM error reply: the engine is at maxmemory and may not evict
  kError = 4,     // any other error reply
  kTimeout = 5,   // no reply within the request timeout
  kLost = 6,      // the connection broke, or the run ended, before a reply came
  kUnsent = 7,    // was due by the schedule and never sent
  kCorrupt = 8,   // a read that found a value which is not what was written (workload.verify)
};

inline constexpr std::size_t kOutcomeCount = 9;
inline constexpr std::array kOutcomes = {Outcome::kHit,      Outcome::kMiss,   Outcome::kOk,
                                         Outcome::kRejected, Outcome::kError,  Outcome::kTimeout,
                                         Outcome::kLost,     Outcome::kUnsent, Outcome::kCorrupt};

// "hit", "miss", "ok", "rejected", "error", "timeout", "lost", "unsent", "corrupt"
[[nodiscard]] std::string_view outcome_name(Outcome outcome);
[[nodiscard]] std::optional<Outcome> outcome_from_value(int stored);

// A reply that did what was asked: hit, miss, ok. Throughput counts these.
[[nodiscard]] constexpr bool is_completed(Outcome outcome) { return outcome <= Outcome::kOk; }
// A reply came, good or bad: these have a service latency.
[[nodiscard]] constexpr bool has_reply(Outcome outcome) {
  return outcome <= Outcome::kError || outcome == Outcome::kCorrupt;
}

}  // namespace headroom::record
