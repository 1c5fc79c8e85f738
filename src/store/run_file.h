// Opens a run file for reading, whatever state it is in. Internal to store.
#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.h"
#include "store/schema.h"
#include "store/sqlite.h"

namespace headroom::store {

// A run file as it was at one moment; nobody's writing changes what is read from it.
struct RunFile {
  Database database;
  int schema_version = 0;
  Schema schema;
};

// What SQLite keeps beside a database: its name and "-wal", "-shm" or "-journal".
[[nodiscard]] std::filesystem::path beside(const std::filesystem::path& path,
                                           std::string_view suffix);

// Never changes the file or what lies beside it, and takes no lock that a writer would wait for.
//
// A sealed file is one plain database and is read where it lies. One that is incomplete or still
// being written has a write-ahead log, which SQLite reads only with files of its own beside it; so
// both are copied to a private directory first, again and again until no checkpoint of the writer
// fell between, and are read there. The copies have lost their names before this returns.
//
// Verifies application id, schema version and that the schema is exactly the version's.
[[nodiscard]] Result<RunFile> open_run_file(const std::filesystem::path& path);

}  // namespace headroom::store
