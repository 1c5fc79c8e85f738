// Reads run files: sealed, incomplete, or still being written by another process.
//
// Errors are kUsage, whatever makes the file unreadable: no run file, one of a newer Headroom, a
// damaged one. kIncomplete is only said of a run that still goes and writes too quickly to be read;
// so that nobody takes a damaged file for one that was merely never sealed.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/run.h"

namespace headroom::store {

// What to read of a run. An hour has ten thousand histograms of single seconds; whoever asks about
// whole phases only need not read them.
enum class Detail {
  kEverything,
  // Of a run that completed without the latencies of single seconds (MergedInterval::latencies):
  // those of whole phases (Run::worker_windows) are of the same requests. Others as kEverything.
  kPhases,
};

// The whole run in memory; metrics without a label first, in the catalogue's order. Never changes
// the file, needs no write permission, and takes any content as possibly hostile: whatever does not
// fit the schema is an error that names the file and the table, never a crash.
[[nodiscard]] Result<record::Run> read_run(const std::filesystem::path& path,
                                           Detail detail = Detail::kEverything);

// Calls `visit` for every request of the log (load.request_log), in the order in which they ended,
// with the names of the run's operations; none if there is no log. The log is not held in memory.
using VisitRequest =
    std::function<void(const std::vector<std::string>& operations, const record::RequestRecord&)>;
[[nodiscard]] Status read_request_log(const std::filesystem::path& path, const VisitRequest& visit);

enum class SealState {
  kSealed,      // the digest was recomputed and agrees
  kIncomplete,  // never sealed: the run died or still goes
  kTampered,    // sealed, but the content is not what was sealed
};
struct Verification {
  SealState state = SealState::kIncomplete;
  std::string stored_digest;    // hex SHA-256, empty if none
  std::string computed_digest;  // hex SHA-256
  int schema_version = 0;
};
[[nodiscard]] Result<Verification> verify_run(const std::filesystem::path& path);

}  // namespace headroom::store
