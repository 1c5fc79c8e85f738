#include "report/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace headroom::report {
namespace {

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};
// Unicode 15: the blocks whose characters stand above, below or between others (general categories
// Mn, Me, Cf that occur in names people choose), and those drawn two columns wide.
constexpr std::array kZeroWidth = {
    Range{0x0300, 0x036F}, Range{0x0483, 0x0489}, Range{0x0591, 0x05BD}, Range{0x0610, 0x061A},
    Range{0x064B, 0x065F}, Range{0x1AB0, 0x1AFF}, Range{0x1DC0, 0x1DFF}, Range{0x200B, 0x200F},
    Range{0x202A, 0x202E}, Range{0x2060, 0x2064}, Range{0x20D0, 0x20F0}, Range{0xFE00, 0xFE0F},
    Range{0xFE20, 0xFE2F}, Range{0xFEFF, 0xFEFF}};
constexpr std::array kWide = {
    Range{0x1100, 0x115F},   Range{0x2E80, 0x303E},   Range{0x3041, 0x33FF},
    Range{0x3400, 0x4DBF},   Range{0x4E00, 0x9FFF},   Range{0xA000, 0xA4CF},
    Range{0xAC00, 0xD7A3},   Range{0xF900, 0xFAFF},   Range{0xFE30, 0xFE6F},
    Range{0xFF00, 0xFF60},   Range{0xFFE0, 0xFFE6},   Range{0x1F300, 0x1F64F},
    Range{0x1F680, 0x1F6FF}, Range{0x1F900, 0x1F9FF}, Range{0x20000, 0x3FFFD}};

template <std::size_t N>
bool in_any(const std::array<Range, N>& ranges, std::uint32_t code) {
  return std::ranges::any_of(
      ranges, [code](const Range& range) { return code >= range.first && code <= range.last; });
}

struct Character {
  std::size_t bytes = 1;
  std::size_t width = 1;
};

std::uint8_t byte_at(std::string_view text, std::size_t index) {
  return static_cast<std::uint8_t>(text[index]);
}

// The character that `text` (not empty) begins with.
Character first_character(std::string_view text) {
  const std::uint8_t lead = byte_at(text, 0);
  const std::size_t bytes = lead < 0x80                   ? 1
                            : lead >= 0xF0 && lead < 0xF8 ? 4
                            : lead >= 0xE0 && lead < 0xF0 ? 3
                            : lead >= 0xC2 && lead < 0xE0 ? 2
                                                          : 1;
  if (bytes == 1 || text.size() < bytes) return {};
  std::uint32_t code = lead & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte_at(text, i) & 0xC0U) != 0x80U) return {};
    code = (code << 6U) | (byte_at(text, i) & 0x3FU);
  }
  return {bytes, in_any(kZeroWidth, code) ? 0U : in_any(kWide, code) ? 2U : 1U};
}

// Bytes of the longest beginning of `text` that fits into `width` columns; at least one character.
std::size_t fitting_bytes(std::string_view text, std::size_t width) {
  std::size_t bytes = 0;
  std::size_t columns = 0;
  while (bytes < text.size()) {
    const Character next = first_character(text.substr(bytes));
    if (bytes > 0 && columns + next.width > width) break;
    bytes += next.bytes;
    columns += next.width;
  }
  return bytes;
}

// The word that `text` begins with, together with its unit if it is a number.
std::string_view first_word(std::string_view text) {
  static constexpr std::array<std::string_view, 15> kUnits = {
      "%", "s", "ms", "us", "ns", "min", "h", "/s", "B", "KiB", "MiB", "GiB", "TiB", "k/s", "M/s"};
  const std::string_view word = text.substr(0, text.find(' '));
  const bool number = !word.empty() && word.back() >= '0' && word.back() <= '9';
  if (!number || word.size() == text.size()) return word;
  const std::string_view rest = text.substr(word.size() + 1);
  std::string_view unit = rest.substr(0, rest.find(' '));
  const std::size_t length = unit.size();
  while (!unit.empty() && std::string_view(".,;:)").find(unit.back()) != std::string_view::npos)
    unit.remove_suffix(1);
  if (std::ranges::find(kUnits, unit) == kUnits.end()) return word;
  return text.substr(0, word.size() + 1 + length);
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const Character next = first_character(text);
    width += next.width;
    text.remove_prefix(next.bytes);
  }
  return width;
}

std::string pad_left(std::string_view text, std::size_t width) {
  const std::size_t taken = display_width(text);
  return std::string(width > taken ? width - taken : 0, ' ') + std::string(text);
}

std::string pad_right(std::string_view text, std::size_t width) {
  const std::size_t taken = display_width(text);
  return std::string(text) + std::string(width > taken ? width - taken : 0, ' ');
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  std::string line;
  std::size_t line_width = 0;
  const auto flush = [&] {
    if (!line.empty()) lines.push_back(std::move(line));
    line.clear();
    line_width = 0;
  };
  while (!text.empty()) {
    const std::size_t start = text.find_first_not_of(' ');
    if (start == std::string_view::npos) break;
    text.remove_prefix(start);
    std::string_view word = first_word(text);
    text.remove_prefix(word.size());
    const std::size_t word_width = display_width(word);
    if (line_width > 0 && line_width + 1 + word_width > width) flush();
    while (line_width == 0 && display_width(word) > width) {
      const std::size_t bytes = fitting_bytes(word, width);
      lines.emplace_back(word.substr(0, bytes));
      word.remove_prefix(bytes);
    }
    if (word.empty()) continue;
    if (line_width > 0) line += ' ';
    line += word;
    line_width = display_width(line);
  }
  flush();
  return lines;
}

std::string sparkline(std::span<const std::optional<double>> values, double top) {
  static constexpr std::array<std::string_view, 8> kBlocks = {"▁", "▂", "▃", "▄",
                                                              "▅", "▆", "▇", "█"};
  std::string line;
  for (const std::optional<double>& value : values) {
    if (!value) {
      line += ' ';
      continue;
    }
    if (*value <= 0) {
      line += "·";
      continue;
    }
    const double share = top > 0 ? std::clamp(*value / top, 0.0, 1.0) : 0.0;
    const auto step = static_cast<std::size_t>(std::lround(share * (kBlocks.size() - 1)));
    line += kBlocks.at(step);
  }
  return line;
}

std::size_t values_per_column(std::size_t values, std::size_t columns) {
  return columns == 0 ? values : std::max<std::size_t>(1, (values + columns - 1) / columns);
}

std::vector<std::optional<double>> resample(std::span<const std::optional<double>> values,
                                            std::size_t columns, Join join) {
  const std::size_t step = values_per_column(values.size(), columns);
  std::vector<std::optional<double>> joined;
  for (std::size_t first = 0; first < values.size(); first += step) {
    double sum = 0;
    std::optional<double> highest;
    std::size_t present = 0;
    for (const auto& value : values.subspan(first, std::min(step, values.size() - first))) {
      if (!value) continue;
      ++present;
      sum += *value;
      highest = std::max(highest.value_or(*value), *value);
    }
    if (present == 0)
      joined.emplace_back();
    else
      joined.emplace_back(join == Join::kMax ? *highest : sum / static_cast<double>(present));
  }
  return joined;
}

}  // namespace headroom::report
