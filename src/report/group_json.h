// A group of runs as a JSON value: what render_group_json() writes and its page carries. Internal
// to `report`.
#pragma once

#include "report/group.h"
#include "report/json_value.h"

namespace headroom::report {

// Grows when a key changes its meaning or goes away; new keys do not change it.
inline constexpr int kGroupSchemaVersion = 1;

[[nodiscard]] Json group_json(const Group& group);

}  // namespace headroom::report
