#include "resp/encode.h"

#include <fmt/format.h>

#include <iterator>

namespace headroom::resp {

void append_command(std::string& out, std::span<const std::string_view> arguments) {
  fmt::format_to(std::back_inserter(out), "*{}\r\n", arguments.size());
  for (const std::string_view argument : arguments) {
    fmt::format_to(std::back_inserter(out), "${}\r\n", argument.size());
    out += argument;
    out += "\r\n";
  }
}

}  // namespace headroom::resp
