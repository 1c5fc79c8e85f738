// Reads the rows of a table that may be hostile. Internal to store.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/sqlite.h"

namespace headroom::store {

// A damaged tree of pages can show the same page again and again. No honest file holds more rows
// than bytes, nor more bytes of text and blobs than bytes, so reading stops there, and what a file
// can make us do and keep is bounded by its size.
class BoundedRows {
 public:
  explicit BoundedRows(const Database& database);

  // Calls `visit` for each row, with a statement that stands on it; stops at the first error, which
  // names file and table.
  [[nodiscard]] Status each(std::string_view table, std::string_view query,
                            const std::function<Status(const Statement&)>& visit);

 private:
  const Database& database_;
  std::int64_t budget_;  // rows and bytes that may still be read
};

}  // namespace headroom::store
