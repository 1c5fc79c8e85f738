// The options of [workload.cache_aside] and [workload.trace]. A part of the option table
// (options.cc).
#pragma once

#include <vector>

#include "scenario/options.h"

namespace headroom::scenario {

void add_trace_options(std::vector<Option>& table);

}  // namespace headroom::scenario
