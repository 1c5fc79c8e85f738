// Files, directories and descriptors.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/result.h"

namespace headroom {

// Owns a file descriptor; closes it once, and leaves errno as it was.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(other.release()) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    reset(other.release());
    return *this;
  }
  UniqueFd(const UniqueFd&) = delete;
  UniqueFd& operator=(const UniqueFd&) = delete;
  ~UniqueFd() { reset(); }

  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool valid() const { return fd_ >= 0; }
  [[nodiscard]] int release() {
    const int fd = fd_;
    fd_ = -1;
    return fd;
  }
  void reset(int fd = -1);

 private:
  int fd_ = -1;
};

// The whole content of a regular file (one in /proc is) or of a pipe, so that `<(command)` and
// /dev/stdin may stand for a file. A pipe must go on giving or end: `patience` bounds each wait for
// it. Errors (kUsage) name the path; a device, a socket, a silent pipe and more than the limit are
// errors.
[[nodiscard]] Result<std::string> read_file(const std::filesystem::path& path,
                                            std::size_t limit_bytes = 64U << 20U,
                                            Nanos patience = std::chrono::seconds{10});
// Makes `content` the content of the file. Errors (kIncomplete) name the path.
//
// A regular file, there before or not, is replaced: through a temporary file in the same directory
// and a rename, all or nothing, also when the power fails. Symbolic links are followed: what they
// lead to is replaced (or made), they stay. What is no regular file (a device, a pipe) and what is
// named by a descriptor (/dev/stdout, /proc/self/fd/1) is written to as it stands and never
// replaced; a FIFO waits for its reader.
[[nodiscard]] Status write_file(const std::filesystem::path& path, std::string_view content);

// A fresh private directory (mode 0700) below the system's temporary directory, removed with all it
// contains when the object dies. remove() does it earlier and reports failure.
class TempDir {
 public:
  [[nodiscard]] static Result<TempDir> create(std::string_view prefix);
  TempDir(TempDir&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TempDir& operator=(TempDir&& other) noexcept;
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] Status remove();  // kTeardown on failure; doing it again does nothing

 private:
  explicit TempDir(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

}  // namespace headroom
