#include "base/file.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <system_error>

namespace headroom {
namespace {

namespace fs = std::filesystem;

Status write_all(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return fail(ErrorKind::kIncomplete, "{}", errno_text(errno));
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::fsync(fd) != 0) return fail(ErrorKind::kIncomplete, "{}", errno_text(errno));
  return {};
}

// Makes a rename below `directory` survive a power cut. Best effort: not every file system can.
void sync_directory(const fs::path& directory) {
  const UniqueFd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.valid()) (void)::fsync(fd.get());
}

}  // namespace

void UniqueFd::reset(int fd) {
  if (fd_ >= 0 && fd_ != fd) {
    // Linux releases the descriptor whatever close() says, so there is nothing to retry; an errno
    // that is on its way to a message must survive a destructor.
    const int saved = errno;
    ::close(fd_);
    errno = saved;
  }
  fd_ = fd;
}

Result<std::string> read_file(const fs::path& path, std::size_t limit_bytes) {
  const auto cannot = [&](int error) {
    return fail(ErrorKind::kUsage, "cannot read {}: {}", path.string(), errno_text(error));
  };
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return cannot(errno);
  std::string content;
  std::array<char, 1U << 16U> block;  // read() fills it
  for (;;) {
    const ssize_t got = ::read(fd.get(), block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return cannot(errno);
    if (got == 0) return content;
    if (static_cast<std::size_t>(got) > limit_bytes - content.size()) {
      return fail(ErrorKind::kUsage, "{} is too large: at most {} bytes are read", path.string(),
                  limit_bytes);
    }
    content.append(block.data(), static_cast<std::size_t>(got));
  }
}

Status write_file(const fs::path& path, std::string_view content) {
  const auto cannot = [&](std::string_view why) {
    return fail(ErrorKind::kIncomplete, "cannot write {}: {}", path.string(), why);
  };
  // Process and number make the name unique on this machine; O_EXCL proves it.
  static std::atomic<unsigned> serial{0};
  fs::path temporary = path;
  temporary += fmt::format(".{}-{}.tmp", ::getpid(), serial.fetch_add(1));
  UniqueFd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!fd.valid()) return cannot(errno_text(errno));
  Status status = write_all(fd.get(), content);
  fd.reset();
  if (status && ::rename(temporary.c_str(), path.c_str()) != 0)
    status = fail(ErrorKind::kIncomplete, "{}", errno_text(errno));
  if (!status) {
    ::unlink(temporary.c_str());
    return cannot(status.error().message);
  }
  sync_directory(path.has_parent_path() ? path.parent_path() : fs::path("."));
  return {};
}

Result<TempDir> TempDir::create(std::string_view prefix) {
  std::error_code error;
  const fs::path base = fs::temp_directory_path(error);
  if (error) {
    return fail(ErrorKind::kIncomplete, "no temporary directory: {} (set TMPDIR to a directory)",
                error.message());
  }
  std::string name = (base / fmt::format("{}-XXXXXX", prefix)).string();
  if (::mkdtemp(name.data()) == nullptr) {
    return fail(ErrorKind::kIncomplete, "cannot make a directory in {}: {}", base.string(),
                errno_text(errno));
  }
  return TempDir(fs::path(name));
}

TempDir& TempDir::operator=(TempDir&& other) noexcept {
  if (this != &other) {
    (void)remove();
    path_ = std::exchange(other.path_, {});
  }
  return *this;
}

TempDir::~TempDir() { (void)remove(); }

Status TempDir::remove() {
  if (path_.empty()) return {};
  std::error_code error;
  fs::remove_all(path_, error);
  if (error)
    return fail(ErrorKind::kTeardown, "cannot remove {}: {}", path_.string(), error.message());
  path_.clear();
  return {};
}

}  // namespace headroom
