// Where a run that is rendered came from. Filled in by the caller: only `store` opens run files.
#pragma once

#include <string>

namespace headroom::report {

enum class Seal {
  kSealed,      // sealed, and the content still has its digest
  kTampered,    // sealed, but the content is not what was sealed
  kIncomplete,  // never sealed
  kNotChecked,  // not verified by the caller
  kRunning,     // the run still goes
};

struct Source {
  std::string file;  // path, for people; may be empty
  Seal seal = Seal::kNotChecked;
  std::string digest;  // hex SHA-256 of a sealed file, else empty
};

}  // namespace headroom::report
