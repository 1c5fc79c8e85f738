// Shows a run file in one of the formats a user may ask for: read, summed up, rendered, printed.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/baseline.h"
#include "base/result.h"
#include "cli/exit_code.h"
#include "scenario/expectation.h"
#include "serve/run_source.h"

namespace headroom::cli {

enum class Format { kTerminal, kJson, kHtml, kMarkdown };

struct Rendered {
  std::string text;
  std::vector<std::string> unmet;  // of what was expected of the run, a line each
};

// Adds to a run's expectations those that were given besides (kUsage: one is of what it cannot
// have).
[[nodiscard]] Status expect_of(std::span<const scenario::Expectation> expected,
                               serve::ReadRun& read);

// The summary of a run file, as show_run() prints it. `expect` are conditions besides those of its
// scenario (scenario/expectation.h).
[[nodiscard]] Result<Rendered> render_run(const std::filesystem::path& file, Format format,
                                          bool colour, std::span<const std::string> expect = {});

// Prints the summary of a run file to stdout. What went wrong is told on stderr, and what was
// expected and is not met (kExpectation).
[[nodiscard]] ExitCode show_run(const std::filesystem::path& file, Format format,
                                std::span<const std::string> expect = {});

// Prints every figure that the run has, as an expectation may name it.
[[nodiscard]] ExitCode show_figures(const std::filesystem::path& file);

// Tells on stderr what is not met: kExpectation, or kDone where all is.
[[nodiscard]] ExitCode tell_unmet(std::span<const std::string> unmet);

// Tells on stderr what got worse than the baseline: kExpectation, or kDone where nothing is shown
// to.
[[nodiscard]] ExitCode tell_regressions(std::span<const analysis::AgainstBaseline> figures);

// Every line behind "# ".
[[nodiscard]] std::string commented(std::string_view text);

}  // namespace headroom::cli
