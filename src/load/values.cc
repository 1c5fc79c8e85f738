#include "load/values.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/check.h"
#include "scenario/value.h"

namespace headroom::load {
namespace {

// A part of every unit is one repeated byte.
constexpr std::size_t kUnitBytes = 64;
constexpr char kFill = 'x';

}  // namespace

ValueSizes::ValueSizes(const scenario::ValueSize& size, std::uint64_t seed) : seed_(seed) {
  const scenario::Overloaded prepare{
      [&](std::uint64_t bytes) { lowest_ = bytes; },
      [&](const scenario::SizeRange& range) {
        lowest_ = range.lowest_bytes;
        span_ = range.highest_bytes - range.lowest_bytes + 1;
      },
      [&](const scenario::SizeList& list) {
        check(!list.empty(), "a list of sizes is not empty");
        span_ = 0;
        for (const scenario::WeightedSize& entry : list) {
          span_ += entry.weight;
          steps_.push_back({span_, entry.bytes});
        }
        lowest_ = list.front().bytes;
      },
  };
  std::visit(prepare, size);
}

std::uint64_t ValueSizes::varied(std::uint64_t key) const {
  // The upper half of hash * span is uniform below span, but for a bias of span / 2^64.
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(derive_seed(seed_, {key})) * span_;
  const auto ticket = static_cast<std::uint64_t>(product >> 64U);
  if (steps_.empty()) return lowest_ + ticket;
  return std::ranges::upper_bound(steps_, ticket, {}, &Step::ends_at)->bytes;
}

ValueBlock::ValueBlock(const scenario::ValueContent& content, std::uint64_t largest_bytes,
                       Random random)
    : block_(largest_bytes + 2, kFill) {
  for (std::size_t at = 0; at < largest_bytes; at += sizeof(std::uint64_t)) {
    const std::uint64_t word = random();
    std::memcpy(block_.data() + at, &word, std::min(sizeof word, largest_bytes - at));
  }
  // Units are counted from the end, where all values meet.
  const auto filled = static_cast<std::size_t>(
      std::lround(static_cast<double>(kUnitBytes) * content.compressible_percent / 100));
  for (std::size_t from_end = 0; from_end < largest_bytes; ++from_end) {
    if (from_end % kUnitBytes >= kUnitBytes - filled) block_[largest_bytes - 1 - from_end] = kFill;
  }
  block_.replace(largest_bytes, 2, "\r\n");
}

}  // namespace headroom::load
