// Times as other tools write them.
#pragma once

#include <optional>
#include <string_view>

#include "base/clock.h"

namespace headroom::interop {

// "2026-05-28T05:25:50Z", with up to nine digits of a second. nullopt for anything else.
[[nodiscard]] std::optional<WallTime> parse_utc(std::string_view text);

}  // namespace headroom::interop
