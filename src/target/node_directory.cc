#include "target/node_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace headroom::target {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "headroom-node";
constexpr std::string_view kLockFile = "owner.lock";

// Is `path` the file that `fd` has open? (Not one that came in its place.)
bool is_same_file(int fd, const fs::path& path) {
  struct stat opened{};
  struct stat named{};
  return ::fstat(fd, &opened) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

bool is_own_directory(const fs::path& path) {
  struct stat status{};
  return ::lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         status.st_uid == ::geteuid();
}

bool remove_if_abandoned(const fs::path& directory) {
  if (!is_own_directory(directory)) return false;
  const fs::path lock_path = directory / kLockFile;
  const UniqueFd lock(::open(lock_path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!lock.valid() || ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) return false;
  if (!is_same_file(lock.get(), lock_path)) return false;
  std::error_code error;
  fs::remove_all(directory, error);
  return !error;
}

}  // namespace

Result<NodeDirectory> NodeDirectory::create() {
  auto directory = TempDir::create(kPrefix);
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

std::vector<fs::path> remove_abandoned_node_directories() {
  std::vector<fs::path> removed;
  std::error_code error;
  const fs::path base = fs::temp_directory_path(error);
  if (error) return removed;
  const std::string prefix = fmt::format("{}-", kPrefix);
  fs::directory_iterator entry(base, fs::directory_options::skip_permission_denied, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const fs::path& path = entry->path();
    if (path.filename().string().starts_with(prefix) && remove_if_abandoned(path)) {
      removed.push_back(path);
    }
  }
  return removed;
}

}  // namespace headroom::target
