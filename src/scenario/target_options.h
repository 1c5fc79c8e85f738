// The options of [target]. Internal to the option table.
#pragma once

#include <vector>

#include "scenario/options.h"

namespace headroom::scenario {

void add_target_options(std::vector<Option>& table);

}  // namespace headroom::scenario
