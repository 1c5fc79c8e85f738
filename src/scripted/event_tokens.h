// What epoll tells of that is no connection. Connections have the numbers from 0.
#pragma once

#include <cstdint>

namespace headroom::scripted {

inline constexpr std::uint64_t kListener = ~std::uint64_t{0};
inline constexpr std::uint64_t kWakeUp = kListener - 1;

}  // namespace headroom::scripted
