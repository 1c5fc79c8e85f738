// Commands as bytes: templates made once, in which only the key's digits are written per request.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "load/keys.h"

namespace headroom::load {

// Bytes that wait for one write call: requests back to back, and perhaps the body of the last one,
// left where it lies because it is too large to be worth a copy.
class Batch {
 public:
  // A batch that has reached this size takes no more requests: what one write call carries.
  static constexpr std::size_t kFullBytes = std::size_t{64} << 10U;
  // Bodies up to this size are copied into the batch.
  static constexpr std::size_t kCopiedBytes = std::size_t{16} << 10U;
  // The longest beginning of a command (up to and with the key's prefix).
  static constexpr std::size_t kHeadBytes = 64;

  Batch() : bytes_(std::make_unique<char[]>(kFullBytes + kHeadBytes + kMaxDigits + kCopiedBytes)) {}

  void clear() {
    size_ = 0;
    tail_ = {};
  }
  [[nodiscard]] bool full() const { return size_ >= kFullBytes || !tail_.empty(); }
  [[nodiscard]] std::size_t size() const { return size_; }  // without the tail
  [[nodiscard]] std::string_view bytes() const { return {bytes_.get(), size_}; }
  [[nodiscard]] std::string_view tail() const { return tail_; }

 private:
  friend class CommandTemplate;
  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0;
  std::string_view tail_;
};

// One command about one key of one worker. Constant after construction.
class CommandTemplate {
 public:
  // `NAME key` or, if `value` has a body, `NAME key value`. `value_part` is that value as
  // value_part() encodes it, or empty; it outlives the template.
  CommandTemplate(std::string_view name, std::string_view prefix, std::string_view value_part);

  // What follows the key on the wire: the value as a bulk string.
  [[nodiscard]] static std::string value_part(std::string_view value);

  // Appends the command for the key of this index; the batch is not full.
  void encode(std::uint64_t key, Batch& batch) const {
    const std::size_t digits = decimal_digits(key);
    const Head& head = heads_[digits];
    char* at = batch.bytes_.get() + batch.size_;
    // A fixed number of bytes is copied faster than the right number; the rest is overwritten.
    std::memcpy(at, head.bytes.data(), Batch::kHeadBytes);
    at += head.size;
    write_decimal(at, key, digits);
    at += digits;
    if (tail_.size() <= Batch::kCopiedBytes) [[likely]] {
      std::memcpy(at, tail_.data(), tail_.size());
      at += tail_.size();
    } else {
      batch.tail_ = tail_;
    }
    batch.size_ = static_cast<std::size_t>(at - batch.bytes_.get());
  }

 private:
  // Everything before the key's digits; it has the key's length in it, hence one per digit count.
  struct Head {
    std::array<char, Batch::kHeadBytes> bytes{};
    std::size_t size = 0;
  };
  std::array<Head, kMaxDigits + 1> heads_;
  std::string_view tail_;  // everything behind the digits
};

}  // namespace headroom::load
