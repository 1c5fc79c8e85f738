// check(): invariants of our own. On in every build; a failure prints where and aborts, because a
// program whose assumptions broke must not go on measuring.
#pragma once

namespace headroom {

[[noreturn]] void check_failed(const char* what, const char* file, int line);

// The compilers' builtins stand in for std::source_location, which clang 14 cannot take from
// libstdc++.
constexpr void check(bool holds, const char* what, const char* file = __builtin_FILE(),
                     int line = __builtin_LINE()) {
  if (!holds) [[unlikely]]
    check_failed(what, file, line);
}

}  // namespace headroom
