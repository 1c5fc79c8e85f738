// The exit codes of every subcommand. Scripts depend on them: they never change their meaning.
#pragma once

#include "base/result.h"

namespace headroom::cli {

enum ExitCode : int {
  kDone = 0,
  kUsage = 2,        // command line or scenario
  kTarget = 3,       // target unreachable or refused
  kIncomplete = 4,   // run incomplete, or what was asked for could not be written
  kExpectation = 5,  // an expectation is not met, a figure is worse than the baseline's; a run file
                     // was changed since it was sealed; a machine is not to be trusted
  kTeardown = 6,     // teardown not verified
  kInvalid = 7,      // comparison invalid: nothing may be read from it
  kInternal = 70,    // our own bug
  // Whoever read our output went away (`headroom report x.run | head -1`): what a shell makes of a
  // program that SIGPIPE ended, 128 + 13. Nothing is said, as nothing went wrong here.
  kReaderGone = 141,
};

[[nodiscard]] constexpr ExitCode exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kUsage:
      return kUsage;
    case ErrorKind::kTarget:
      return kTarget;
    case ErrorKind::kIncomplete:
      return kIncomplete;
    case ErrorKind::kExpectation:
      return kExpectation;
    case ErrorKind::kTeardown:
      return kTeardown;
    case ErrorKind::kInternal:
      return kInternal;
  }
  return kInternal;
}

}  // namespace headroom::cli
