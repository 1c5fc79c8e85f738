#include "interop/draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/check.h"
#include "base/text.h"
#include "scenario/options.h"
#include "scenario/parse.h"
#include "scenario/value.h"

namespace headroom::interop {
namespace {

// The name under which the parser places what is wrong; never seen by a user.
constexpr std::string_view kTextName = "bench";

}  // namespace

void Draft::set(std::string_view key, std::string_view text, std::string_view written) {
  const scenario::Option* option = scenario::find_option(key);
  check(option != nullptr, "a flag sets an option that exists");
  const auto value = scenario::read_value(option->type, text);
  if (!value) {
    wrong(written, value.error().message);
    return;
  }
  settings_[std::string(key)] = {scenario::print_toml(option->type, *value), std::string(written)};
}

void Draft::set(std::string_view key, std::uint64_t number, std::string_view written) {
  set(key, std::to_string(number), written);
}

void Draft::add_command(std::string_view text, std::string_view weight, std::string_view keys,
                        std::string_view written) {
  std::string row = "\n[[workload.command]]";
  const std::pair<std::string_view, std::string_view> cells[] = {
      {"command", text}, {"weight", weight}, {"keys", keys}};
  for (const auto& [name, cell] : cells) {
    if (cell.empty()) continue;
    const scenario::Option* option = scenario::find_option("workload.command", name);
    check(option != nullptr, "a command has these options");
    const auto value = scenario::read_value(option->type, cell);
    if (!value) {
      wrong(written, value.error().message);
      return;
    }
    row += fmt::format("\n{} = {}", name, scenario::print_toml(option->type, *value));
  }
  commands_.push_back({row + "\n", std::string(written)});
}

void Draft::wrong(std::string_view written, std::string_view what) {
  errors_.push_back(fmt::format("{}: {}", written, what));
}

Result<scenario::Scenario> Draft::finish(const std::vector<std::string>& overrides) const {
  if (failed()) return fail(ErrorKind::kUsage, "{}", fmt::join(errors_, "\n"));
  // One setting a line, so that a line's number tells the flag. Dotted keys need no sections.
  std::string text;
  std::vector<std::string> written;
  for (const auto& [key, setting] : settings_) {
    text += fmt::format("{} = {}\n", key, setting.toml);
    written.push_back(setting.written);
  }
  for (const Setting& command : commands_) {
    text += command.toml;
    written.insert(written.end(), static_cast<std::size_t>(std::ranges::count(command.toml, '\n')),
                   command.written);
  }
  auto scenario = scenario::parse_scenario(text, std::string(kTextName), overrides);
  if (scenario) return scenario;

  std::vector<std::string> lines;
  for (const std::string_view line : split(scenario.error().message, '\n')) {
    const std::string_view behind = line.substr(std::min(line.size(), kTextName.size() + 1));
    std::size_t number = 0;
    const auto read = std::from_chars(behind.data(), behind.data() + behind.size(), number);
    if (line.starts_with(kTextName) && read.ec == std::errc() && number >= 1 &&
        number <= written.size()) {
      lines.push_back(written[number - 1] + std::string(read.ptr, behind.data() + behind.size()));
    } else {
      lines.emplace_back(line);
    }
  }
  return fail(ErrorKind::kUsage, "{}", fmt::join(lines, "\n"));
}

Result<std::uint64_t> read_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size()) {
    return fail(ErrorKind::kUsage, "\"{}\" is no whole number below 2^64", printable(text));
  }
  return number;
}

}  // namespace headroom::interop
