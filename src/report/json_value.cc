#include "report/json_value.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "base/text.h"

namespace headroom::report {
namespace {

constexpr std::size_t kTextLimit = 64U << 10U;
constexpr double kLargestExact = 9'007'199'254'740'992;  // 2^53

bool is_whole(double value) {
  return std::abs(value) <= kLargestExact && value == std::floor(value);
}

}  // namespace

Json number(std::optional<double> value) {
  if (!value) return {};
  if (!std::isfinite(*value) || is_whole(*value)) return exact(*value);
  return std::strtod(fmt::format("{:.10g}", *value).c_str(), nullptr);
}

Json exact(double value) {
  if (!std::isfinite(value)) return {};
  if (is_whole(value)) return static_cast<std::int64_t>(value);
  return value;
}

Json nanos(std::optional<Nanos> value) { return value ? Json(value->count()) : Json(); }

std::string text(std::string_view foreign) { return printable(foreign, kTextLimit); }

std::string_view seal_name(Seal seal) {
  switch (seal) {
    case Seal::kSealed:
      return "sealed";
    case Seal::kTampered:
      return "tampered";
    case Seal::kIncomplete:
      return "incomplete";
    case Seal::kRunning:
      return "running";
    case Seal::kNotChecked:
      return "not-checked";
  }
  return "unknown";
}

std::string dump(const Json& json) {
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace headroom::report
