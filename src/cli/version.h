// The version of this build; set by the top CMakeLists.txt and nowhere else.
#pragma once

#include <string_view>

namespace headroom::cli {

inline constexpr std::string_view kVersion = HEADROOM_VERSION;

}  // namespace headroom::cli
