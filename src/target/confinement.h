// Whether a local node is held to the CPU of its shape, by what, and, where it is not, why not:
// never silently unconfined.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "record/sink.h"
#include "scenario/node.h"
#include "target/cgroup.h"
#include "target/cpu_governor.h"

namespace headroom::target {

// Of a node without a CPU envelope every member does nothing. One owner thread.
class Confinement {
 public:
  // `clock` and `sink` outlive this; `origin` is the clock time of run time 0.
  Confinement(std::optional<scenario::CpuEnvelope> envelope, const Clock& clock, Nanos origin,
              record::Sink& sink);

  // Makes the group, `name`, in one of `places`. Where that cannot be the sink has a warning, and
  // the fact "node.cpu" says "not enforced" with the reason.
  void prepare(const std::string& name, const std::vector<CpuHierarchy>& places);
  // What the engine has to join before it runs; empty: it runs unconfined.
  [[nodiscard]] std::vector<std::filesystem::path> procs_files() const;
  // The engine could not join, and runs unconfined.
  void give_up(const std::string& reason);
  // The engine is in the group: from here on the account of its credits is kept.
  void begin();
  // CPU and credits now; empty where there is no group. Any thread, between begin() and end().
  [[nodiscard]] std::vector<record::Sample> sample();
  // Once the engine has ended: removes the group.
  [[nodiscard]] Status end();
  // Looks whether the group is gone and leaves a receipt. True also where there never was one.
  [[nodiscard]] bool prove_removed();

 private:
  // Constant after construction.
  const std::optional<scenario::CpuEnvelope> envelope_;
  const Clock& clock_;
  const Nanos origin_;
  record::Sink& sink_;

  std::vector<std::filesystem::path> made_;  // stays when the group goes
  std::optional<CpuGroup> group_;
  std::unique_ptr<CpuGovernor> governor_;  // of group_
};

}  // namespace headroom::target
