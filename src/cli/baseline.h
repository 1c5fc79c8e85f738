// Run files held against those of a baseline.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/exit_code.h"

namespace headroom::cli {

// "5%" as a ratio; the error (kUsage) names the flag.
[[nodiscard]] Result<double> read_percent(const std::string& flag, const std::string& text);

// Says on stderr what `file` shows against the baseline's runs: what got worse, what held, what
// cannot be told. kExpectation if something got worse; kInvalid if the two may not be compared.
[[nodiscard]] ExitCode hold_against_baseline(const std::string& file,
                                             const std::vector<std::string>& baseline,
                                             std::optional<double> margin);

}  // namespace headroom::cli
