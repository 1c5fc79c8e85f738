// What a run will do, said before it does it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "load/trace.h"
#include "scenario/scenario.h"

namespace headroom::lab {

// A few lines in the order of the phases; for `headroom run --dry-run`. Nothing is contacted.
// `trace`: of a scenario that replays one. `output` empty: the default place.
[[nodiscard]] std::string describe_plan(const scenario::Scenario& scenario,
                                        const std::optional<load::TraceSummary>& trace,
                                        const std::filesystem::path& output);

}  // namespace headroom::lab
