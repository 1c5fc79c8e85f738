// What is in a run file, version by version: the one place where its tables are declared. Internal
// to store; docs/RUN_FILE.md is the reader's account of the same.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/sqlite.h"

namespace headroom::store {

// "HDRM" in the file's header: what `file` and SQLite call the application id.
inline constexpr std::int64_t kApplicationId = 0x4844524D;
// In `user_version`. A change of the tables makes a new version; the old ones stay readable.
inline constexpr int kSchemaVersion = 1;

// One object of the schema, with the exact text that SQLite keeps of it.
struct SchemaObject {
  std::string_view type;  // "table" or "view"
  std::string_view name;
  std::string sql;
  // How the digest orders the rows of a table: its primary key. Empty for views and for the table
  // that holds the digest itself.
  std::string_view order;
};

// The schema of one file. Only the columns of `samples` differ between files of one version: they
// are the metrics that the writer knew.
struct Schema {
  std::vector<std::string> metrics;   // names; index = metrics.metric_id
  std::vector<SchemaObject> objects;  // sorted by name
};

// Makes all tables and views, with the metrics of this build, and fills those whose content does
// not depend on the run (what the stored numbers mean). SQLite's result code.
[[nodiscard]] int create_schema(const Database& database, Schema& schema);

// The schema of a file, if it is exactly one of ours: nothing missing, changed or added, so that no
// statement of ours can run a view, a trigger or an expression that somebody else wrote.
[[nodiscard]] Result<Schema> check_schema(const Database& database);

}  // namespace headroom::store
