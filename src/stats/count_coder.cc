#include "stats/count_coder.h"

#include <algorithm>

namespace headroom::stats {
namespace {

// So many ones announce a value written out: the length of its number in 6 bits, then its bits.
constexpr unsigned kEscape = 20;
constexpr unsigned kLengthBits = 6;
// Nothing that a histogram may hold needs more; reading refuses it, so that sums cannot overflow.
constexpr unsigned kMaxCodeBits = 50;

// Folds the signed difference between count and prediction into 0, 1, 2...: by turns above and
// below the prediction as far down as 0, then the count itself.
std::uint64_t fold(std::uint64_t count, std::uint64_t predicted) {
  if (count / 2 >= predicted && count > 2 * predicted) return count;
  return count >= predicted ? 2 * (count - predicted) : 2 * (predicted - count) - 1;
}

std::uint64_t unfold(std::uint64_t folded, std::uint64_t predicted) {
  if (folded > 2 * predicted) return folded;
  // The lowest bit is the sign and random, so no branch on it: x ^ ~0 is -x - 1.
  const std::uint64_t sign = 0 - (folded & 1U);
  return predicted + ((folded >> 1U) ^ sign);
}

}  // namespace

void BitWriter::write(std::uint64_t value, unsigned bits) {
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  pending_ = (pending_ << bits) | (value & mask);
  pending_bits_ += bits;
  while (pending_bits_ >= 8) {
    pending_bits_ -= 8;
    out_.push_back(static_cast<char>(static_cast<std::uint8_t>(pending_ >> pending_bits_)));
  }
}

void BitWriter::finish() {
  if (pending_bits_ > 0) write(0, 8 - pending_bits_);
}

void BitReader::refill() {
  while (available_ <= 56) {
    std::uint64_t byte = 0;
    if (next_ < bytes_.size()) {
      byte = static_cast<std::uint8_t>(bytes_[next_++]);
    } else {
      ++padding_bytes_;
    }
    window_ |= byte << (56 - available_);
    available_ += 8;
  }
}

bool BitReader::at_end() const {
  // What is left of the real bytes must be fewer than 8 bits, all zero.
  return next_ == bytes_.size() && !overrun() && available_ - padding_bytes_ * 8 < 8 &&
         window_ == 0;
}

void CountWriter::put_code(std::uint64_t value, unsigned parameter) {
  const std::uint64_t quotient = value >> parameter;
  if (quotient < kEscape) {
    const auto ones = static_cast<unsigned>(quotient);
    bits_.write((std::uint64_t{2} << ones) - 2, ones + 1);
    if (parameter > 32) bits_.write(value >> 32U, parameter - 32);
    bits_.write(value, std::min(parameter, 32U));
    return;
  }
  const auto length = static_cast<unsigned>(std::bit_width(value));
  bits_.write((std::uint64_t{1} << kEscape) - 1, kEscape);
  bits_.write(length - 1, kLengthBits);
  if (length > 32) bits_.write(value >> 32U, length - 32);
  bits_.write(value, std::min(length, 32U));
}

void CountWriter::put_dense(std::uint64_t count) {
  const std::uint64_t folded = fold(count, model_.predicted());
  put_code(folded, model_.difference_parameter());
  model_.saw_difference(folded);
  model_.saw_count(count);
  ++next_;
}

void CountWriter::put(std::size_t offset, std::uint64_t count) {
  while (next_ < offset && !model_.sparse()) put_dense(0);
  if (!model_.sparse()) return put_dense(count);
  put_code(offset - next_, model_.gap_parameter());
  model_.saw_gap(offset - next_);
  put_code(count - 1, 0);
  model_.saw_count(count);
  next_ = offset + 1;
}

std::uint64_t CountReader::get_code(unsigned parameter) {
  const auto read = [this](unsigned bits) {
    const std::uint64_t high = bits > 32 ? bits_.read(bits - 32) : 0;
    return high << 32U | bits_.read(std::min(bits, 32U));
  };
  if (parameter > kMaxCodeBits) return invalid();
  const std::uint64_t quotient = bits_.read_ones(kEscape);
  if (quotient < kEscape) return quotient << parameter | read(parameter);
  const auto length = static_cast<unsigned>(bits_.read(kLengthBits)) + 1;
  if (length > kMaxCodeBits) return invalid();
  const std::uint64_t value = read(length);
  // Each value has one code only.
  if (value >> (length - 1) == 0 || value >> parameter < kEscape) return invalid();
  return value;
}

std::uint64_t CountReader::invalid() {
  valid_ = false;
  return 0;
}

bool CountReader::next(Bucket& bucket) {
  while (next_ <= last_) {
    std::uint64_t count = 0;
    if (model_.sparse()) {
      const std::uint64_t gap = get_code(model_.gap_parameter());
      model_.saw_gap(gap);
      count = get_code(0) + 1;
      if (gap > last_ - next_) invalid();
      next_ += gap;
    } else {
      const std::uint64_t predicted = model_.predicted();
      const std::uint64_t folded = get_code(model_.difference_parameter());
      model_.saw_difference(folded);
      count = unfold(folded, predicted);
    }
    model_.saw_count(count);
    if (bits_.overrun()) invalid();
    if (!valid_) return false;
    bucket = {next_++, count};
    if (count > 0) return true;
  }
  if (!bits_.at_end()) invalid();
  return false;
}

}  // namespace headroom::stats
