// One run, from a valid scenario to a sealed run file: brings up the target, the load and the
// telemetry, leads them through the phases, takes everything down, proves it gone, seals the file.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "lab/observer.h"
#include "record/follower.h"
#include "record/run.h"
#include "scenario/scenario.h"

namespace headroom::lab {

struct RunRequest {
  scenario::Scenario scenario;
  std::filesystem::path output;  // empty: runs/<scenario>-<UTC time>.run
  std::string command_line;      // for the record; without secrets
  std::string tool_version;
  record::Follower* follower = nullptr;  // told what is recorded, as it comes; may be null
};

struct RunResult {
  std::filesystem::path file;
  record::RunEnd end = record::RunEnd::kComplete;
  std::optional<Error> failure;   // why the run is not complete
  std::optional<Error> teardown;  // what could not be proved to be gone
  bool sealed = false;            // false: the file stays incomplete (the disk failed)
};

// Needs block_interrupts() to have been called. An Error means that not even the run file could be
// created, or that the target can be known to be wrong before (target::preflight); whatever happens
// later is in the result, and the target has been taken down.
[[nodiscard]] Result<RunResult> conduct_run(const RunRequest& request, Observer& observer);

// Where a run's file goes if the user names none.
[[nodiscard]] std::filesystem::path default_run_path(const std::string& scenario_name,
                                                     WallTime started);

}  // namespace headroom::lab
