#include "base/file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
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
  // A pipe and most devices have nothing to make last.
  if (::fsync(fd) != 0 && errno != EINVAL && errno != EROFS && errno != ENOTSUP)
    return fail(ErrorKind::kIncomplete, "{}", errno_text(errno));
  return {};
}

// Makes a rename below `directory` survive a power cut. Best effort: not every file system can.
void sync_directory(const fs::path& directory) {
  const UniqueFd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.valid()) (void)::fsync(fd.get());
}

// Waits until a pipe has something to read or has ended.
bool wait_readable(int fd, Nanos patience) {
  const Clock& clock = real_clock();
  const Nanos deadline = clock.now() + patience;
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - clock.now());
    pollfd wanted{.fd = fd, .events = POLLIN, .revents = 0};
    const int count =
        ::poll(&wanted, 1, static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, INT_MAX)));
    if (count != 0 && !(count < 0 && errno == EINTR)) return true;
    if (clock.now() >= deadline) return false;
  }
}

// Where the content of a path goes.
struct Destination {
  fs::path path;             // no symbolic link
  bool replaceable = false;  // a regular file, or none yet
};

Result<Destination> destination_of(fs::path path) {
  constexpr int kMostLinks = 40;  // as the kernel's
  for (int links = 0; links < kMostLinks; ++links) {
    std::error_code error;
    const fs::path directory =
        fs::canonical(path.has_parent_path() ? path.parent_path() : fs::path("."), error);
    if (error) return fail(ErrorKind::kIncomplete, "{}", error.message());
    path = directory / path.filename();
    // The links there name open descriptors, whose file has a user already.
    if (directory.native().starts_with("/proc/")) return Destination{path, false};
    const fs::file_status status = fs::symlink_status(path, error);
    if (status.type() == fs::file_type::not_found) return Destination{path, true};
    if (error) return fail(ErrorKind::kIncomplete, "{}", error.message());
    if (!fs::is_symlink(status)) return Destination{path, fs::is_regular_file(status)};
    const fs::path meant = fs::read_symlink(path, error);
    if (error) return fail(ErrorKind::kIncomplete, "{}", error.message());
    path = directory / meant;  // an absolute one stands alone
  }
  return fail(ErrorKind::kIncomplete, "{}", errno_text(ELOOP));
}

// Appends, because a descriptor's file may hold what its user wrote before.
Status write_through(const fs::path& path, std::string_view content) {
  const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC));
  if (!fd.valid()) return fail(ErrorKind::kIncomplete, "{}", errno_text(errno));
  return write_all(fd.get(), content);
}

Status replace(const fs::path& path, std::string_view content) {
  // Process and number make the name unique on this machine; O_EXCL proves it.
  static std::atomic<unsigned> serial{0};
  fs::path temporary = path;
  temporary += fmt::format(".{}-{}.tmp", ::getpid(), serial.fetch_add(1));
  UniqueFd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!fd.valid()) return fail(ErrorKind::kIncomplete, "{}", errno_text(errno));
  Status status = write_all(fd.get(), content);
  fd.reset();
  if (status && ::rename(temporary.c_str(), path.c_str()) != 0)
    status = fail(ErrorKind::kIncomplete, "{}", errno_text(errno));
  if (!status) {
    ::unlink(temporary.c_str());
    return status;
  }
  sync_directory(path.parent_path());
  return {};
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

Result<std::string> read_file(const fs::path& path, std::size_t limit_bytes, Nanos patience) {
  const auto cannot = [&](std::string_view why) {
    return fail(ErrorKind::kUsage, "cannot read {}: {}", path.string(), why);
  };
  // Without O_NONBLOCK, opening a pipe that nobody writes to would not return.
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat info{};
  if (!fd.valid() || ::fstat(fd.get(), &info) != 0) return cannot(errno_text(errno));
  if (S_ISDIR(info.st_mode)) return cannot(errno_text(EISDIR));
  const bool pipe = S_ISFIFO(info.st_mode);
  if (!pipe && !S_ISREG(info.st_mode)) return cannot("it is neither a file nor a pipe");
  // Before a pipe's first writer comes, reading it would look like its end.
  bool wait = pipe;
  std::string content;
  std::array<char, 1U << 16U> block;  // read() fills it
  for (;;) {
    if (wait && !wait_readable(fd.get(), patience)) {
      return cannot(fmt::format("it is a pipe, and nothing came through it for {} ms",
                                std::chrono::ceil<std::chrono::milliseconds>(patience).count()));
    }
    wait = false;
    const ssize_t got = ::read(fd.get(), block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN && pipe) {
      wait = true;
      continue;
    }
    if (got < 0) return cannot(errno_text(errno));
    if (got == 0) return content;
    if (static_cast<std::size_t>(got) > limit_bytes - content.size()) {
      return fail(ErrorKind::kUsage, "{} is too large: at most {} bytes are read", path.string(),
                  limit_bytes);
    }
    content.append(block.data(), static_cast<std::size_t>(got));
  }
}

Status write_file(const fs::path& path, std::string_view content) {
  const Result<Destination> destination = destination_of(path);
  Status status;
  if (!destination) {
    status = fail(destination.error());
  } else if (destination->replaceable) {
    status = replace(destination->path, content);
  } else {
    status = write_through(destination->path, content);
  }
  if (status) return status;
  return fail(ErrorKind::kIncomplete, "cannot write {}: {}", path.string(), status.error().message);
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
