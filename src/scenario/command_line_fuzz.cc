// Feeds hostile texts to the reader of commands. What it accepts keeps its promises, and what it
// refuses is refused in a printable line.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/text.h"
#include "scenario/command_line.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headroom;  // NOLINT
  using scenario::CommandLine;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto line = scenario::read_command_line(text);
  if (!line) {
    check(!line.error().message.empty(), "an error says something");
    check(printable(line.error().message, 4 * line.error().message.size()) == line.error().message,
          "an error is printable");
    return 0;
  }
  check(line->commands.size() == 1 || line->commands.size() >= 3, "one, or MULTI ... EXEC");
  check(line->keys <= CommandLine::kMostKeys, "keys are limited");
  std::size_t parts = 0;
  for (const scenario::CommandWords& command : line->commands) {
    check(!scenario::verb_of(command).empty(), "every command has a name");
    for (const scenario::Word& word : command) {
      parts += word.size();
      for (const scenario::WordPart& part : word) {
        using Kind = scenario::WordPart::Kind;
        check(part.kind != Kind::kKey || part.key < line->keys, "a key is one that is drawn");
        check(part.kind != Kind::kRandom || part.lowest <= part.highest, "a range goes up");
        check(part.kind != Kind::kText || !part.text.empty(), "a text is not empty");
      }
    }
  }
  check(parts <= CommandLine::kMostParts, "parts are limited");
  return 0;
}
