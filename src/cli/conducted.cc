#include "cli/conducted.h"

#include <fmt/format.h>
#include <unistd.h>

#include "cli/terminal.h"

namespace headroom::cli {

ProgressStyle progress_style(bool quiet) {
  if (quiet) return ProgressStyle::kQuiet;
  return is_terminal(STDERR_FILENO) ? ProgressStyle::kLive : ProgressStyle::kLines;
}

ExitCode result_exit_code(const lab::RunResult& result) {
  ExitCode code = kDone;
  if (result.failure) code = print_error(*result.failure);
  if (!result.sealed) {
    print_message(fmt::format("headroom: {}: not sealed; it holds what was committed\n",
                              result.file.string()));
    if (code == kDone) code = kIncomplete;
  }
  if (result.teardown) {
    print_error(*result.teardown);
    code = kTeardown;
  }
  return code;
}

}  // namespace headroom::cli
