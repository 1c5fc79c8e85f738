// A number, or the reason why there is none: absent is not zero, and never silent.
#pragma once

#include <fmt/format.h>
#include <tl/expected.hpp>

#include <map>
#include <optional>
#include <string>
#include <utility>

namespace headroom::analysis {

// The reason is one clause for people, without a full stop: "the engine does not report it".
template <class T>
using Known = tl::expected<T, std::string>;

template <class... Args>
[[nodiscard]] tl::unexpected<std::string> unknown(fmt::format_string<Args...> format,
                                                  Args&&... args) {
  return tl::unexpected<std::string>(fmt::format(format, std::forward<Args>(args)...));
}

// Number by its path in the summary ("measure.throughput_per_s") -> why it is n/a.
using Reasons = std::map<std::string, std::string>;

// The number, or nullopt after leaving the reason under `name`.
template <class T>
[[nodiscard]] std::optional<T> value_or_reason(Known<T> known, Reasons& reasons,
                                               const std::string& name) {
  if (known) return std::move(*known);
  reasons[name] = std::move(known.error());
  return std::nullopt;
}

}  // namespace headroom::analysis
