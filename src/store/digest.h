// The digest over a run file's content. docs/RUN_FILE.md describes it so that another program can
// recompute it. Internal to store.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "store/schema.h"
#include "store/sqlite.h"

namespace headroom::store {

inline constexpr std::string_view kDigestAlgorithm = "sha256-content-1";

// Hex SHA-256 over the text of the schema and over every row of every table but `seal`, each value
// with its type and length. It depends on what is stored and not on how SQLite lays it out, so that
// VACUUM and another page size leave it as it is, and any other change does not. `schema` is
// what the file has, made by create_schema() or found by check_schema().
[[nodiscard]] Result<std::string> content_digest(const Database& database, const Schema& schema);

}  // namespace headroom::store
