// The thinnest useful layer over SQLite's C interface: owned handles and typed access. Internal to
// store.
//
// Not thread-safe: a Database and its Statements belong to one thread.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace headroom::store {

// An open database.
class Database {
 public:
  // `flags` as for sqlite3_open_v2. The path is always taken literally, never as a URI. `shown` is
  // what messages call it.
  [[nodiscard]] static Result<Database> open(const std::filesystem::path& path, int flags,
                                             const std::filesystem::path& shown);

  [[nodiscard]] sqlite3* handle() const { return handle_.get(); }
  [[nodiscard]] std::string shown() const { return shown_.string(); }

  // Runs statements that return nothing of interest; the result is SQLite's result code.
  [[nodiscard]] int execute(const char* sql) const;
  // SQLite's words for the last failure, with the operating system's where it was at fault:
  // "disk I/O error (File too large)".
  [[nodiscard]] std::string failure() const;
  // Frees the handle now; SQLite's result code. No Statement may be left.
  int close();

 private:
  struct Closer {
    void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
  };
  Database(sqlite3* handle, std::filesystem::path shown)
      : handle_(handle), shown_(std::move(shown)) {}
  std::unique_ptr<sqlite3, Closer> handle_;
  std::filesystem::path shown_;
};

// One prepared statement, used again and again. An empty one (not prepared) may only be destroyed
// or assigned to.
class Statement {
 public:
  Statement() = default;
  // Failure leaves it invalid; the reason is in database.failure().
  Statement(const Database& database, std::string_view sql);
  [[nodiscard]] bool valid() const { return handle_ != nullptr; }

  // Parameters count from 1. What is bound must stay alive until run() or the last step().
  Statement& bind(int parameter, std::int64_t value);
  Statement& bind(int parameter, std::uint64_t value);  // must fit in 63 bits
  Statement& bind(int parameter, std::uint32_t value) {
    return bind(parameter, std::uint64_t{value});
  }
  Statement& bind(int parameter, int value) { return bind(parameter, std::int64_t{value}); }
  Statement& bind(int parameter, double value);
  Statement& bind(int parameter, std::string_view text);
  Statement& bind_blob(int parameter, std::string_view bytes);

  // Makes every parameter NULL again.
  void clear_bindings() { sqlite3_clear_bindings(handle_.get()); }

  // SQLITE_ROW, SQLITE_DONE or a failure.
  [[nodiscard]] int step() { return sqlite3_step(handle_.get()); }
  void reset() { sqlite3_reset(handle_.get()); }
  // Steps a statement that returns no rows and resets it; SQLITE_OK or a failure.
  [[nodiscard]] int run();

  // Columns count from 0 and are valid until the next step.
  [[nodiscard]] int columns() const { return sqlite3_column_count(handle_.get()); }
  [[nodiscard]] int type(int column) const { return sqlite3_column_type(handle_.get(), column); }
  [[nodiscard]] std::int64_t integer(int column) const {
    return sqlite3_column_int64(handle_.get(), column);
  }
  [[nodiscard]] double real(int column) const {
    return sqlite3_column_double(handle_.get(), column);
  }
  [[nodiscard]] std::string_view text(int column) const;
  [[nodiscard]] std::string_view blob(int column) const;
  [[nodiscard]] const char* column_name(int column) const {
    return sqlite3_column_name(handle_.get(), column);
  }

 private:
  struct Finalizer {
    void operator()(sqlite3_stmt* handle) const { sqlite3_finalize(handle); }
  };
  std::unique_ptr<sqlite3_stmt, Finalizer> handle_;
};

}  // namespace headroom::store
