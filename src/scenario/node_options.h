// The options of [target] that give a local node its shape. A part of the option table
// (options.h).
#pragma once

#include <vector>

#include "scenario/options.h"

namespace headroom::scenario {

// Before maxmemory, which follows from them.
void add_node_options(std::vector<Option>& table);

// What maxmemory is when it is not given: it follows from the node's memory, if that is known.
[[nodiscard]] std::optional<Value> derive_maxmemory(const Scenario& scenario);

}  // namespace headroom::scenario
