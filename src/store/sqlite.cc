#include "store/sqlite.h"

#include <limits>

#include "base/check.h"

namespace headroom::store {

Result<Database> Database::open(const std::filesystem::path& path, int flags,
                                const std::filesystem::path& shown) {
  // SQLite may be built to take names that begin with "file:" for URIs; an absolute path never
  // does.
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  if (error) return fail(ErrorKind::kUsage, "{}: {}", shown.string(), error.message());
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(absolute.c_str(), &handle, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  Database database(handle, shown);
  if (handle == nullptr) return fail(ErrorKind::kInternal, "{}: out of memory", shown.string());
  sqlite3_extended_result_codes(handle, 1);
  if (code != SQLITE_OK) {
    return fail(ErrorKind::kUsage, "{}: {}", shown.string(), database.failure());
  }
  return database;
}

int Database::execute(const char* sql) const {
  return sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr);
}

std::string Database::failure() const {
  std::string text = sqlite3_errmsg(handle_.get());
  const int primary = sqlite3_errcode(handle_.get()) & 0xff;
  const int system_error = sqlite3_system_errno(handle_.get());
  if (system_error != 0 &&
      (primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN || primary == SQLITE_FULL)) {
    text += fmt::format(" ({})", errno_text(system_error));
  }
  return text;
}

int Database::close() {
  const int code = sqlite3_close(handle_.get());
  if (code == SQLITE_OK) static_cast<void>(handle_.release());
  return code;
}

Statement::Statement(const Database& database, std::string_view sql) {
  sqlite3_stmt* handle = nullptr;
  sqlite3_prepare_v3(database.handle(), sql.data(), static_cast<int>(sql.size()),
                     SQLITE_PREPARE_PERSISTENT, &handle, nullptr);
  handle_.reset(handle);
}

Statement& Statement::bind(int parameter, std::int64_t value) {
  check(sqlite3_bind_int64(handle_.get(), parameter, value) == SQLITE_OK, "bind an integer");
  return *this;
}

Statement& Statement::bind(int parameter, std::uint64_t value) {
  check(value <= std::uint64_t{std::numeric_limits<std::int64_t>::max()},
        "a count beyond 63 bits cannot be stored");
  return bind(parameter, static_cast<std::int64_t>(value));
}

Statement& Statement::bind(int parameter, double value) {
  check(sqlite3_bind_double(handle_.get(), parameter, value) == SQLITE_OK, "bind a number");
  return *this;
}

Statement& Statement::bind(int parameter, std::string_view text) {
  // A null pointer would bind NULL; an empty text is not absent.
  check(sqlite3_bind_text64(handle_.get(), parameter, text.data() == nullptr ? "" : text.data(),
                            text.size(), SQLITE_STATIC, SQLITE_UTF8) == SQLITE_OK,
        "bind a text");
  return *this;
}

Statement& Statement::bind_blob(int parameter, std::string_view bytes) {
  check(sqlite3_bind_blob64(handle_.get(), parameter, bytes.data() == nullptr ? "" : bytes.data(),
                            bytes.size(), SQLITE_STATIC) == SQLITE_OK,
        "bind a blob");
  return *this;
}

int Statement::run() {
  const int code = step();
  reset();
  return code == SQLITE_DONE || code == SQLITE_ROW ? SQLITE_OK : code;
}

std::string_view Statement::text(int column) const {
  // The order matters: asking for the text first makes the number of bytes that of the text.
  const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(handle_.get(), column));
  const int size = sqlite3_column_bytes(handle_.get(), column);
  return data == nullptr ? std::string_view{}
                         : std::string_view(data, static_cast<std::size_t>(size));
}

std::string_view Statement::blob(int column) const {
  const auto* data = static_cast<const char*>(sqlite3_column_blob(handle_.get(), column));
  const int size = sqlite3_column_bytes(handle_.get(), column);
  return data == nullptr ? std::string_view{}
                         : std::string_view(data, static_cast<std::size_t>(size));
}

}  // namespace headroom::store
