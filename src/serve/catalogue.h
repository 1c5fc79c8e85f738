// The run files below a directory, and what each of them says.
//
// Reads nothing but regular files named *.run below the directory. A symbolic link is listed only
// if what it leads to lies below the directory as well; links to directories are not followed. A
// file is read once and again when its size or time changed (of its write-ahead log as well, since
// a run that still goes grows there).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "serve/run_entry.h"

namespace headroom::serve {

// What a file was when it was read; another value means another content.
struct FileStamp {
  std::uint64_t bytes = 0;
  std::int64_t modified_ns = 0;  // since 1970
  std::uint64_t log_bytes = 0;   // of its write-ahead log
  std::int64_t log_modified_ns = 0;
  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

struct ListedRun {
  std::string file;  // below the directory, with "/"
  FileStamp stamp;
  std::optional<RunEntry> entry;  // absent: not read yet, or it cannot be
  std::string problem;            // why it cannot be read
};

struct Listing {
  std::vector<ListedRun> runs;  // by name
  std::size_t unread = 0;       // of them, which there was no time to read
  bool too_many = false;        // there are more than kMostFiles; the others are left out
};

// Thread-safe.
class Catalogue {
 public:
  static constexpr std::size_t kMostFiles = 10'000;
  static constexpr int kDeepest = 8;  // folders below the directory

  // kUsage unless it is a directory that can be read.
  [[nodiscard]] static Result<Catalogue> open(const std::filesystem::path& directory);

  // What there is now. Files that were not read yet are read, on as many threads as there are CPUs
  // (four at most), until `budget` is used up; the next call goes on.
  [[nodiscard]] Listing list(Nanos budget);
  // The path of a listed file, by the name that the listing has, if it is there and may be read.
  [[nodiscard]] std::optional<std::filesystem::path> find(const std::string& file) const;
  [[nodiscard]] const std::filesystem::path& directory() const { return directory_; }

 private:
  struct Known {
    FileStamp stamp;
    std::optional<RunEntry> entry;
    std::string problem;
  };
  struct State {
    std::mutex mutex;
    std::map<std::string, Known> known;  // by name
  };

  explicit Catalogue(std::filesystem::path directory)
      : directory_(std::move(directory)), state_(std::make_unique<State>()) {}
  [[nodiscard]] std::vector<ListedRun> scan(bool& too_many) const;
  [[nodiscard]] bool may_be_read(const std::filesystem::path& path) const;

  std::filesystem::path directory_;  // canonical
  std::unique_ptr<State> state_;
};

}  // namespace headroom::serve
