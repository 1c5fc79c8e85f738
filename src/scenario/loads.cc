#include "scenario/loads.h"

#include <algorithm>
#include <utility>

#include "base/random.h"

namespace headroom::scenario {
namespace {

// More than any run writes, so that no key of a fill task comes twice.
constexpr std::uint64_t kEndlessKeys = 1'000'000'000'000;
// Coordinates of derived seeds: the loads of tenants, and of fill tasks.
constexpr std::uint64_t kTenantSeeds = 1;
constexpr std::uint64_t kFillSeeds = 2;

std::vector<StageChange> changes_for(const std::vector<StageTurn>& turns,
                                     const std::string& tenant) {
  std::vector<StageChange> changes;
  for (const StageTurn& turn : turns) {
    const Stage& stage = *turn.stage;
    if (!stage.tenant.empty() && stage.tenant != tenant) continue;
    changes.push_back(
        {turn.begin, turn.end, stage.rate, stage.connections, stage.think_time, stage.mix});
  }
  return changes;
}

NamedLoad make_load(std::string name, Workload workload, Load load,
                    std::vector<StageChange> stages) {
  NamedLoad made;
  made.name = std::move(name);
  made.workload = std::move(workload);
  made.load = std::move(load);
  made.stages = std::move(stages);
  made.connections_in_use = made.load.connections;
  for (const StageChange& change : made.stages) {
    if (!change.connections) continue;
    made.load.connections =
        std::max({made.load.connections, change.connections->from, change.connections->to});
  }
  return made;
}

// The load of a stage's fill task, which does nothing outside of the stage's turns.
NamedLoad fill_load(const Scenario& scenario, const Stage& stage,
                    const std::vector<StageTurn>& turns) {
  Workload workload;
  workload.value_size = stage.fill_value_size.value_or(scenario.workload.value_size);
  workload.value_content = scenario.workload.value_content;
  workload.set_weight = 1;
  workload.keys = kEndlessKeys;
  workload.key_distribution = SequentialKeys{};
  Load load = scenario.load;
  load.workers = 1;
  load.connections = stage.fill->connections;
  load.pipeline = 1;
  load.idle_connections = 0;
  load.requests.reset();
  load.think_time.reset();
  load.arrivals = Arrivals::kEven;
  load.rate.reset();
  std::vector<StageChange> changes;
  if (stage.fill->per_s) {
    // Slots enough that the rate alone says what is sent.
    load.connections = 8;
    load.pipeline = 16;
    load.rate = ConstantRate{0};
  }
  for (const StageTurn& turn : turns) {
    if (turn.stage != &stage) continue;
    StageChange change{turn.begin, turn.end, {}, {}, {}, {}};
    if (stage.fill->per_s)
      change.rate = Rate(ConstantRate{*stage.fill->per_s});
    else
      change.connections = ConnectionsInUse{load.connections, load.connections};
    changes.push_back(std::move(change));
  }
  NamedLoad made = make_load(stage.name, std::move(workload), std::move(load), std::move(changes));
  if (!stage.fill->per_s) made.connections_in_use = 0;
  made.fills = true;
  return made;
}

std::vector<NamedLoad> unnumbered_loads(const Scenario& scenario) {
  const std::vector<StageTurn> turns = stage_turns(scenario);
  std::vector<NamedLoad> loads;
  if (scenario.tenants.empty()) {
    loads.push_back(make_load("", scenario.workload, scenario.load, changes_for(turns, "")));
    loads.back().seed = loads.back().key_seed = scenario.seed;
  }
  for (const Tenant& tenant : scenario.tenants) {
    const std::uint64_t seed = derive_seed(scenario.seed, {kTenantSeeds, loads.size()});
    NamedLoad load =
        make_load(tenant.name, tenant.workload, tenant.load, changes_for(turns, tenant.name));
    load.seed = load.key_seed = seed;
    const auto owner = std::ranges::find(loads, tenant.keys_of, &NamedLoad::name);
    if (!tenant.keys_of.empty() && owner != loads.end()) {
      load.key_seed = owner->key_seed;
      load.keys_of = static_cast<std::size_t>(owner - loads.begin());
      load.workload.keys = owner->workload.keys;
    }
    loads.push_back(std::move(load));
  }
  for (std::size_t i = 0; i < scenario.stages.size(); ++i) {
    if (!scenario.stages[i].fill) continue;
    loads.push_back(fill_load(scenario, scenario.stages[i], turns));
    loads.back().seed = loads.back().key_seed = derive_seed(scenario.seed, {kFillSeeds, i});
  }
  return loads;
}

std::string qualified(const NamedLoad& load, const std::string& operation) {
  return load.name.empty() ? operation : load.name + "/" + operation;
}

}  // namespace

std::vector<NamedLoad> loads_of(const Scenario& scenario) {
  std::vector<NamedLoad> loads = unnumbered_loads(scenario);
  std::uint32_t workers = 0;
  std::size_t operations = 0;
  for (NamedLoad& load : loads) {
    load.first_worker = workers;
    load.first_operation = operations;
    load.operations = operations_of(load.workload).size();
    workers += load.load.workers;
    operations += load.operations;
  }
  return loads;
}

std::string display_name(const NamedLoad& load) { return load.name.empty() ? "main" : load.name; }

bool is_open_loop(const Scenario& scenario) {
  return std::ranges::all_of(loads_of(scenario), &NamedLoad::has_schedule);
}

std::uint32_t worker_count(const Scenario& scenario) {
  std::uint32_t workers = scenario.tenants.empty() ? scenario.load.workers : 0;
  for (const Tenant& tenant : scenario.tenants) workers += tenant.load.workers;
  for (const Stage& stage : scenario.stages) workers += stage.fill ? 1 : 0;
  return workers;
}

std::uint64_t auto_key_spaces(const Scenario& scenario) {
  const auto spaces = std::ranges::count_if(scenario.tenants, [](const Tenant& tenant) {
    return !tenant.workload.keys && tenant.keys_of.empty();
  });
  return static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(spaces, 1));
}

std::vector<Operation> run_operations(const Scenario& scenario) {
  std::vector<Operation> all;
  for (const NamedLoad& load : unnumbered_loads(scenario)) {
    for (Operation& operation : operations_of(load.workload)) {
      operation.name = qualified(load, operation.name);
      all.push_back(std::move(operation));
    }
  }
  return all;
}

std::vector<StageTurn> stage_turns(const Scenario& scenario) {
  const Nanos measure = scenario.timing.measure;
  std::vector<StageTurn> turns;
  for (std::size_t i = 0; i < scenario.stages.size(); ++i) {
    const Stage& stage = scenario.stages[i];
    const Nanos at = stage.at.value_or(Nanos{0});
    const bool is_last = i + 1 == scenario.stages.size();
    const Nanos next =
        is_last ? measure : std::min(scenario.stages[i + 1].at.value_or(measure), measure);
    const Nanos length = stage.length.value_or(next - at);
    if (!stage.repeat_every) {
      turns.push_back({&stage, stage.name, at, at + length});
      continue;
    }
    std::size_t number = 0;
    for (Nanos begin = at; begin + length <= measure && turns.size() < kMostStageTurns;
         begin += *stage.repeat_every)
      turns.push_back({&stage, fmt::format("{}-{}", stage.name, ++number), begin, begin + length});
  }
  std::ranges::stable_sort(turns, {}, &StageTurn::begin);
  return turns;
}

std::vector<StageWindow> stage_windows(const Scenario& scenario) {
  std::vector<StageWindow> windows;
  const std::vector<StageTurn> turns = stage_turns(scenario);
  Nanos at{0};
  for (const StageTurn& turn : turns) {
    if (turn.begin > at) {
      const std::string name = windows.empty()
                                   ? fmt::format("before {}", turn.name)
                                   : fmt::format("{} to {}", windows.back().name, turn.name);
      windows.push_back({name, at, turn.begin, false});
    }
    windows.push_back({turn.name, turn.begin, turn.end, true});
    at = turn.end;
  }
  if (!windows.empty() && at < scenario.timing.measure)
    windows.push_back(
        {fmt::format("after {}", windows.back().name), at, scenario.timing.measure, false});
  return windows;
}

Scenario as_tenant(const Scenario& scenario, std::size_t tenant) {
  Scenario alone = scenario;
  alone.tenants.clear();
  alone.workload = scenario.tenants.at(tenant).workload;
  alone.load = scenario.tenants.at(tenant).load;
  return alone;
}

void share_out_commands(Scenario& scenario) {
  const auto& rows = scenario.workload.commands;
  for (Tenant& tenant : scenario.tenants) {
    const auto take = [&](const std::string& owner) {
      for (const WeightedCommand& row : rows)
        if (row.tenant == owner) tenant.workload.commands.push_back(row);
    };
    take(tenant.name);
    const bool has_ratio = tenant.workload.set_weight + tenant.workload.get_weight > 0;
    if (tenant.workload.commands.empty() && !has_ratio) take("");
  }
}

}  // namespace headroom::scenario
