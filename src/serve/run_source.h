// A run file read, verified and summed up, for whoever renders it.
#pragma once

#include <filesystem>
#include <string>

#include "analysis/summary.h"
#include "base/result.h"
#include "record/run.h"
#include "report/source.h"

namespace headroom::serve {

struct ReadRun {
  record::Run run;
  analysis::Summary summary;
  report::Source source;
};

// `name` is how pages call the file.
[[nodiscard]] Result<ReadRun> read_summed_up(const std::filesystem::path& path, std::string name);

}  // namespace headroom::serve
