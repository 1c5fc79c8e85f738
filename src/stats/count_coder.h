// Writes a row of bucket counts in close to the fewest bits that it can be written in, and reads it
// back: the core of a stored histogram. Internal to stats.
//
// Counts of neighbouring buckets are alike, but for noise. Each is predicted from those before it,
// and what it differs by is written as a Golomb-Rice code (Golomb 1966; Rice and Plaunt 1971) whose
// parameter follows the size of the differences so far, as in LOCO-I (Weinberger, Seroussi, Sapiro
// 1996). Where most buckets are empty, the lengths of the gaps are written instead. Writer and
// reader make the same integer calculations on what both have seen, so nothing but codes is stored.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace headroom::stats {

// Bits, the most significant of a byte first; the last byte is filled up with zeros.
class BitWriter {
 public:
  explicit BitWriter(std::string& out) : out_(out) {}
  void write(std::uint64_t value, unsigned bits);  // the lowest `bits` of it, at most 32
  void finish();

 private:
  std::string& out_;
  std::uint64_t pending_ = 0;
  unsigned pending_bits_ = 0;  // fewer than 8 between calls
};

// Never reads outside the bytes: past their end come zeros, and overrun() says so.
class BitReader {
 public:
  explicit BitReader(std::string_view bytes) : bytes_(bytes) {}
  [[nodiscard]] std::uint64_t read(unsigned bits);  // at most 32
  // The number of one-bits before the next zero, which is consumed; with `limit` of them it stops
  // there and consumes no zero.
  [[nodiscard]] unsigned read_ones(unsigned limit);
  [[nodiscard]] bool overrun() const { return padding_bytes_ * 8 > available_; }
  // Everything was read but the zeros that fill up the last byte.
  [[nodiscard]] bool at_end() const;

 private:
  void refill();

  std::string_view bytes_;
  std::size_t next_ = 0;           // the first byte that is not yet in window_
  std::uint64_t window_ = 0;       // next bits, from the top
  unsigned available_ = 0;         // valid bits in window_
  std::size_t padding_bytes_ = 0;  // zeros of our own that followed the bytes into window_
};

inline std::uint64_t BitReader::read(unsigned bits) {
  if (bits == 0) return 0;
  if (available_ < bits) refill();
  const std::uint64_t value = window_ >> (64 - bits);
  window_ <<= bits;
  available_ -= bits;
  return value;
}

inline unsigned BitReader::read_ones(unsigned limit) {
  if (available_ <= limit) refill();
  const unsigned ones = std::min(static_cast<unsigned>(std::countl_one(window_)), limit);
  const unsigned consumed = ones == limit ? ones : ones + 1;
  window_ <<= consumed;
  available_ -= consumed;
  return ones;
}

// What both sides know. All averages have 8 binary places and forget exponentially.
class CountModel {
 public:
  // Few of the buckets here are used: a gap comes next, then a count; otherwise a count comes next.
  [[nodiscard]] bool sparse() const { return level_ < kOne / 3; }

  [[nodiscard]] std::uint64_t predicted() const { return (level_ + kOne / 2) >> kPlaces; }
  [[nodiscard]] unsigned difference_parameter() const {
    // The least k with 2^k at or above 0.69 times the mean difference.
    const std::uint64_t target = difference_ - (difference_ >> 2U) - (difference_ >> 4U);
    return target == 0 ? 0 : static_cast<unsigned>(std::bit_width((target - 1) >> kPlaces));
  }
  [[nodiscard]] unsigned gap_parameter() const {
    const auto width = static_cast<unsigned>(std::bit_width(gap_ >> kPlaces));
    return width == 0 ? 0 : width - 1;
  }

  void saw_gap(std::uint64_t empty_buckets) {
    gap_ += (empty_buckets << (kPlaces - 2)) - (gap_ >> 2U);
    level_ = (kOne << kPlaces) / (kOne + gap_);
  }
  void saw_count(std::uint64_t count) { level_ += (count << (kPlaces - 3)) - (level_ >> 3U); }
  void saw_difference(std::uint64_t folded) {
    difference_ += (folded << (kPlaces - 4)) - (difference_ >> 4U);
  }

 private:
  static constexpr unsigned kPlaces = 8;
  static constexpr std::uint64_t kOne = std::uint64_t{1} << kPlaces;

  std::uint64_t level_ = 0;          // of the counts
  std::uint64_t difference_ = kOne;  // of the folded differences from the prediction
  std::uint64_t gap_ = kOne;         // of the gaps
};

// Takes the non-empty buckets in ascending order; the first at offset 0.
class CountWriter {
 public:
  explicit CountWriter(std::string& out) : bits_(out) {}
  void put(std::size_t offset, std::uint64_t count);
  void finish() { bits_.finish(); }

 private:
  void put_dense(std::uint64_t count);
  void put_code(std::uint64_t value, unsigned parameter);

  BitWriter bits_;
  CountModel model_;
  std::size_t next_ = 0;  // the offset that is to be written next
};

// Gives back what a CountWriter was given. `last` is the last offset.
class CountReader {
 public:
  CountReader(std::string_view bytes, std::size_t last) : bits_(bytes), last_(last) {}
  struct Bucket {
    std::size_t offset = 0;
    std::uint64_t count = 0;  // at least 1
  };
  // Gives the next non-empty bucket. False after `last`, or when the bytes are malformed: then
  // valid() is false, too.
  [[nodiscard]] bool next(Bucket& bucket);
  [[nodiscard]] bool valid() const { return valid_; }

 private:
  std::uint64_t get_code(unsigned parameter);  // 0, and no longer valid, if malformed
  std::uint64_t invalid();

  BitReader bits_;
  CountModel model_;
  std::size_t next_ = 0;
  std::size_t last_;
  bool valid_ = true;
};

}  // namespace headroom::stats
