#include "store/typed_row.h"

#include <cmath>

namespace headroom::store {

std::int64_t TypedRow::integer(int column, std::int64_t least, std::int64_t most) {
  if (row_.type(column) != SQLITE_INTEGER) {
    complain(column, "holds no integer");
    return least;
  }
  const std::int64_t value = row_.integer(column);
  if (value < least || value > most) {
    complain(column, fmt::format("holds {}, outside {} to {}", value, least, most));
    return least;
  }
  return value;
}

double TypedRow::real(int column) {
  if (row_.type(column) != SQLITE_FLOAT) {
    complain(column, "holds no number");
    return 0;
  }
  return row_.real(column);
}

std::string TypedRow::text(int column) {
  if (row_.type(column) != SQLITE_TEXT) {
    complain(column, "holds no text");
    return {};
  }
  return std::string(row_.text(column));
}

std::string_view TypedRow::blob(int column) {
  if (row_.type(column) != SQLITE_BLOB) {
    complain(column, "holds no blob");
    return {};
  }
  return row_.blob(column);
}

void TypedRow::complain(int column, std::string_view what) {
  if (!problem_.empty()) return;
  problem_ = fmt::format("column {} {}", row_.column_name(column), what);
}

}  // namespace headroom::store
