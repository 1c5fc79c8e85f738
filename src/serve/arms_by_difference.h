// Runs that somebody ticked in a list, as the arms of a comparison. Pure.
#pragma once

#include <vector>

#include "analysis/arm.h"

namespace headroom::serve {

// Runs that agree in every factor and in their workload (analysis/contract.h) are one arm, in the
// order in which they come; named after what tells the arms apart, if it is one thing.
[[nodiscard]] std::vector<analysis::Arm> arms_by_difference(
    std::vector<analysis::ObservedRun> runs);

}  // namespace headroom::serve
