// Any bytes: refused, or a histogram that is consistent and encodes to just these bytes.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "stats/histogram.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using headroom::check;
  using headroom::stats::Histogram;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const headroom::Result<Histogram> decoded = Histogram::decode(bytes);
  if (!decoded) return 0;
  check(decoded->encode() == bytes, "a histogram has one form only");
  Histogram doubled = *decoded;
  doubled.merge(*decoded);
  check(doubled.count() == 2 * decoded->count(), "merging adds");
  if (!decoded->empty()) {
    const auto median = *decoded->quantile(0.5);
    check(*decoded->min() <= median && median <= *decoded->max(),
          "a median is within the extremes");
  }
  return 0;
}
