// Files that a user names, as the arms of a comparison.
#pragma once

#include <string>
#include <vector>

#include "analysis/arm.h"
#include "base/result.h"

namespace headroom::cli {

struct ArmFiles {
  std::vector<std::string> files;
  std::vector<std::string> versus;    // empty: no second side
  std::string by;                     // empty: not by a key
  std::vector<std::string> baseline;  // empty: none; else the first arm, before that of `files`
  std::vector<std::string> expect;    // conditions on every run (scenario/expectation.h)
  bool courses = false;               // with latencies over time, for pictures
};

// Reads run files and tables of run summaries, a file on each CPU at a time, and keeps of each run
// what a comparison needs. `versus` and `baseline` make two arms; `by` one of each value; with
// neither the groups of tables are the arms, and run files are one.
[[nodiscard]] Result<std::vector<analysis::Arm>> read_arms(const ArmFiles& asked);

}  // namespace headroom::cli
