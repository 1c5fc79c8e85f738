// Result<T>: how every fallible function of Headroom reports failure.
//
// An Error is for the operator: one line that says what happened, to what (file, host, key), the
// range that was allowed and what to do. Broken invariants of our own are not Errors; they abort
// (base/check.h).
#pragma once

#include <fmt/format.h>
#include <tl/expected.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace headroom {

// What kind of failure it was; `cli` turns it into the exit code.
enum class ErrorKind {
  kUsage,        // the command line or the scenario is wrong
  kTarget,       // the target is unreachable, refused us, or may not be used
  kIncomplete,   // a run could not be finished or its file not be written
  kExpectation,  // an expectation of the user's was not met
  kTeardown,     // what a run started could not be proved to be gone
  kInternal,     // our own bug
};

struct Error {
  ErrorKind kind;
  std::string message;  // one line, no trailing newline
};

template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

// Usage: return fail(ErrorKind::kTarget, "{}:{} refused the connection", host, port);
template <class... Args>
[[nodiscard]] tl::unexpected<Error> fail(ErrorKind kind, fmt::format_string<Args...> format,
                                         Args&&... args) {
  return tl::unexpected<Error>(Error{kind, fmt::format(format, std::forward<Args>(args)...)});
}

// Passes an error on.
[[nodiscard]] inline tl::unexpected<Error> fail(Error error) {
  return tl::unexpected<Error>(std::move(error));
}

// "Connection refused" and the like for an errno value; thread-safe.
[[nodiscard]] std::string errno_text(int error_number);

}  // namespace headroom
