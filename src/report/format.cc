#include "report/format.h"

#include <fmt/format.h>

#include <cmath>

#include "analysis/prose.h"
#include "base/units.h"

namespace headroom::report {
namespace {

// Counts come as doubles that hold whole numbers; grouped() wants the number itself.
constexpr double kLargestCount = 9.0e18;

}  // namespace

std::string count_text(std::optional<double> value) {
  if (!value) return kNotAvailable;
  if (!std::isfinite(*value) || *value < 0 || *value > kLargestCount)
    return fmt::format("{:.6g}", *value);
  return grouped(static_cast<std::uint64_t>(std::llround(*value)));
}

std::string rate_text(std::optional<double> per_second) {
  if (!per_second) return kNotAvailable;
  if (*per_second != 0 && std::abs(*per_second) < 100) return fmt::format("{:.1f} /s", *per_second);
  return count_text(per_second) + " /s";
}

std::string percent_text(std::optional<double> ratio) {
  return ratio ? analysis::percent(*ratio) : kNotAvailable;
}

std::string latency_text(std::optional<Nanos> latency) {
  return latency ? human_duration(*latency) : kNotAvailable;
}

std::string bytes_text(std::optional<double> bytes) {
  return bytes ? human_bytes(*bytes) : kNotAvailable;
}

std::string decimal_text(std::optional<double> value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : kNotAvailable;
}

}  // namespace headroom::report
