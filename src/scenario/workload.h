// What is asked of the cache: which commands, about which keys, with which values. Nouns, as the
// [workload] section of a scenario gives them; percentages are kept as they are written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.h"

namespace headroom::scenario {

// Whose the keys are (docs/decisions/0011-popularity-and-key-space.md).
enum class KeyOwnership {
  kPerWorker,  // each worker has a share of its own, and a popularity of its own over it
  kShared,     // all workers draw from one space with one popularity
};

struct UniformKeys {
  friend bool operator==(const UniformKeys&, const UniformKeys&) = default;
};
// Each worker runs through its share of the keys in order, again and again.
struct SequentialKeys {
  friend bool operator==(const SequentialKeys&, const SequentialKeys&) = default;
};
// Normal about the key at `centre_percent` of the key space, cut off at both ends of it.
struct GaussianKeys {
  double centre_percent = 50;
  double spread_percent = 10;  // the standard deviation, of the key space
  friend bool operator==(const GaussianKeys&, const GaussianKeys&) = default;
};
// The key of rank i, from 1, is drawn in proportion to i^-exponent.
struct ZipfKeys {
  double exponent = 1;
  friend bool operator==(const ZipfKeys&, const ZipfKeys&) = default;
};
// `requests_percent` of the draws are spread evenly over the first `keys_percent` of the keys, the
// others over the rest.
struct HotspotKeys {
  double requests_percent = 90;
  double keys_percent = 10;
  friend bool operator==(const HotspotKeys&, const HotspotKeys&) = default;
};
using KeyDistribution =
    std::variant<UniformKeys, SequentialKeys, GaussianKeys, ZipfKeys, HotspotKeys>;

struct SizeRange {  // every size from lowest to highest is equally likely
  std::uint64_t lowest_bytes = 0;
  std::uint64_t highest_bytes = 0;
  friend bool operator==(const SizeRange&, const SizeRange&) = default;
};
struct WeightedSize {
  std::uint64_t bytes = 0;
  std::uint64_t weight = 0;
  friend bool operator==(const WeightedSize&, const WeightedSize&) = default;
};
using SizeList = std::vector<WeightedSize>;
// The first: every value has this size.
using ValueSize = std::variant<std::uint64_t, SizeRange, SizeList>;

// Rounded down. Over all keys: which key has which size does not depend on how popular it is.
[[nodiscard]] std::uint64_t mean_bytes(const ValueSize& size);
[[nodiscard]] std::uint64_t smallest_bytes(const ValueSize& size);
[[nodiscard]] std::uint64_t largest_bytes(const ValueSize& size);

struct ValueContent {
  // How much of a value is one repeated byte; the rest is random. 0: "random".
  double compressible_percent = 0;
  friend bool operator==(const ValueContent&, const ValueContent&) = default;
};

struct TtlRange {
  Nanos lowest{0};
  Nanos highest{0};
  friend bool operator==(const TtlRange&, const TtlRange&) = default;
};
// Evenly between middle less and middle plus `percent` of it.
struct TtlJitter {
  Nanos middle{0};
  double percent = 0;
  friend bool operator==(const TtlJitter&, const TtlJitter&) = default;
};
// Whole milliseconds; the first: always the same.
using Ttl = std::variant<Nanos, TtlRange, TtlJitter>;

// The shortest value that can be verified: its stamp.
inline constexpr std::uint64_t kLeastVerifiedBytes = 16;

// The shortest and the longest TTL that is given.
[[nodiscard]] TtlRange ttl_range(const Ttl& ttl);

// One of [[workload.command]], of which there may be so many.
inline constexpr std::size_t kMostCommands = 32;
struct WeightedCommand {
  std::string text;                     // scenario/command_line.h
  std::string name;                     // empty: from its first word
  std::uint32_t weight = 0;             // 0: only drawn in stages that name it
  std::optional<KeyDistribution> keys;  // absent: the workload's
  std::optional<ValueSize> value_size;  // absent: the workload's
  std::string tenant = {};  // that sends it; empty: all that have no commands of their own
  friend bool operator==(const WeightedCommand&, const WeightedCommand&) = default;
};

// How long the backend takes that is asked when a read misses.
struct DurationRange {  // evenly between the two
  Nanos lowest{0};
  Nanos highest{0};
  friend bool operator==(const DurationRange&, const DurationRange&) = default;
};
struct ExponentialDuration {
  Nanos mean{0};
  friend bool operator==(const ExponentialDuration&, const ExponentialDuration&) = default;
};
using BackendTime = std::variant<Nanos, DurationRange, ExponentialDuration>;

enum class TraceFormat { kMonitor, kCsv, kTsv };
enum class TraceTiming { kOriginal, kScaled, kFast };

// Recorded requests that are sent again.
struct Trace {
  std::string file;  // empty: none
  TraceFormat format = TraceFormat::kMonitor;
  TraceTiming timing = TraceTiming::kOriginal;
  std::optional<double> speed;  // of kScaled: 2 is twice as fast
  bool loop = false;            // begin again at its end
  friend bool operator==(const Trace&, const Trace&) = default;
};

struct Workload {
  ValueSize value_size = std::uint64_t{0};
  std::uint32_t set_weight = 0;  // of "ratio": SET:GET; both 0 where `commands` say what is asked
  std::uint32_t get_weight = 0;
  // Total over all workers; nullopt: "auto", sized from the node.
  std::optional<std::uint64_t> keys;
  bool prefill = false;  // write every key once before the warm-up, confirmed
  KeyOwnership key_space = KeyOwnership::kPerWorker;
  KeyDistribution key_distribution;
  std::optional<Nanos> keys_move_every;  // absent: popular keys stay popular
  ValueContent value_content;
  std::optional<Ttl> ttl;                   // of what SET writes; absent: none
  bool verify = false;                      // values are stamped, and looked at when they are read
  std::vector<WeightedCommand> commands;    // empty: as "ratio" says
  std::optional<BackendTime> backend_time;  // cache-aside: of reads that miss; absent: none
  Trace trace;  // with a file it says all that is asked, and ratio, keys and commands say nothing

  [[nodiscard]] bool replays() const { return !trace.file.empty(); }
  friend bool operator==(const Workload&, const Workload&) = default;
};

}  // namespace headroom::scenario
