// Single requests that a run remembers, and latency told apart more finely than by operation and
// outcome. All of it is about the measure phase.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "record/latency_key.h"
#include "record/outcome.h"
#include "stats/histogram.h"

namespace headroom::record {

struct RequestRecord {
  Nanos sent{0};  // run time
  std::uint32_t worker = 0;
  std::uint32_t connection = 0;  // of the worker
  std::uint16_t operation = 0;   // indexes Run::operations
  Outcome outcome = Outcome::kOk;
  std::string key = {};  // the first one, fit to be shown
  // Of the value that it wrote or was answered with; absent: there was none, or several.
  std::optional<std::uint64_t> value_bytes = std::nullopt;
  std::optional<Nanos> service = std::nullopt;   // absent: no reply came
  std::optional<Nanos> response = std::nullopt;  // absent: closed loop

  // How long its user waited.
  [[nodiscard]] Nanos felt() const { return response.value_or(service.value_or(Nanos{0})); }
  friend bool operator==(const RequestRecord&, const RequestRecord&) = default;
};

// Whether a comes before b among the slowest. A total order of requests that differ, so that who
// merges what, and in which order, does not matter.
[[nodiscard]] bool slower(const RequestRecord& a, const RequestRecord& b);

// How many of the slowest a run keeps.
inline constexpr std::size_t kSlowestKept = 100;
// Adds `more` to `slowest`, which holds the slowest of all that it was given, the slowest first.
void merge_slowest(std::vector<RequestRecord>& slowest, const std::vector<RequestRecord>& more);

// By what the requests of one operation are told apart. Values are stored and never change.
enum class Split : int {
  kValueSize = 0,  // part: the largest size of the class, in bytes
  kKeys = 1,       // part: kHotKeys or kColdKeys
};
inline constexpr std::array kSplits = {Split::kValueSize, Split::kKeys};
inline constexpr std::uint64_t kColdKeys = 0;
inline constexpr std::uint64_t kHotKeys = 1;
[[nodiscard]] std::string_view split_name(Split split);  // "value-size", "keys"
[[nodiscard]] std::optional<Split> split_from_value(int stored);
// "up to 64B", "65B to 128B"; "hot", "cold"
[[nodiscard]] std::string part_label(Split split, std::uint64_t part);
[[nodiscard]] bool is_part(Split split, std::uint64_t part);

// Classes of value sizes double from 64 B on: up to 64 B, 65 to 128 B, ..., up to 512 MiB.
inline constexpr std::uint64_t kLeastSizeClass = 64;
inline constexpr std::size_t kSizeClasses = 24;
[[nodiscard]] constexpr std::size_t size_class(std::uint64_t bytes) {
  const std::uint64_t above = bytes == 0 ? 0 : (bytes - 1) / kLeastSizeClass;
  return std::min(static_cast<std::size_t>(std::bit_width(above)), kSizeClasses - 1);
}
[[nodiscard]] constexpr std::uint64_t largest_of_class(std::size_t size_class) {
  return kLeastSizeClass << size_class;
}

struct SplitKey {
  Split split = Split::kValueSize;
  std::uint64_t part = 0;
  LatencyKey latency;
  friend auto operator<=>(const SplitKey&, const SplitKey&) = default;
};

struct SplitSeries {
  SplitKey key;
  stats::Histogram histogram;
};

}  // namespace headroom::record
