// One row of a table whose every value may be wrong. Internal to store.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "store/sqlite.h"

namespace headroom::store {

// Typed getters that check type and range. After the first value that does not fit, problem() says
// which and how; every getter still gives a value that is in its range, so that callers look once,
// at the end, before they keep anything. `column` counts from 0.
class TypedRow {
 public:
  explicit TypedRow(const Statement& row) : row_(row) {}

  [[nodiscard]] const std::string& problem() const { return problem_; }

  // In [least, most]; `least` when it is not.
  std::int64_t integer(int column, std::int64_t least, std::int64_t most);
  // At least 0.
  std::uint64_t count(int column) { return static_cast<std::uint64_t>(integer(column, 0, kMost)); }
  // A moment in run time or a length of time: so small that sums and differences of a few do not
  // overflow.
  Nanos time(int column) { return Nanos{integer(column, -kLongestTime, kLongestTime)}; }
  Nanos duration(int column) { return Nanos{integer(column, 0, kLongestTime)}; }
  std::optional<Nanos> time_or_null(int column) {
    return row_.type(column) == SQLITE_NULL ? std::nullopt : std::optional(time(column));
  }
  [[nodiscard]] bool is_null(int column) const { return row_.type(column) == SQLITE_NULL; }
  double real(int column);
  std::string text(int column);
  std::string_view blob(int column);  // valid until the next step
  // A stored enum, by its *_from_value function.
  template <class Enum>
  Enum value(int column, std::optional<Enum> (*from_value)(int)) {
    const auto stored = static_cast<int>(integer(column, 0, kMostEnum));
    const std::optional<Enum> known = from_value(stored);
    if (!known) complain(column, fmt::format("holds the unknown value {}", stored));
    return known.value_or(Enum{});
  }
  void complain(int column, std::string_view what);

 private:
  static constexpr std::int64_t kMost = INT64_MAX;
  static constexpr std::int64_t kMostEnum = 1'000'000;
  static constexpr std::int64_t kLongestTime = 1'000'000'000'000'000'000;  // 31 years

  const Statement& row_;
  std::string problem_;
};

}  // namespace headroom::store
