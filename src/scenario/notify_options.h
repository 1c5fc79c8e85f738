// The options of [notify]. Internal to the option table.
#pragma once

#include <vector>

#include "scenario/options.h"

namespace headroom::scenario {

void add_notify_options(std::vector<Option>& table);

}  // namespace headroom::scenario
