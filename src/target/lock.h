// Locks that tell the living from the dead: the kernel lifts one when its owner dies, however it
// dies.
#pragma once

#include <filesystem>

#include "base/file.h"

namespace headroom::target {

// Locks a directory of this user's for as long as the descriptor lives. Not valid: it is no such
// directory, it is locked by another, or another came in its place meanwhile.
[[nodiscard]] UniqueFd lock_directory(const std::filesystem::path& path);

// Is `path` the file that `fd` has open? (Not one that came in its place.)
[[nodiscard]] bool is_same_file(int fd, const std::filesystem::path& path);

// A directory of this user's, and no link to one.
[[nodiscard]] bool is_own_directory(const std::filesystem::path& path);

}  // namespace headroom::target
