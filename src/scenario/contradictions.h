// What is wrong with a scenario whose every single value is right. Pure.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "scenario/scenario.h"

namespace headroom::scenario {

// How a message names an option and where it was given: "first-run.toml:12: load.workers".
using PlaceOf = std::function<std::string(std::string_view key)>;

// One whole line for each contradiction; none: the scenario can be run.
[[nodiscard]] std::vector<std::string> find_contradictions(const Scenario& scenario,
                                                           const PlaceOf& place_of);

}  // namespace headroom::scenario
