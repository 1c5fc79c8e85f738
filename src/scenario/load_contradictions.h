// What does not fit together between several loads, and in stages. A part of contradictions.h.
#pragma once

#include <string>
#include <vector>

#include "scenario/contradictions.h"
#include "scenario/scenario.h"

namespace headroom::scenario {

// A line each; see find_contradictions().
[[nodiscard]] std::vector<std::string> find_load_contradictions(const Scenario& scenario,
                                                                const PlaceOf& place_of);

}  // namespace headroom::scenario
