#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "base/text.h"

namespace headroom::cli {

bool is_terminal(int fd) { return ::isatty(fd) == 1; }

bool wants_colour(int fd) {
  const char* const no_colour = std::getenv("NO_COLOR");
  if (no_colour != nullptr && *no_colour != '\0') return false;
  const char* const kind = std::getenv("TERM");
  return is_terminal(fd) && kind != nullptr && std::string_view(kind) != "dumb";
}

int terminal_width(int fd) {
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

ExitCode print_error(const Error& error) {
  for (const std::string_view line : split(error.message, '\n'))
    fmt::print(stderr, "headroom: {}\n", line);
  return exit_code(error.kind);
}

Status print_output(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    return fail(ErrorKind::kIncomplete, "cannot write to standard output: {}", errno_text(errno));
  return {};
}

}  // namespace headroom::cli
