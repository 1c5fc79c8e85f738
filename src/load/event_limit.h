// Keeps a flood of like events to the first few, and counts the rest.
#pragma once

#include <cstdint>

namespace headroom::load {

class EventLimit {
 public:
  static constexpr std::uint64_t kShown = 5;
  // True if this one is to be told.
  [[nodiscard]] bool admit() { return ++seen_ <= kShown; }
  [[nodiscard]] std::uint64_t suppressed() const { return seen_ > kShown ? seen_ - kShown : 0; }

 private:
  std::uint64_t seen_ = 0;
};

}  // namespace headroom::load
