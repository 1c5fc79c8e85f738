#include "scenario/suggest.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "scenario/options.h"

namespace headroom::scenario {
namespace {

std::string join_key(std::string_view section, std::string_view name) {
  return section.empty() ? std::string(name) : fmt::format("{}.{}", section, name);
}

std::vector<std::string> names_of(std::string_view section) {
  std::vector<std::string> names;
  for (const Option& option : option_table())
    if (option.section == section) names.emplace_back(option.name);
  // Repeated tables stand in a section as its keys do.
  for (const Section& each : section_table()) {
    const std::string below = join_key(section, "");
    if (each.repeats() && each.name.starts_with(below))
      names.emplace_back(each.name.substr(below.size()));
  }
  return names;
}

std::vector<std::string> section_names() {
  std::vector<std::string> names;
  for (const Section& section : section_table())
    if (!section.name.empty() && !section.repeats()) names.emplace_back(section.name);
  return names;
}

}  // namespace

std::string suggest_key(std::string_view section, std::string_view name) {
  if (const auto near = nearest(name, names_of(section)))
    return fmt::format("did you mean {}?", join_key(section, *near));
  std::vector<std::string> keys;
  for (const Option& option : option_table()) {
    if (option.name == name) return fmt::format("did you mean {}?", option.key());
    keys.push_back(option.key());
  }
  if (const auto near = nearest(join_key(section, name), keys))
    return fmt::format("did you mean {}?", *near);
  if (section.empty()) {
    return fmt::format("the top of a scenario has {} and the sections {}",
                       fmt::join(names_of(""), ", "), fmt::join(section_names(), ", "));
  }
  if (find_section(section) == nullptr) return suggest_section(section);
  return fmt::format("{} has {}", find_section(section)->header(),
                     fmt::join(names_of(section), ", "));
}

std::string suggest_section(std::string_view name) {
  if (const auto near = nearest(name, section_names()))
    return fmt::format("did you mean [{}]?", *near);
  return fmt::format("a scenario has the sections {}", fmt::join(section_names(), ", "));
}

std::string explain_kind(const OptionType& type, const TomlEntry& entry) {
  const std::string literal = printable(entry.text, 80);
  const OptionType bare = bare_type(type);
  const bool duration = std::holds_alternative<DurationType>(bare);
  const bool has_unit = duration || std::holds_alternative<BytesType>(bare);
  if (has_unit && entry.kind == TomlKind::kInteger && !literal.starts_with('-'))
    return fmt::format("{0} has no unit; write \"{0}{1}\"", literal, duration ? "s" : "B");
  if (entry.kind == TomlKind::kText) {
    const auto value = read_value(type, entry.text);
    if (!value) return fmt::format("\"{}\" is a text; give {}", literal, wanted(type));
    return fmt::format("\"{}\" is a text; write {} without quotes", literal,
                       print_value(type, *value));
  }
  return fmt::format("{}{}is {}; give {}", literal, literal.empty() ? "" : " ",
                     toml_kind_name(entry.kind), wanted(type));
}

}  // namespace headroom::scenario
