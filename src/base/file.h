// Files, directories and descriptors.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

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

// The whole file, of any kind that ends (a pipe, a file in /proc). Errors (kUsage) name the path; a
// file larger than the limit is one.
[[nodiscard]] Result<std::string> read_file(const std::filesystem::path& path,
                                            std::size_t limit_bytes = 64U << 20U);
// Writes through a temporary file in the same directory and renames it: all or nothing, also when
// the power fails. A file that was there is replaced. Errors (kIncomplete) name the path.
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
