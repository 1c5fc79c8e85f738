// What the command line knows of the terminal it talks to.
#pragma once

#include <string_view>

#include "base/result.h"
#include "cli/exit_code.h"

namespace headroom::cli {

// Opens /dev/null for what the caller closed of stdin, stdout and stderr, so that no file of ours
// takes their numbers. To be called before anything is opened.
void open_standard_descriptors();

[[nodiscard]] bool is_terminal(int fd);
// Colour is for a terminal whose user did not say NO_COLOR (no-color.org) and that is not "dumb".
[[nodiscard]] bool wants_colour(int fd);
// Columns of the terminal behind `fd`; 80 if it is none.
[[nodiscard]] int terminal_width(int fd);

// Writes to stderr, at once. If that fails nobody is left to be told, and a run that goes must not
// end because of it: failures are ignored.
void print_message(std::string_view text);
// "headroom: <message>" on stderr, a line for each line of the message; returns the exit code.
ExitCode print_error(const Error& error);

// Writes to stdout: kDone, or kReaderGone without a word if the other end of a pipe was closed. Any
// other failure (a full disk) is told on stderr: kIncomplete.
[[nodiscard]] ExitCode print_output(std::string_view text);

}  // namespace headroom::cli
