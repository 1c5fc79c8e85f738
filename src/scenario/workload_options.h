// The options of [workload] and [[workload.command]]: a part of the option table.
#pragma once

#include <vector>

#include "scenario/options.h"

namespace headroom::scenario {

void add_workload_options(std::vector<Option>& table);

// How a size of values is written.
[[nodiscard]] FormsType value_size_type();

}  // namespace headroom::scenario
