// Commands as bytes: templates made once, in which only the key's digits are written per request.
// (load/command_program.h encodes what needs more than that.)
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

  Batch() : capacity_(kFullBytes + kSpareBytes), bytes_(std::make_unique<char[]>(capacity_)) {}

  void clear() {
    size_ = 0;
    tail_ = {};
  }
  [[nodiscard]] bool full() const { return size_ >= kFullBytes || !tail_.empty(); }
  [[nodiscard]] std::size_t size() const { return size_; }  // without the tail
  [[nodiscard]] std::string_view bytes() const { return {bytes_.get(), size_}; }
  [[nodiscard]] std::string_view tail() const { return tail_; }

  // Of a request's encoder. Room for `bytes` more; what a template writes has it in any batch that
  // is not full.
  void make_room(std::size_t bytes) {
    if (size_ + bytes + kSpareBytes > capacity_) [[unlikely]]
      grow(size_ + bytes + kSpareBytes);
  }
  void append(std::string_view text) {
    std::memcpy(bytes_.get() + size_, text.data(), text.size());
    size_ += text.size();
  }
  void append_decimal(std::uint64_t value, std::size_t digits) {
    write_decimal(bytes_.get() + size_, value, digits);
    size_ += digits;
  }
  // Nothing is appended behind it. It outlives the sending.
  void set_tail(std::string_view tail) { tail_ = tail; }

 private:
  friend class CommandTemplate;
  static constexpr std::size_t kSpareBytes = kHeadBytes + kMaxDigits + kCopiedBytes;

  void grow(std::size_t needed);

  std::size_t capacity_;
  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0;
  std::string_view tail_;
};

// One request about one key of one owner, all else of it the same each time. Constant after
// construction.
class CommandTemplate {
 public:
  // Whether a request that begins so can have a template.
  [[nodiscard]] static bool fits(std::string_view before, std::string_view prefix);

  // `before` is what the request has on the wire before the key, whole words; `after` what follows
  // the key's digits, from its line end on, and outlives the template.
  CommandTemplate(std::string_view before, std::string_view prefix, std::string_view after);

  // Appends the request for the key of this index; the batch is not full.
  void encode(std::uint64_t key, Batch& batch) const {
    const std::size_t digits = decimal_digits(key);
    const Head& head = heads_[digits];
    char* at = batch.bytes_.get() + batch.size_;
    // A fixed number of bytes is copied faster than the right number; the rest is overwritten.
    std::memcpy(at, head.bytes.data(), Batch::kHeadBytes);
    at += head.size;
    write_decimal(at, key, digits);
    at += digits;
    if (after_.size() <= Batch::kCopiedBytes) [[likely]] {
      std::memcpy(at, after_.data(), after_.size());
      at += after_.size();
    } else {
      batch.tail_ = after_;
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
  std::string_view after_;
};

}  // namespace headroom::load
