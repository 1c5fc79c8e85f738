#include "store/run_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <utility>

#include "base/file.h"

namespace headroom::store {
namespace {

// The database header (sqlite.org/fileformat2.html, 1.3) and that of the log (4.1).
constexpr std::size_t kHeaderBytes = 100;
constexpr std::string_view kMagic{"SQLite format 3\0", 16};
constexpr std::size_t kReadVersionOffset = 19;
constexpr char kReadVersionLog = 2;
constexpr std::size_t kLogHeaderBytes = 32;
// Each attempt fails only if the writer checkpointed while it lasted, which it does once in many
// seconds.
constexpr int kCopyAttempts = 20;
// No text or blob of ours comes near it.
constexpr int kLongestValueBytes = 16 << 20;

tl::unexpected<Error> cannot_read(const std::filesystem::path& path, int error_number) {
  return fail(ErrorKind::kUsage, "{}: cannot be read: {}", path.string(), errno_text(error_number));
}

// A path without symbolic links (SQLite looks for the log beside the file that a link means) to a
// regular file: opening a pipe would wait for ever.
Result<std::filesystem::path> real_path(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(path, error);
  if (error) return cannot_read(path, error.value());
  const auto status = std::filesystem::status(real, error);
  if (error) return cannot_read(path, error.value());
  if (std::filesystem::is_directory(status)) {
    return fail(ErrorKind::kUsage, "{}: is a directory; give the path of a run file",
                path.string());
  }
  if (!std::filesystem::is_regular_file(status)) {
    return fail(ErrorKind::kUsage, "{}: is no regular file", path.string());
  }
  return real;
}

// Invalid, with errno set, if it cannot be opened.
UniqueFd open_file(const std::filesystem::path& path) {
  return UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
}

// The first bytes of a file, fewer if it is shorter; none if there is no such file.
Result<std::string> first_bytes(const std::filesystem::path& path, std::size_t count) {
  const UniqueFd fd = open_file(path);
  if (!fd.valid()) {
    if (errno == ENOENT) return std::string();
    return cannot_read(path, errno);
  }
  std::string bytes(count, '\0');
  std::size_t filled = 0;
  while (filled < count) {
    const ssize_t got = ::read(fd.get(), bytes.data() + filled, count - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return cannot_read(path, errno);
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  bytes.resize(filled);
  return bytes;
}

Status write_all(int fd, std::string_view bytes, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) {
      return fail(ErrorKind::kUsage, "{}: cannot be written: {}; set TMPDIR to a larger disk",
                  path.string(), errno_text(errno));
    }
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return {};
}

// Does nothing if there is no such file.
Status copy_bytes(const std::filesystem::path& from, const std::filesystem::path& to) {
  const UniqueFd source = open_file(from);
  if (!source.valid()) {
    if (errno == ENOENT) return {};
    return cannot_read(from, errno);
  }
  const UniqueFd target(::open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!target.valid()) return cannot_read(to, errno);
  std::string buffer(std::size_t{1} << 18U, '\0');
  while (true) {
    const ssize_t got = ::read(source.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return cannot_read(from, errno);
    if (got == 0) return {};
    const std::string_view piece(buffer.data(), static_cast<std::size_t>(got));
    if (Status written = write_all(target.get(), piece, to); !written) return written;
  }
}

// Whether SQLite can read the file where it lies without writing anything.
Result<bool> stands_alone(const std::filesystem::path& real, const std::filesystem::path& shown) {
  const auto header = first_bytes(real, kHeaderBytes);
  if (!header) return fail(header.error());
  if (header->empty()) {
    return fail(ErrorKind::kUsage, "{}: is empty: no run file, or one that died being created",
                shown.string());
  }
  if (header->size() < kHeaderBytes || !header->starts_with(kMagic)) {
    return fail(ErrorKind::kUsage, "{}: is no run file (not an SQLite database)", shown.string());
  }
  // Headroom leaves no rollback journal, and one may name any file of the user's, which SQLite
  // would delete when it rolls back.
  std::error_code ignored;
  if (std::filesystem::exists(beside(real, "-journal"), ignored)) {
    return fail(ErrorKind::kUsage,
                "{}: another program began to change it and did not finish ({}-journal lies beside "
                "it); restore the file from a copy",
                shown.string(), real.filename().string());
  }
  // A log that lies beside a file belongs to it, whatever its header says.
  return (*header)[kReadVersionOffset] != kReadVersionLog &&
         !std::filesystem::exists(beside(real, "-wal"), ignored);
}

// Copies database and log such that they belong together: false if a checkpoint fell between.
//
// The log's header changes with every new beginning of the log, before anything in it is
// overwritten. If it is the same before the database is read and after the log was, then all that a
// checkpoint may have moved meanwhile is in the copied log as well, and SQLite prefers the log.
Result<bool> copy_once(const std::filesystem::path& real, const std::filesystem::path& copy) {
  const auto before = first_bytes(beside(real, "-wal"), kLogHeaderBytes);
  if (!before) return fail(before.error());
  for (const std::string_view suffix : {"", "-wal"}) {
    const std::filesystem::path to = beside(copy, suffix);
    std::error_code ignored;
    std::filesystem::remove(to, ignored);
    if (Status copied = copy_bytes(beside(real, suffix), to); !copied) return fail(copied.error());
  }
  const auto after = first_bytes(beside(real, "-wal"), kLogHeaderBytes);
  if (!after) return fail(after.error());
  return *before == *after;
}

// Nothing of the file's own may run, and nothing in it is taken on trust.
void distrust(const Database& database) {
  sqlite3* handle = database.handle();
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kLongestValueBytes);
  sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0);
  static_cast<void>(database.execute("PRAGMA cell_size_check = ON"));
  static_cast<void>(database.execute("PRAGMA mmap_size = 0"));
}

Result<std::int64_t> pragma(const Database& database, const char* query) {
  Statement statement(database, query);
  if (!statement.valid() || statement.step() != SQLITE_ROW) {
    return fail(ErrorKind::kUsage, "{}: cannot be read: {}", database.shown(), database.failure());
  }
  return statement.integer(0);
}

Status check_identity(RunFile& file) {
  const std::string path = file.database.shown();
  const auto application = pragma(file.database, "PRAGMA application_id");
  if (!application) return fail(application.error());
  if (*application != kApplicationId) {
    return fail(ErrorKind::kUsage,
                "{}: is an SQLite database but no run file (application id {:#x}, not {:#x})", path,
                *application, kApplicationId);
  }
  const auto version = pragma(file.database, "PRAGMA user_version");
  if (!version) return fail(version.error());
  if (*version > kSchemaVersion) {
    return fail(ErrorKind::kUsage,
                "{}: was written by a newer Headroom: schema {}, this one reads up to {}", path,
                *version, kSchemaVersion);
  }
  if (*version < 1) {
    return fail(ErrorKind::kUsage, "{}: has schema version {}, which never existed", path,
                *version);
  }
  file.schema_version = static_cast<int>(*version);
  auto schema = check_schema(file.database);
  if (!schema) return fail(schema.error());
  file.schema = std::move(*schema);
  return {};
}

Result<RunFile> open_at(const std::filesystem::path& where, const std::filesystem::path& shown,
                        int flags) {
  auto database = Database::open(where, flags, shown);
  if (!database) return fail(database.error());
  distrust(*database);
  RunFile file{std::move(*database), 0, {}};
  // One transaction for all that is read: it is one moment's content.
  static_cast<void>(file.database.execute("BEGIN"));
  if (Status known = check_identity(file); !known) return fail(known.error());
  return file;
}

}  // namespace

std::filesystem::path beside(const std::filesystem::path& path, std::string_view suffix) {
  std::filesystem::path result = path;
  result += suffix;
  return result;
}

Result<RunFile> open_run_file(const std::filesystem::path& path) {
  const auto real = real_path(path);
  if (!real) return fail(real.error());
  for (int attempt = 0; attempt < kCopyAttempts; ++attempt) {
    const auto alone = stands_alone(*real, path);
    if (!alone) return fail(alone.error());
    if (*alone) return open_at(*real, path, SQLITE_OPEN_READONLY);
    auto directory = TempDir::create("headroom-read");
    if (!directory) return fail(ErrorKind::kUsage, "{}", directory.error().message);
    const std::filesystem::path copy = directory->path() / "copy.run";
    const auto consistent = copy_once(*real, copy);
    if (!consistent) return fail(consistent.error());
    if (*consistent) return open_at(copy, path, SQLITE_OPEN_READWRITE);
  }
  return fail(ErrorKind::kIncomplete, "{}: changed too quickly to be read; try again",
              path.string());
}

}  // namespace headroom::store
