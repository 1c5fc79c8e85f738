#include "serve/catalogue.h"

#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>

#include "analysis/summary.h"
#include "base/text.h"
#include "store/run_reader.h"

namespace headroom::serve {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostReaders = 4;

std::int64_t ns_of(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

FileStamp stamp_of(const fs::path& path) {
  FileStamp stamp;
  struct stat status{};
  if (::stat(path.c_str(), &status) == 0) {
    stamp.bytes = static_cast<std::uint64_t>(status.st_size);
    stamp.modified_ns = ns_of(status.st_mtim);
  }
  fs::path log = path;
  log += "-wal";
  if (::stat(log.c_str(), &status) == 0) {
    stamp.log_bytes = static_cast<std::uint64_t>(status.st_size);
    stamp.log_modified_ns = ns_of(status.st_mtim);
  }
  return stamp;
}

// Whether `path`, which is canonical, lies below `directory`, which is as well.
bool lies_below(const fs::path& path, const fs::path& directory) {
  const auto [end, other] =
      std::mismatch(directory.begin(), directory.end(), path.begin(), path.end());
  return end == directory.end() && other != path.end();
}

void read_entry(const fs::path& path, ListedRun& listed) {
  const auto run = store::read_run(path);
  if (!run) {
    // The message names the whole path, which is nobody's business but the server's user's.
    std::string message = printable(run.error().message, 300);
    if (const std::size_t at = message.find(": "); at != std::string::npos)
      message.erase(0, at + 2);
    listed.problem = message;
    return;
  }
  listed.entry = entry_of(*run, analysis::summarize(*run));
}

}  // namespace

Result<Catalogue> Catalogue::open(const fs::path& directory) {
  std::error_code error;
  const fs::path canonical = fs::canonical(directory, error);
  if (error)
    return fail(ErrorKind::kUsage, "{}: cannot be opened: {}; give a directory of run files",
                printable(directory.string()), error.message());
  if (!fs::is_directory(canonical, error))
    return fail(ErrorKind::kUsage,
                "{}: is no directory; give one that holds run files, or show a single run with "
                "headroom report FILE --open",
                printable(directory.string()));
  const fs::directory_iterator readable(canonical, error);
  if (error)
    return fail(ErrorKind::kUsage, "{}: cannot be read: {}", printable(directory.string()),
                error.message());
  return Catalogue(canonical);
}

bool Catalogue::may_be_read(const fs::path& path) const {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return false;
  const fs::path canonical = fs::canonical(path, error);
  return !error && lies_below(canonical, directory_);
}

std::vector<ListedRun> Catalogue::scan(bool& too_many) const {
  std::vector<ListedRun> runs;
  std::error_code error;
  fs::recursive_directory_iterator entries(directory_,
                                           fs::directory_options::skip_permission_denied, error);
  for (; !error && entries != fs::recursive_directory_iterator(); entries.increment(error)) {
    const fs::path& path = entries->path();
    if (entries.depth() >= kDeepest) entries.disable_recursion_pending();
    if (path.extension() != ".run" || !may_be_read(path)) continue;
    if (runs.size() == kMostFiles) {
      too_many = true;
      break;
    }
    runs.push_back({path.lexically_relative(directory_).generic_string(), stamp_of(path), {}, {}});
  }
  std::ranges::sort(runs, {}, &ListedRun::file);
  return runs;
}

Listing Catalogue::list(Nanos budget) {
  const Nanos deadline = real_clock().now() + budget;
  Listing listing;
  listing.runs = scan(listing.too_many);
  const std::lock_guard lock(state_->mutex);
  std::vector<ListedRun*> unread;
  for (ListedRun& run : listing.runs) {
    const auto known = state_->known.find(run.file);
    if (known == state_->known.end() || known->second.stamp != run.stamp) {
      unread.push_back(&run);
      continue;
    }
    run.entry = known->second.entry;
    run.problem = known->second.problem;
  }
  std::atomic<std::size_t> next{0};
  const auto read = [&] {
    while (real_clock().now() < deadline) {
      const std::size_t mine = next++;
      if (mine >= unread.size()) return;
      read_entry(directory_ / unread[mine]->file, *unread[mine]);
    }
  };
  const std::size_t readers = std::min<std::size_t>(
      {std::max(1U, std::thread::hardware_concurrency()), kMostReaders, unread.size()});
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < readers; ++i) threads.emplace_back(read);
    read();
  }
  std::map<std::string, Known> known;
  for (const ListedRun& run : listing.runs) {
    if (run.entry || !run.problem.empty())
      known.insert_or_assign(run.file, Known{run.stamp, run.entry, run.problem});
    else
      ++listing.unread;
  }
  state_->known = std::move(known);
  return listing;
}

std::optional<fs::path> Catalogue::find(const std::string& file) const {
  const fs::path relative(file);
  // No name of a listing is absolute or has "..": it cannot lead out before links are looked at.
  if (relative.empty() || relative.is_absolute() || relative.extension() != ".run" ||
      file.find('\0') != std::string::npos)
    return std::nullopt;
  for (const fs::path& part : relative) {
    if (part == ".." || part == "." || part.empty()) return std::nullopt;
  }
  fs::path path = directory_ / relative;
  if (!may_be_read(path)) return std::nullopt;
  return path;
}

}  // namespace headroom::serve
