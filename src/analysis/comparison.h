// Groups of runs compared: what the numbers support, what they do not, and what would settle it.
// Pure: arms in, a Comparison out.
#pragma once

#include <string>
#include <vector>

#include "analysis/arm.h"
#include "analysis/baseline.h"
#include "analysis/claim.h"
#include "analysis/contract.h"
#include "analysis/contrast.h"

namespace headroom::analysis {

struct ComparisonOptions {
  std::vector<std::string> intended;  // settings that are meant to differ
  ContrastOptions contrast;
  // The first of two arms is what the second is held against, with contrast.margin if there is one.
  bool baseline = false;
};

struct Comparison {
  std::vector<Arm> arms;
  ComparisonOptions options;
  Contract contract;
  // Empty when the comparison is invalid: then nothing may be read from its numbers.
  std::vector<Contrast> contrasts;
  std::vector<AgainstBaseline> against;  // with ComparisonOptions::baseline
  std::vector<Claim> claims;
  // Where this comparison stops: the limits of the guards that fired, each once, then the
  // contract's reservations.
  std::vector<std::string> stops;
};

// Names arms after what tells them apart ("load.pipeline = 4"), if it is one factor that every run
// knows; else they keep their names.
void name_by_difference(std::vector<Arm>& arms);

// One arm (do its runs agree?) or more; each with a run at least.
[[nodiscard]] Comparison compare(std::vector<Arm> arms, ComparisonOptions options);

}  // namespace headroom::analysis
