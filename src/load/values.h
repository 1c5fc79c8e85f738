// What values look like: their sizes and their bytes. Pure; constant after construction.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "scenario/workload.h"

namespace headroom::load {

// The size of each key's value: a function of the seed and the key's index, so that writing a key
// again changes no memory. Over many keys, sizes are distributed as the scenario says.
class ValueSizes {
 public:
  ValueSizes(const scenario::ValueSize& size, std::uint64_t seed);

  [[nodiscard]] std::uint64_t of(std::uint64_t key) const {
    return span_ == 1 ? lowest_ : varied(key);
  }
  [[nodiscard]] bool fixed() const { return span_ == 1; }

 private:
  struct Step {
    std::uint64_t ends_at;  // tickets below this, and not below the one before
    std::uint64_t bytes;
  };
  [[nodiscard]] std::uint64_t varied(std::uint64_t key) const;

  std::uint64_t seed_;
  std::uint64_t lowest_ = 0;
  std::uint64_t span_ = 1;   // sizes of a range, or tickets of a list
  std::vector<Step> steps_;  // of a list
};

// The bytes of all values: one block, drawn from the seed, whose end every value is. What a cache
// stores and sends does not depend on the content, and one block keeps the generator cheap.
class ValueBlock {
 public:
  // Values of up to `largest_bytes`.
  ValueBlock(const scenario::ValueContent& content, std::uint64_t largest_bytes, Random random);

  [[nodiscard]] std::string_view value(std::uint64_t bytes) const {
    return value_and_line_end(bytes).substr(0, bytes);
  }
  // With the CR LF that follows a bulk string on the wire.
  [[nodiscard]] std::string_view value_and_line_end(std::uint64_t bytes) const {
    return std::string_view(block_).substr(block_.size() - 2 - bytes);
  }

 private:
  std::string block_;
};

}  // namespace headroom::load
