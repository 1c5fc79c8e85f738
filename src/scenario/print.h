// The canonical text of a scenario, as stored in run files and shown by `headroom run --dry-run`.
#pragma once

#include <string>

#include "scenario/scenario.h"

namespace headroom::scenario {

// TOML with every option that applies, defaults included, in the order of the option table.
// parse_scenario(print_scenario(s)) == s, and equal scenarios print equal texts. Options that are
// absent, or are for another kind of target, are left out.
[[nodiscard]] std::string print_scenario(const Scenario& scenario);

}  // namespace headroom::scenario
