// verify_run() of run_reader.h.
#include "base/text.h"
#include "store/bounded_rows.h"
#include "store/digest.h"
#include "store/run_file.h"
#include "store/run_reader.h"

namespace headroom::store {
namespace {

// The stored digest; empty if the file was never sealed.
Result<std::string> stored_digest(const Database& database) {
  std::string digest;
  BoundedRows rows(database);
  const Status read =
      rows.each("seal", "SELECT algorithm, digest FROM seal", [&](const Statement& row) -> Status {
        if (row.text(0) != kDigestAlgorithm) {
          return fail(ErrorKind::kUsage, "{}: its seal is of an unknown kind: {}", database.shown(),
                      printable(row.text(0), 40));
        }
        digest = printable(row.text(1), 64);
        return {};
      });
  if (!read) return fail(read.error());
  return digest;
}

Result<bool> has_ending(const Database& database) {
  bool found = false;
  BoundedRows rows(database);
  const Status read =
      rows.each("ending", "SELECT run_end FROM ending", [&](const Statement&) -> Status {
        found = true;
        return {};
      });
  if (!read) return fail(read.error());
  return found;
}

}  // namespace

Result<Verification> verify_run(const std::filesystem::path& path) {
  const auto file = open_run_file(path);
  if (!file) return fail(file.error());
  const auto stored = stored_digest(file->database);
  if (!stored) return fail(stored.error());
  const auto ended = has_ending(file->database);
  if (!ended) return fail(ended.error());
  const auto computed = content_digest(file->database, file->schema);
  if (!computed) return fail(computed.error());
  Verification result;
  result.stored_digest = *stored;
  result.computed_digest = *computed;
  result.schema_version = file->schema_version;
  if (stored->empty()) {
    // The ending and the seal are written in one transaction: one without the other was made.
    result.state = *ended ? SealState::kTampered : SealState::kIncomplete;
  } else {
    result.state = *stored == *computed ? SealState::kSealed : SealState::kTampered;
  }
  return result;
}

}  // namespace headroom::store
