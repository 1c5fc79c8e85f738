// The exit codes of every subcommand. Scripts depend on them: they never change their meaning.
#pragma once

#include "base/result.h"

namespace headroom::cli {

enum ExitCode : int {
  kDone = 0,
  kUsage = 2,        // command line or scenario
  kTarget = 3,       // target unreachable or refused
  kIncomplete = 4,   // run incomplete
  kExpectation = 5,  // an expectation failed: a promise of the file or of the user does not hold
  kTeardown = 6,     // teardown not verified
  kInternal = 70,    // our own bug
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
