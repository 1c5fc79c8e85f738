// The loads of a run: one of [workload] and [load], or one for each [[tenant]], and one for each
// stage that fills; and the windows that the stages make of `measure`. Pure; what is not about
// several loads or stages sees the one load that there then is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "scenario/operations.h"
#include "scenario/scenario.h"

namespace headroom::scenario {

// What a stage changes for one load. Times are since measure began.
struct StageChange {
  Nanos begin{0};
  Nanos end{0};
  std::optional<StageRate> rate;
  std::optional<ConnectionsInUse> connections;
  std::optional<ThinkTime> think_time;
  std::optional<Mix> mix;
  friend bool operator==(const StageChange&, const StageChange&) = default;
};

// One load of a run. Workers and operations of a run are numbered through all of its loads.
struct NamedLoad {
  std::string name;  // of its tenant, or of the stage that it fills in; empty: the only one
  // What its random streams and the texts of its keys are derived from.
  std::uint64_t seed = 0;
  std::uint64_t key_seed = 0;          // another tenant's where it works in that one's key space
  std::optional<std::size_t> keys_of;  // the load whose key space it works in; absent: its own
  Workload workload;
  Load load;                             // `connections` are those that are opened
  std::uint32_t connections_in_use = 0;  // of them, outside of stages that say otherwise
  std::vector<StageChange> stages;       // by time; they do not overlap
  bool fills = false;                    // a stage's fill task
  std::uint32_t first_worker = 0;
  std::size_t first_operation = 0;
  std::size_t operations = 0;  // how many it has

  // What may be in flight outside of stages.
  [[nodiscard]] std::uint64_t slots() const {
    return std::uint64_t{load.workers} * connections_in_use * load.pipeline;
  }
  // Do its requests have intended times: of a rate, or of the trace that it replays?
  [[nodiscard]] bool has_schedule() const {
    return load.rate || (workload.replays() && workload.trace.timing != TraceTiming::kFast);
  }
};

// Of a valid scenario, in the order of their workers; never empty.
[[nodiscard]] std::vector<NamedLoad> loads_of(const Scenario& scenario);
// "main" for the load without a name.
[[nodiscard]] std::string display_name(const NamedLoad& load);
// Do the requests of all loads have intended times?
[[nodiscard]] bool is_open_loop(const Scenario& scenario);
// Workers of all loads.
[[nodiscard]] std::uint32_t worker_count(const Scenario& scenario);

// How many key spaces are sized from the node's memory, an equal part of it each; 1 at least.
[[nodiscard]] std::uint64_t auto_key_spaces(const Scenario& scenario);

// All operations of a run, in the order of record::LatencyKey::operation, under the names that they
// have there: "GET"; of a load with a name "web/GET".
[[nodiscard]] std::vector<Operation> run_operations(const Scenario& scenario);

// A part of `measure`, in time since it began: a stage, or what lies before, between and behind
// stages. Without stages there are none; with any they are all of `measure`, without gaps.
struct StageWindow {
  std::string name;  // "fill"; of a stage that repeats "burst-1"; "before fill", "after burst-2"
  Nanos begin{0};
  Nanos end{0};
  bool is_stage = false;
  friend bool operator==(const StageWindow&, const StageWindow&) = default;
};
[[nodiscard]] std::vector<StageWindow> stage_windows(const Scenario& scenario);

// A stage as often as it comes, by time. What it needs to be valid need not be (at, overlaps).
struct StageTurn {
  const Stage* stage = nullptr;  // of the scenario
  std::string name;
  Nanos begin{0};
  Nanos end{0};
};
[[nodiscard]] std::vector<StageTurn> stage_turns(const Scenario& scenario);
// More turns than these are not made.
inline constexpr std::size_t kMostStageTurns = 1000;

// The scenario as one of its tenants alone would have it: that one's workload and load.
[[nodiscard]] Scenario as_tenant(const Scenario& scenario, std::size_t tenant);

// Gives each tenant the commands of [[workload.command]] that it sends.
void share_out_commands(Scenario& scenario);

}  // namespace headroom::scenario
