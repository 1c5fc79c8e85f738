// Any bytes as the lines of a trace, in each of its formats: an error that can be printed, or a
// command with words.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/text.h"
#include "load/trace_line.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headroom;  // NOLINT
  if (size == 0) return 0;
  // NOLINTNEXTLINE: bytes are characters here
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  load::TraceParser parser(static_cast<scenario::TraceFormat>(data[0] % 3), 0);
  load::TraceLine line;
  bool header = parser.needs_header();
  for (const std::string_view each : split(text, '\n')) {
    if (header) {
      if (!parser.read_header(each)) return 0;
      header = false;
      continue;
    }
    const auto kind = parser.parse(each, {}, line);
    if (!kind) {
      const std::string& message = kind.error().message;
      check(printable(message, 4 * message.size()) == message, "an error is printable");
    } else if (*kind == load::TraceLineKind::kRequest) {
      check(!line.words.empty() && line.time >= Nanos{0}, "a request has words and a time");
      check(!line.made_up_bytes || line.words.size() > 2, "a value has its place");
    }
  }
  return 0;
}
