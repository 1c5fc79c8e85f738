// How the rate and the think time of [load] are written, and what they mean as typed nouns. A part
// of the option table (options.cc).
#pragma once

#include "scenario/scenario.h"
#include "scenario/value.h"

namespace headroom::scenario {

[[nodiscard]] FormsType rate_type();
[[nodiscard]] Rate rate_of(const Call& call);
[[nodiscard]] Call call_of(const Rate& rate);

[[nodiscard]] FormsType think_time_type();
[[nodiscard]] ThinkTime think_time_of(const Call& call);
[[nodiscard]] Call call_of(const ThinkTime& think_time);

}  // namespace headroom::scenario
