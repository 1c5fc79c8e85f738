// Where requests of an operation go in a cluster: to a slot that follows from their key. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "load/keys.h"
#include "resp/cluster.h"
#include "scenario/cluster.h"

namespace headroom::load {

// Constant after construction.
class Route {
 public:
  // `line` is one that a cluster takes (scenario::hashed_text); `prefix` is that of the owner's
  // keys.
  Route(const scenario::CommandLine& line, const std::string& prefix);

  // That of the request about the key of this index. Of a request without a key, any slot: always
  // the same for one operation.
  [[nodiscard]] std::uint16_t slot(std::uint64_t key) const {
    resp::SlotHash hash = before_;
    if (has_key_) {
      std::array<char, kMaxDigits + 8> digits;
      const std::size_t count = decimal_digits(key);
      write_decimal(digits.data(), key, count);
      hash.add({digits.data(), count});
      hash.add(after_);
    }
    return hash.slot();
  }
  // May a replica answer it?
  [[nodiscard]] bool reads() const { return reads_; }

 private:
  resp::SlotHash before_;  // with the prefix of the key
  bool has_key_ = false;
  std::string after_;
  bool reads_;
};

}  // namespace headroom::load
