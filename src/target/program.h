// The server program of a local node.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"

namespace headroom::target {

// The absolute path of `engine_path`: a path, or a name that is searched on PATH; empty:
// valkey-server, else redis-server, from PATH. An Error (kTarget) says what is missing and what to
// do.
[[nodiscard]] Result<std::filesystem::path> find_engine(const std::string& engine_path);

}  // namespace headroom::target
