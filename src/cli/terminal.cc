#include "cli/terminal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "base/text.h"

namespace headroom::cli {

void open_standard_descriptors() {
  // open() takes the lowest number that is free.
  int fd = ::open("/dev/null", O_RDWR);
  while (fd >= 0 && fd <= STDERR_FILENO) fd = ::open("/dev/null", O_RDWR);
  if (fd >= 0) ::close(fd);
}

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

void print_message(std::string_view text) {
  [[maybe_unused]] const std::size_t written = std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

ExitCode print_error(const Error& error) {
  for (const std::string_view line : split(error.message, '\n'))
    print_message(fmt::format("headroom: {}\n", line));
  return exit_code(error.kind);
}

ExitCode print_output(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0)
    return kDone;
  const int code = errno;
  if (code == EPIPE) return kReaderGone;
  return print_error({ErrorKind::kIncomplete,
                      fmt::format("cannot write to standard output: {}", errno_text(code))});
}

}  // namespace headroom::cli
