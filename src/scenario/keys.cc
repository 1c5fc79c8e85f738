#include "scenario/keys.h"

#include "base/check.h"
#include "base/units.h"

namespace headroom::scenario {
namespace {

// Wide enough for any product of a size and a percentage.
__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t kOverheadBytes = 70;
constexpr Wide kFillPercent = 85;

}  // namespace

std::uint64_t implied_node_memory_bytes(std::uint64_t maxmemory_bytes) {
  // A maxmemory beyond three quarters of 2^64 is no machine's; it saturates.
  const Wide node = static_cast<Wide>(maxmemory_bytes) * 4 / 3;
  return node > ~std::uint64_t{0} ? ~std::uint64_t{0} : static_cast<std::uint64_t>(node);
}

Result<KeySpace> resolve_keys(std::uint64_t value_bytes, std::uint64_t node_memory_bytes,
                              std::uint32_t workers) {
  check(workers > 0, "a run has workers");
  // In integers: 0.85 has no exact double.
  const Wide entry_percent = (static_cast<Wide>(value_bytes) + kOverheadBytes) * 100;
  const auto total = static_cast<std::uint64_t>(static_cast<Wide>(node_memory_bytes) *
                                                kFillPercent / entry_percent);
  const std::uint64_t per_worker = total / workers;
  if (per_worker == 0) {
    return fail(ErrorKind::kUsage,
                "workload.keys: \"auto\" makes {} keys of a node of {}, fewer than {} workers; "
                "give a number, smaller values or more memory",
                total, human_bytes(static_cast<double>(node_memory_bytes)), workers);
  }
  return KeySpace{per_worker, per_worker * workers};
}

}  // namespace headroom::scenario
