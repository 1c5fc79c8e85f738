#include "store/bounded_rows.h"

namespace headroom::store {
namespace {

std::int64_t pragma(const Database& database, std::string_view query) {
  Statement statement(database, query);
  return statement.valid() && statement.step() == SQLITE_ROW ? statement.integer(0) : 0;
}

std::int64_t size_of(const Database& database) {
  return pragma(database, "PRAGMA page_count") * pragma(database, "PRAGMA page_size");
}

std::int64_t cost_of(const Statement& row, int columns) {
  std::int64_t cost = 1;
  for (int column = 0; column < columns; ++column) {
    const int type = row.type(column);
    if (type == SQLITE_TEXT || type == SQLITE_BLOB) {
      cost += static_cast<std::int64_t>(row.blob(column).size());
    }
  }
  return cost;
}

}  // namespace

BoundedRows::BoundedRows(const Database& database)
    : database_(database), budget_(size_of(database)) {}

Status BoundedRows::each(std::string_view table, std::string_view query,
                         const std::function<Status(const Statement&)>& visit) {
  const std::string path = database_.shown();
  Statement statement(database_, query);
  int code = statement.valid() ? SQLITE_DONE : SQLITE_ERROR;
  const int columns = statement.valid() ? statement.columns() : 0;
  while (statement.valid() && (code = statement.step()) == SQLITE_ROW) {
    budget_ -= cost_of(statement, columns);
    if (budget_ < 0) {
      return fail(ErrorKind::kUsage,
                  "{}: table {} shows more than the file can hold: it is damaged", path, table);
    }
    if (Status status = visit(statement); !status) return status;
  }
  if (code != SQLITE_DONE) {
    return fail(ErrorKind::kUsage, "{}: table {} cannot be read: {}", path, table,
                database_.failure());
  }
  return {};
}

}  // namespace headroom::store
