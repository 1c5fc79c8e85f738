#include "analysis/prose.h"

#include <fmt/format.h>

#include <cmath>

#include "base/units.h"

namespace headroom::analysis {

std::string percent(double ratio) {
  const double value = ratio * 100;
  const double size = std::abs(value);
  const int digits = size < 1 ? 2 : 1;
  std::string text = fmt::format("{:.{}f}", value, digits);
  if (value < 100 && text == "100.0") text = "99.9";
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  if (text == "0.00" || text == "-0.00") text = value == 0 ? "0" : value > 0 ? "<0.01" : "0";
  return text + " %";
}

std::string counted(std::uint64_t count, std::string_view noun, std::string_view plural) {
  if (count == 1) return fmt::format("1 {}", noun);
  return plural.empty() ? fmt::format("{} {}s", grouped(count), noun)
                        : fmt::format("{} {}", grouped(count), plural);
}

std::string p_text(double p) { return p < 0.0001 ? "< 0.0001" : fmt::format("{:.2g}", p); }

std::string seconds_text(Nanos offset) {
  return fmt::format("{:.1f} s", std::chrono::duration<double>(offset).count());
}

}  // namespace headroom::analysis
