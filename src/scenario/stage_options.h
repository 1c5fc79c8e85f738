// [[stage]], and how what changes in it is written. A part of the option table (options.cc).
#pragma once

#include <vector>

#include "scenario/options.h"

namespace headroom::scenario {

void add_stage_options(std::vector<Option>& table);

}  // namespace headroom::scenario
