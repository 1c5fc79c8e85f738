// What the command line knows of the terminal it talks to.
#pragma once

#include <string_view>

#include "base/result.h"
#include "cli/exit_code.h"

namespace headroom::cli {

[[nodiscard]] bool is_terminal(int fd);
// Colour is for a terminal whose user did not say NO_COLOR (no-color.org) and that is not "dumb".
[[nodiscard]] bool wants_colour(int fd);
// Columns of the terminal behind `fd`; 80 if it is none.
[[nodiscard]] int terminal_width(int fd);

// "headroom: <message>" on stderr, a line for each line of the message; returns the exit code.
ExitCode print_error(const Error& error);

// Writes to stdout. A reader that went away (a closed pipe, a full disk) is an error, not silence.
[[nodiscard]] Status print_output(std::string_view text);

}  // namespace headroom::cli
