// Feeds hostile scenario texts to the parser. Whatever parses must print to a text that parses back
// to the same scenario, and errors must be printable lines.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/text.h"
#include "scenario/parse.h"
#include "scenario/print.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headroom;  // NOLINT
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto scenario = scenario::parse_scenario(text, "fuzz.toml");
  if (!scenario) {
    for (const std::string_view line : split(scenario.error().message, '\n')) {
      check(!line.empty(), "an error says something");
      check(printable(line, 4 * line.size()) == line, "an error is printable");
    }
    return 0;
  }
  const std::string printed = scenario::print_scenario(*scenario);
  const auto again = scenario::parse_scenario(printed, "/again.toml");
  check(again.has_value(), "what was printed parses");
  check(*again == *scenario, "and is the same scenario");
  check(scenario::print_scenario(*again) == printed, "and prints the same");
  return 0;
}
