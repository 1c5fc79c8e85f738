// [[tenant]]: a name, and every option of [workload] and [load] that one of several loads may have
// for itself. A part of the option table (options.cc).
#pragma once

#include <vector>

#include "scenario/options.h"

namespace headroom::scenario {

// `table` has the options of [workload] and [load] already.
void add_tenant_options(std::vector<Option>& table);

}  // namespace headroom::scenario
