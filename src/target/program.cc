#include "target/program.h"

#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/subprocess.h"
#include "base/text.h"

namespace headroom::target {

namespace fs = std::filesystem;

Result<fs::path> find_engine(const std::string& engine_path) {
  // A bare name is looked for on PATH, as a shell would.
  if (!engine_path.empty() && engine_path.find('/') == std::string::npos) {
    if (auto found = find_executable(engine_path)) return std::move(*found);
  }
  if (!engine_path.empty()) {
    std::error_code error;
    const fs::path absolute = fs::absolute(engine_path, error);
    if (error || !fs::is_regular_file(absolute, error)) {
      return fail(ErrorKind::kTarget,
                  "target.engine_path: there is no file {}; give the path of valkey-server or "
                  "redis-server, or leave it out to search PATH",
                  engine_path);
    }
    if (::access(absolute.c_str(), X_OK) != 0) {
      return fail(ErrorKind::kTarget, "target.engine_path: {} cannot be executed: {}", engine_path,
                  errno_text(errno));
    }
    return absolute;
  }
  for (const char* name : {"valkey-server", "redis-server"}) {
    if (auto found = find_executable(name)) return std::move(*found);
  }
  return fail(ErrorKind::kTarget,
              "neither valkey-server nor redis-server is on PATH: install one (apt install "
              "valkey-server, or redis-server), or set target.engine_path");
}

}  // namespace headroom::target
