// The stored form of a histogram, version 1.
//
//   byte     1, the version
//   number   count of all samples; if 0, nothing follows
//   signed   min_ns, max_ns, sum_ns
//   number   below, above
//   number   index of the first and, as the distance from it, of the last non-empty bucket: only if
//            there are samples in range
//   bits     the counts of the buckets from first to last (count_coder.h)
//
// A number is an LEB128 (7 bits a byte, the lowest first, the highest bit set in all but the last
// byte) of the shortest length; a signed one is folded first: 0, -1, 1, -2... Sums need up to 128
// bits. Every histogram has exactly one form, so equal ones have equal bytes.
#include <optional>

#include "stats/count_coder.h"
#include "stats/histogram.h"

namespace headroom::stats {
namespace {

__extension__ using Wide = unsigned __int128;
__extension__ using SignedWide = __int128;

constexpr char kVersion = 1;

void put_number(std::string& out, Wide value) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>(static_cast<std::uint8_t>(value) | 0x80U));
    value >>= 7U;
  }
  out.push_back(static_cast<char>(static_cast<std::uint8_t>(value)));
}

void put_signed(std::string& out, SignedWide value) {
  const auto bits = static_cast<Wide>(value);
  put_number(out, value < 0 ? ~(bits << 1U) : bits << 1U);
}

// Takes numbers off the front of bytes; after the first that is malformed, ok() is false.
class Numbers {
 public:
  explicit Numbers(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t next(std::uint64_t highest) {
    const Wide value = next_wide();
    if (value > highest) ok_ = false;
    return ok_ ? static_cast<std::uint64_t>(value) : 0;
  }
  SignedWide next_signed() {
    const Wide value = next_wide();
    const Wide half = value >> 1U;
    return static_cast<SignedWide>((value & 1U) != 0 ? ~half : half);
  }
  std::int64_t next_int64() {
    const SignedWide value = next_signed();
    if (value < std::numeric_limits<std::int64_t>::min() ||
        value > std::numeric_limits<std::int64_t>::max())
      ok_ = false;
    return ok_ ? static_cast<std::int64_t>(value) : 0;
  }
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] std::string_view rest() const { return bytes_; }

 private:
  Wide next_wide() {
    Wide value = 0;
    for (unsigned shift = 0; ok_; shift += 7) {
      const std::uint8_t byte = bytes_.empty() ? 0x80 : static_cast<std::uint8_t>(bytes_.front());
      const Wide part = byte & 0x7fU;
      const bool too_wide = shift >= 128 || (part << shift) >> shift != part;
      const bool overlong = byte == 0 && shift > 0;
      if (bytes_.empty() || too_wide || overlong) ok_ = false;
      if (!ok_) return 0;
      bytes_.remove_prefix(1);
      value |= part << shift;
      if ((byte & 0x80U) == 0) break;
    }
    return value;
  }

  std::string_view bytes_;
  bool ok_ = true;
};

tl::unexpected<Error> malformed(std::string_view why) {
  return fail(ErrorKind::kIncomplete, "stored histogram is malformed: {}", why);
}

}  // namespace

std::string Histogram::encode() const {
  std::string out(1, kVersion);
  put_number(out, count_);
  if (empty()) return out;
  put_signed(out, min_);
  put_signed(out, max_);
  put_signed(out, sum_);
  put_number(out, below_);
  put_number(out, above_);

  std::optional<std::size_t> first;
  std::size_t last = 0;
  visit_buckets([&](std::size_t index, std::uint64_t) {
    if (!first) first = index;
    last = index;
    return true;
  });
  if (!first) return out;
  put_number(out, *first);
  put_number(out, last - *first);
  CountWriter writer(out);
  visit_buckets([&](std::size_t index, std::uint64_t count) {
    writer.put(index - *first, count);
    return true;
  });
  writer.finish();
  return out;
}

Result<Histogram> Histogram::decode(std::string_view bytes) {
  if (bytes.empty() || bytes.front() != kVersion) return malformed("unknown version");
  Numbers numbers(bytes.substr(1));
  Histogram result;
  result.count_ = numbers.next(kMaxCellCount);
  if (result.empty()) {
    if (!numbers.ok() || !numbers.rest().empty()) return malformed("not a count of samples");
    return result;
  }
  result.min_ = numbers.next_int64();
  result.max_ = numbers.next_int64();
  result.sum_ = numbers.next_signed();
  result.below_ = numbers.next(result.count_);
  result.above_ = numbers.next(result.count_ - result.below_);
  if (!numbers.ok()) return malformed("totals out of range");
  const std::uint64_t in_range = result.count_ - result.below_ - result.above_;
  if (Status status = result.decode_buckets(numbers.rest(), in_range); !status)
    return fail(status.error());
  if (Status status = result.check_totals(); !status) return fail(status.error());
  return result;
}

Status Histogram::decode_buckets(std::string_view bytes, std::uint64_t samples) {
  if (samples == 0) {
    if (!bytes.empty()) return malformed("bytes after the end");
    return {};
  }
  Numbers numbers(bytes);
  const std::uint64_t first = numbers.next(kBuckets - 1);
  const std::uint64_t distance = numbers.next(kBuckets - 1 - first);
  if (!numbers.ok() || first == 0) return malformed("buckets out of range");
  CountReader reader(numbers.rest(), distance);
  std::uint64_t left = samples;
  cells_.reserve(std::min<std::uint64_t>(distance + 1, samples));
  for (CountReader::Bucket bucket; reader.next(bucket);) {
    if (bucket.count > left) return malformed("more samples in buckets than were counted");
    left -= bucket.count;
    cells_.push_back(
        {.index = (first + bucket.offset) & 0xffffU, .count = bucket.count & kMaxCellCount});
  }
  if (!reader.valid()) return malformed("bucket counts are damaged");
  if (left > 0) return malformed("fewer samples in buckets than were counted");
  if (cells_.front().index != first || cells_.back().index != first + distance)
    return malformed("an outermost bucket is empty");
  cells_.shrink_to_fit();
  return {};
}

// Extremes and sum must be possible for the counts.
Status Histogram::check_totals() const {
  const auto in_range = [](std::int64_t ns) {
    return ns >= kLowest.count() && ns <= kHighest.count();
  };
  const bool min_fits =
      below_ > 0 ? min_ < kLowest.count()
      : cells_.empty()
          ? min_ > kHighest.count()
          : in_range(min_) && cells_.front().index == index_of(static_cast<std::uint64_t>(min_));
  const bool max_fits =
      above_ > 0 ? max_ > kHighest.count()
      : cells_.empty()
          ? max_ < kLowest.count()
          : in_range(max_) && cells_.back().index == index_of(static_cast<std::uint64_t>(max_));
  if (!min_fits || !max_fits || min_ > max_) return malformed("the extremes do not fit the counts");

  // Each sample lies between the ends of its bucket, and between the extremes. Nothing overflows:
  // there are fewer than 2^48 samples.
  SignedWide least = 0;
  SignedWide most = 0;
  const auto add = [&](std::int64_t low, std::int64_t high, std::uint64_t count) {
    least += static_cast<SignedWide>(std::max(low, min_)) * static_cast<SignedWide>(count);
    most += static_cast<SignedWide>(std::min(high, max_)) * static_cast<SignedWide>(count);
  };
  add(min_, kLowest.count() - 1, below_);
  for (const Cell& cell : cells_) {
    const auto low = static_cast<std::int64_t>(low_of(cell.index));
    add(low, low + static_cast<std::int64_t>(width_of(cell.index)) - 1, cell.count);
  }
  add(kHighest.count() + 1, max_, above_);
  if (sum_ < least || sum_ > most) return malformed("the sum does not fit the counts");
  return {};
}

}  // namespace headroom::stats
