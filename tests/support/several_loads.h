// Makes of a run that RunBuilder built one of several loads, or one with stages. Header only.
#pragma once

#include <string>

#include "record/run.h"

namespace headroom::testing {

// The builder's run of three workers, SET and GET, as that of two tenants: "a" has worker 0 and
// writes, "b" has the others, four connections each, and reads.
inline void make_two_tenants(record::Run& run) {
  scenario::Scenario& scenario = run.header.scenario;
  scenario::Tenant a;
  a.name = "a";
  a.workload = scenario.workload;
  a.workload.get_weight = 0;
  a.load = scenario.load;
  a.load.workers = 1;
  scenario::Tenant b = a;
  b.name = "b";
  b.workload.set_weight = 0;
  b.workload.get_weight = 1;
  b.load.workers = 2;
  b.load.connections = 4;
  scenario.tenants = {a, b};
  run.header.operations = {"a/SET", "b/GET"};
  // What the builder counts for each worker, the account of tenants has once.
  for (record::MergedInterval& interval : run.intervals) interval.counts = {{}, {}};
  for (record::WorkerCounts& counts : run.workers) {
    counts.counts[counts.worker == 0 ? 1 : 0] = {};
    for (record::MergedInterval& interval : run.intervals) {
      if (interval.interval != counts.interval) continue;
      for (std::size_t i = 0; i < 2; ++i) interval.counts[i].add(counts.counts[i]);
    }
  }
}

inline void add_stage(record::Run& run, const std::string& name, Nanos at, Nanos length) {
  scenario::Stage stage;
  stage.name = name;
  stage.at = at;
  stage.length = length;
  run.header.scenario.stages.push_back(stage);
}

}  // namespace headroom::testing
