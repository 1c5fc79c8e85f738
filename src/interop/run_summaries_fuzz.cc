// Any bytes as a table of run summaries: an error, or arms that can be compared.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "analysis/comparison.h"
#include "interop/run_summaries.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // NOLINTNEXTLINE: bytes are characters here
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  auto arms = headroom::interop::read_run_summaries(text, "fuzz.json");
  if (!arms) return 0;
  headroom::analysis::ComparisonOptions options;
  options.contrast.estimates = false;
  std::size_t runs = 0;
  for (const auto& arm : *arms) runs += arm.size();
  if (runs <= 20 && arms->size() <= 4)
    static_cast<void>(headroom::analysis::compare(std::move(*arms), options));
  return 0;
}
