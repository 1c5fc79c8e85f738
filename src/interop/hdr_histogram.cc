#include "interop/hdr_histogram.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/check.h"

namespace headroom::interop {
namespace {

// A value and how many samples there are of it.
struct Cell {
  Nanos value{0};
  std::uint64_t count = 0;
};

std::vector<Cell> cells_of(const stats::Histogram& histogram) {
  std::vector<Cell> cells;
  if (histogram.empty()) return cells;
  const Nanos lowest = *histogram.min();
  const Nanos highest = *histogram.max();
  if (histogram.below() > 0) cells.push_back({lowest, histogram.below()});
  histogram.for_each([&](std::int64_t low, std::int64_t high, std::uint64_t count) {
    const Nanos middle{low + (high - low) / 2};
    cells.push_back({std::clamp(middle, lowest, highest), count});
  });
  if (histogram.above() > 0) cells.push_back({highest, histogram.above()});
  return cells;
}

double ms(Nanos time) { return std::chrono::duration<double, std::milli>(time).count(); }

// ---- the text

constexpr double kTicksPerHalfDistance = 5;
// The shape of stats::Histogram in HdrHistogram's terms: 1,024 values of one nanosecond, doubled
// until an hour fits in.
constexpr int kBuckets = 33;
constexpr int kSubBuckets = 1024;

double next_level(double level) {
  const double half_distances = std::floor(std::log2(100 / (100 - level))) + 1;
  return level + 100 / (kTicksPerHalfDistance * std::exp2(half_distances));
}

std::string percentile_line(Nanos value, double level, std::uint64_t count) {
  const std::string inverse = level >= 100 ? "inf" : fmt::format("{:.2f}", 1 / (1 - level / 100));
  return fmt::format("{:12.3f} {:12.6f} {:12} {:>12}\n", ms(value), level / 100, count, inverse);
}

// ---- the encoding: github.com/HdrHistogram/HdrHistogram, AbstractHistogram and ZigZagEncoding

constexpr std::int32_t kCookie = 0x1c849313;            // V2, counts as ZigZag LEB128
constexpr std::int32_t kCompressedCookie = 0x1c849314;  // the same, compressed
constexpr std::int32_t kSignificantDigits = 3;
constexpr unsigned kSubBucketBits = 11;  // 2,048 sub-buckets tell three digits apart
constexpr std::int64_t kHighestUs = 3'600'000'000;

std::size_t hdr_index(std::int64_t value_us) {
  const auto value = static_cast<std::uint64_t>(value_us);
  const auto width = static_cast<unsigned>(std::bit_width(value | ((1U << kSubBucketBits) - 1)));
  const unsigned bucket = width - kSubBucketBits;
  return (std::size_t{bucket} << (kSubBucketBits - 1)) + static_cast<std::size_t>(value >> bucket);
}

template <class Integer>
void append_big_endian(std::string& bytes, Integer value) {
  const auto word = static_cast<std::uint64_t>(value);
  for (std::size_t i = sizeof(Integer); i-- > 0;)
    bytes += static_cast<char>((word >> (8 * i)) & 0xffU);
}

// ZigZag LEB128 of at most nine bytes: the ninth holds eight bits.
void append_zig_zag(std::string& bytes, std::int64_t value) {
  auto word = (static_cast<std::uint64_t>(value) << 1U) ^ static_cast<std::uint64_t>(value >> 63U);
  for (int i = 0; i < 8 && word >= 0x80U; ++i) {
    bytes += static_cast<char>((word & 0x7fU) | 0x80U);
    word >>= 7U;
  }
  bytes += static_cast<char>(word);
}

std::string encoded_counts(const stats::Histogram& histogram) {
  std::vector<std::uint64_t> counts;
  for (const Cell& cell : cells_of(histogram)) {
    const std::int64_t us = std::clamp<std::int64_t>(
        std::chrono::round<std::chrono::microseconds>(cell.value).count(), 1, kHighestUs);
    const std::size_t index = hdr_index(us);
    if (counts.size() <= index) counts.resize(index + 1);
    counts[index] += cell.count;
  }
  std::string bytes;
  for (std::size_t i = 0; i < counts.size();) {
    std::size_t zeros = 0;
    while (i + zeros < counts.size() && counts[i + zeros] == 0) ++zeros;
    if (zeros > 0) {  // a run of zeros is its negative length
      append_zig_zag(bytes, -static_cast<std::int64_t>(zeros));
      i += zeros;
    } else {
      append_zig_zag(bytes, static_cast<std::int64_t>(counts[i++]));
    }
  }
  return bytes;
}

std::string compressed(const std::string& bytes) {
  uLongf size = ::compressBound(static_cast<uLong>(bytes.size()));
  std::string result(size, '\0');
  const int status =
      ::compress(reinterpret_cast<Bytef*>(result.data()), &size,
                 reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uLong>(bytes.size()));
  check(status == Z_OK, "zlib compresses into a buffer of the size that it asked for");
  result.resize(size);
  return result;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    const std::size_t taken = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t k = 0; k < 3; ++k) {
      const auto byte = k < taken ? static_cast<unsigned char>(bytes[i + k]) : std::uint8_t{0};
      group = group << 8U | byte;
    }
    for (std::size_t k = 0; k < 4; ++k)
      text += k <= taken ? kDigits[(group >> (18 - 6 * k)) & 0x3fU] : '=';
  }
  return text;
}

double seconds_since_epoch(WallTime time) {
  return std::chrono::duration<double>(time.since_epoch).count();
}

}  // namespace

std::string hdr_percentiles(const stats::Histogram& histogram) {
  std::string text = fmt::format("{:>12} {:>12} {:>12} {:>12}\n\n", "Value", "Percentile",
                                 "TotalCount", "1/(1-Percentile)");
  const auto cells = cells_of(histogram);
  const std::uint64_t total = histogram.count();
  const double mean_ns = histogram.mean_ns().value_or(0);
  double level = 0;
  std::uint64_t count = 0;
  double squares = 0;
  for (const Cell& cell : cells) {
    count += cell.count;
    const double distance = static_cast<double>(cell.value.count()) - mean_ns;
    squares += distance * distance * static_cast<double>(cell.count);
    // Every level that this value reaches; the last value ends the list below.
    while (100 * static_cast<double>(count) / static_cast<double>(total) >= level) {
      text += percentile_line(cell.value, level, count);
      level = next_level(level);
      if (count == total) break;
    }
  }
  if (total > 0) text += percentile_line(*histogram.max(), 100, total);
  const double deviation_ns = total > 0 ? std::sqrt(squares / static_cast<double>(total)) : 0;
  text += fmt::format("#[Mean    = {:12.3f}, StdDeviation   = {:12.3f}]\n", mean_ns / 1e6,
                      deviation_ns / 1e6);
  text += fmt::format("#[Max     = {:12.3f}, Total count    = {:12}]\n",
                      ms(histogram.max().value_or(Nanos{0})), total);
  return text + fmt::format("#[Buckets = {:12}, SubBuckets     = {:12}]\n", kBuckets, kSubBuckets);
}

std::string hdr_encoded(const stats::Histogram& histogram) {
  const std::string counts = encoded_counts(histogram);
  std::string plain;
  append_big_endian(plain, kCookie);
  append_big_endian(plain, static_cast<std::int32_t>(counts.size()));
  append_big_endian(plain, std::int32_t{0});  // normalizing index offset
  append_big_endian(plain, kSignificantDigits);
  append_big_endian(plain, std::int64_t{1});                   // lowest discernible value
  append_big_endian(plain, kHighestUs);                        // highest trackable value
  append_big_endian(plain, std::bit_cast<std::int64_t>(1.0));  // integer to double conversion ratio
  plain += counts;
  const std::string packed = compressed(plain);
  std::string bytes;
  append_big_endian(bytes, kCompressedCookie);
  append_big_endian(bytes, static_cast<std::int32_t>(packed.size()));
  return base64(bytes + packed);
}

std::string hdr_log(const stats::Histogram& histogram, std::string_view title, WallTime begin,
                    WallTime end) {
  const double begin_s = seconds_since_epoch(begin);
  const double max_us =
      std::chrono::duration<double, std::micro>(histogram.max().value_or(Nanos{0})).count();
  return fmt::format(
      "#[{}]\n#[Histogram log format version 1.2]\n"
      "#[StartTime: {:.3f} (seconds since epoch)]\n"
      "\"StartTimestamp\",\"EndTimestamp\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n"
      "{:.3f},{:.3f},{:.1f},{}\n",
      title, begin_s, begin_s, seconds_since_epoch(end), max_us, hdr_encoded(histogram));
}

}  // namespace headroom::interop
