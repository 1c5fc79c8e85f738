#include "scenario/print.h"

#include <algorithm>
#include <vector>

#include "base/units.h"
#include "scenario/options.h"

namespace headroom::scenario {
namespace {

struct Line {
  std::string setting;  // workers = 3
  std::string note;     // of units; may be empty
};

// What the value does not say by itself. Never text of the scenario's, so that no comment can break
// out of its line.
std::string note_on(const Option& option, const Value& value) {
  if (std::holds_alternative<RatioType>(option.type)) return "SET:GET";
  const auto* number = std::get_if<std::uint64_t>(&value);
  const bool bytes = std::holds_alternative<BytesType>(bare_type(option.type));
  if (const auto* call = std::get_if<Call>(&value); call != nullptr && call->form.empty())
    number = std::get_if<std::uint64_t>(&call->arguments.front().front());
  if (number != nullptr && *number >= 1024 && bytes)
    return fmt::format("{} bytes", grouped(*number));
  return std::string(option.unit);
}

std::string print_section(const Section& section, std::size_t row, const Scenario& scenario) {
  std::vector<Line> lines;
  std::size_t width = 0;  // of the settings that have a note
  for (const Option& option : option_table()) {
    const bool stored = option.expand == nullptr;
    if (option.section != section.name || !stored || !option.applies_to(scenario, row)) continue;
    const std::optional<Value> value = option.access.get(scenario, row);
    if (!value) continue;
    lines.push_back({fmt::format("{} = {}", option.name, print_toml(option.type, *value)),
                     note_on(option, *value)});
    if (!lines.back().note.empty()) width = std::max(width, lines.back().setting.size());
  }
  if (lines.empty()) return {};  // nothing of it was asked for
  std::string text = section.name.empty() ? "" : fmt::format("\n{}\n", section.header());
  for (const Line& line : lines) {
    text += line.note.empty() ? line.setting + "\n"
                              : fmt::format("{:<{}}  # {}\n", line.setting, width, line.note);
  }
  return text;
}

}  // namespace

std::string print_scenario(const Scenario& scenario) {
  std::string text;
  for (const Section& section : section_table()) {
    for (std::size_t row = 0; row < section.rows(scenario); ++row)
      text += print_section(section, row, scenario);
  }
  return text;
}

}  // namespace headroom::scenario
