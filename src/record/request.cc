#include "record/request.h"

#include <tuple>

#include "base/units.h"

namespace headroom::record {
namespace {

constexpr std::array<std::string_view, kSplits.size()> kSplitNames = {"value-size", "keys"};

}  // namespace

bool slower(const RequestRecord& a, const RequestRecord& b) {
  if (a.felt() != b.felt()) return a.felt() > b.felt();
  const auto rest = [](const RequestRecord& r) {
    return std::tie(r.sent, r.worker, r.connection, r.operation, r.key, r.outcome, r.service,
                    r.value_bytes);
  };
  return rest(a) < rest(b);
}

void merge_slowest(std::vector<RequestRecord>& slowest, const std::vector<RequestRecord>& more) {
  slowest.insert(slowest.end(), more.begin(), more.end());
  std::ranges::sort(slowest, slower);
  if (slowest.size() > kSlowestKept) slowest.resize(kSlowestKept);
}

std::string_view split_name(Split split) { return kSplitNames.at(static_cast<std::size_t>(split)); }

std::optional<Split> split_from_value(int stored) {
  if (stored < 0 || stored >= static_cast<int>(kSplits.size())) return std::nullopt;
  return static_cast<Split>(stored);
}

bool is_part(Split split, std::uint64_t part) {
  if (split == Split::kKeys) return part == kHotKeys || part == kColdKeys;
  return largest_of_class(size_class(part)) == part;
}

std::string part_label(Split split, std::uint64_t part) {
  if (split == Split::kKeys) return part == kHotKeys ? "hot" : "cold";
  if (part <= kLeastSizeClass) return fmt::format("up to {}", print_bytes(part));
  return fmt::format("{} to {}", print_bytes(part / 2 + 1), print_bytes(part));
}

}  // namespace headroom::record
