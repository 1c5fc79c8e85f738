#include "scenario/workload.h"

#include <algorithm>
#include <cmath>

#include "scenario/value.h"

namespace headroom::scenario {
namespace {

__extension__ using Wide = unsigned __int128;  // for sums of sizes times weights

}  // namespace

std::uint64_t mean_bytes(const ValueSize& size) {
  const Overloaded mean{
      [](std::uint64_t bytes) { return bytes; },
      [](const SizeRange& range) {
        return range.lowest_bytes + (range.highest_bytes - range.lowest_bytes) / 2;
      },
      [](const SizeList& list) {
        Wide bytes = 0;
        Wide weight = 0;
        for (const WeightedSize& entry : list) {
          bytes += static_cast<Wide>(entry.bytes) * entry.weight;
          weight += entry.weight;
        }
        return static_cast<std::uint64_t>(weight == 0 ? 0 : bytes / weight);
      },
  };
  return std::visit(mean, size);
}

std::uint64_t smallest_bytes(const ValueSize& size) {
  const Overloaded smallest{
      [](std::uint64_t bytes) { return bytes; },
      [](const SizeRange& range) { return range.lowest_bytes; },
      [](const SizeList& list) {
        return std::ranges::min_element(list, {}, &WeightedSize::bytes)->bytes;
      },
  };
  return std::visit(smallest, size);
}

std::uint64_t largest_bytes(const ValueSize& size) {
  const Overloaded largest{
      [](std::uint64_t bytes) { return bytes; },
      [](const SizeRange& range) { return range.highest_bytes; },
      [](const SizeList& list) {
        return std::ranges::max_element(list, {}, &WeightedSize::bytes)->bytes;
      },
  };
  return std::visit(largest, size);
}

TtlRange ttl_range(const Ttl& ttl) {
  const Overloaded range{
      [](Nanos fixed) { return TtlRange{fixed, fixed}; },
      [](const TtlRange& given) { return given; },
      [](const TtlJitter& jitter) {
        // In whole milliseconds, as the engine takes them, and never 0, which it refuses.
        const double middle_ms = static_cast<double>(jitter.middle.count()) / 1e6;
        const double half_ms = middle_ms * jitter.percent / 100;
        const auto millis = [](double value) {
          return Nanos{static_cast<std::int64_t>(value) * 1'000'000};
        };
        return TtlRange{millis(std::max(1.0, std::ceil(middle_ms - half_ms))),
                        millis(std::max(1.0, std::floor(middle_ms + half_ms)))};
      },
  };
  return std::visit(range, ttl);
}

}  // namespace headroom::scenario
