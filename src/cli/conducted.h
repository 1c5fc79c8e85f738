// What the subcommands that conduct runs have in common.
#pragma once

#include "cli/exit_code.h"
#include "cli/progress_view.h"
#include "lab/run.h"

namespace headroom::cli {

// How a run is drawn while it goes, by what stderr is.
[[nodiscard]] ProgressStyle progress_style(bool quiet);

// What became of a run, worst first: what is left behind counts more than what is missing. What
// went wrong is told on stderr.
[[nodiscard]] ExitCode result_exit_code(const lab::RunResult& result);

}  // namespace headroom::cli
