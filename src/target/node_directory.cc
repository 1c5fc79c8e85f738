#include "target/node_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <utility>

#include "target/cgroup.h"
#include "target/lock.h"

namespace headroom::target {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLockFile = "owner.lock";

}  // namespace

Result<NodeDirectory> NodeDirectory::create() {
  auto directory = TempDir::create(kNodePrefix.substr(0, kNodePrefix.size() - 1));
  if (!directory) return fail(std::move(directory.error()));
  // Locked before it has its name: nobody ever finds an unlocked one that has an owner.
  const fs::path lock_path = directory->path() / kLockFile;
  const fs::path unnamed = fs::path(lock_path).concat(".new");
  UniqueFd lock(::open(unnamed.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!lock.valid() || ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0 ||
      ::rename(unnamed.c_str(), lock_path.c_str()) != 0) {
    return fail(ErrorKind::kIncomplete, "cannot lock {}: {}", lock_path.string(),
                errno_text(errno));
  }
  return NodeDirectory(std::move(*directory), std::move(lock));
}

Status NodeDirectory::remove() { return directory_.remove(); }

std::vector<fs::path> find_node_directories() {
  std::vector<fs::path> found;
  std::error_code error;
  const fs::path base = fs::temp_directory_path(error);
  if (error) return found;
  fs::directory_iterator entry(base, fs::directory_options::skip_permission_denied, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const fs::path& path = entry->path();
    std::error_code without;
    if (path.filename().string().starts_with(kNodePrefix) && is_own_directory(path) &&
        fs::is_regular_file(path / kLockFile, without))
      found.push_back(path);
  }
  return found;
}

UniqueFd lock_abandoned(const fs::path& directory) {
  const fs::path lock_path = directory / kLockFile;
  UniqueFd lock(::open(lock_path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!lock.valid() || ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) return {};
  if (!is_same_file(lock.get(), lock_path)) return {};
  return lock;
}

}  // namespace headroom::target
