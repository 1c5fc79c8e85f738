// Laying out text in columns of a terminal.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headroom::report {

// Columns that UTF-8 text takes: wide characters (East Asian, emoji) two, combining marks none.
// Invalid bytes count one each. The text must hold no escape sequences.
[[nodiscard]] std::size_t display_width(std::string_view text);

// Filled with blanks to `width` columns; never cut.
[[nodiscard]] std::string pad_left(std::string_view text, std::size_t width);   // right-aligned
[[nodiscard]] std::string pad_right(std::string_view text, std::size_t width);  // left-aligned

// Lines of at most `width` columns, broken at blanks, but not between a number and its unit ("97
// %", "1.5 ms"); a longer word is broken inside.
[[nodiscard]] std::vector<std::string> wrap(std::string_view text, std::size_t width);

// One block character per value, its height the value's share of `top` (eight steps). Zero
// is a "·", apart from the smallest values; nullopt is a blank.
[[nodiscard]] std::string sparkline(std::span<const std::optional<double>> values, double top);

// Joins neighbouring values so that at most `columns` remain, all of the same number of values save
// the last; absent values are left out of their column.
enum class Join { kMean, kMax };
[[nodiscard]] std::vector<std::optional<double>> resample(
    std::span<const std::optional<double>> values, std::size_t columns, Join join);

// How many values stand in one column after resample().
[[nodiscard]] std::size_t values_per_column(std::size_t values, std::size_t columns);

}  // namespace headroom::report
