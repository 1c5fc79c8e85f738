#include "scenario/load_contradictions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/units.h"
#include "scenario/command_line.h"
#include "scenario/loads.h"

namespace headroom::scenario {
namespace {

// What windows and loads are called that have no name of their own.
constexpr std::array<std::string_view, 3> kTakenNames = {"all", "main", "measure"};

class LoadFinder {
 public:
  LoadFinder(const Scenario& scenario, const PlaceOf& place_of)
      : scenario_(scenario), place_of_(place_of) {}

  std::vector<std::string> find() && {
    names();
    tenants();
    commands();
    for (row_ = 0; row_ < scenario_.stages.size(); ++row_) stage(scenario_.stages[row_]);
    if (lines_.empty()) overlaps();
    if (lines_.empty()) connections();
    return std::move(lines_);
  }

 private:
  template <class... Args>
  void wrong(std::string_view key, fmt::format_string<Args...> format, Args&&... args) {
    lines_.push_back(
        fmt::format("{}: {}", place_of_(key), fmt::format(format, std::forward<Args>(args)...)));
  }
  // Of the present stage.
  template <class... Args>
  void wrong_here(std::string_view option, fmt::format_string<Args...> format, Args&&... args) {
    wrong(fmt::format("stage.{}.{}", row_, option), format, std::forward<Args>(args)...);
  }

  void name(const std::string& key, const std::string& name, std::set<std::string>& others) {
    if (name.empty())
      wrong(key, "is not given; write what its numbers are to be shown under");
    else if (std::ranges::find(kTakenNames, name) != kTakenNames.end())
      wrong(key, "\"{}\" is what something else is called; give another", name);
    else if (!others.insert(name).second)
      wrong(key, "\"{}\" is the name of two; give another", name);
  }

  // Loads are shown under the names of tenants and, those that fill, of stages.
  void names() {
    std::set<std::string> names;
    for (std::size_t i = 0; i < scenario_.tenants.size(); ++i)
      name(fmt::format("tenant.{}.name", i), scenario_.tenants[i].name, names);
    for (std::size_t i = 0; i < scenario_.stages.size(); ++i)
      name(fmt::format("stage.{}.name", i), scenario_.stages[i].name, names);
  }

  [[nodiscard]] bool has_tenant(const std::string& name) const {
    return std::ranges::find(scenario_.tenants, name, &Tenant::name) != scenario_.tenants.end();
  }

  [[nodiscard]] std::string tenants_text() const {
    if (scenario_.tenants.empty()) return "there is no [[tenant]]";
    std::string text;
    for (const Tenant& tenant : scenario_.tenants)
      text += fmt::format("{}{}", text.empty() ? "there are " : ", ", tenant.name);
    return text;
  }

  void tenants() {
    if (!scenario_.tenants.empty() && scenario_.load.requests) {
      wrong("load.requests",
            "means nothing beside [[tenant]]: its loads end together; give timing.measure instead");
    }
    for (std::size_t i = 0; i < scenario_.tenants.size(); ++i) {
      const Tenant& tenant = scenario_.tenants[i];
      const auto key = [i](std::string_view option) {
        return fmt::format("tenant.{}.{}", i, option);
      };
      const bool has_ratio = tenant.workload.set_weight + tenant.workload.get_weight > 0;
      const bool has_commands = !tenant.workload.commands.empty();
      if (!has_ratio && !has_commands && !scenario_.workload.replays()) {
        wrong(key("ratio"),
              "is not given, and no [[workload.command]] is this tenant's; give one of them");
      }
      if (has_ratio && has_commands)
        wrong(key("ratio"), "means nothing beside the tenant's commands; give one of them");
      if (has_commands && tenant.workload.verify)
        wrong(key("verify"), "is for SET and GET of ratio; leave it out or the commands");
      if (!tenant.keys_of.empty()) keys_of(i, tenant);
    }
  }

  void keys_of(std::size_t row, const Tenant& tenant) {
    const auto end = scenario_.tenants.begin() + static_cast<std::ptrdiff_t>(row);
    const auto owner = std::find_if(scenario_.tenants.begin(), end, [&](const Tenant& other) {
      return other.name == tenant.keys_of;
    });
    const std::string key = fmt::format("tenant.{}.keys_of", row);
    if (owner == end) {
      wrong(key, "no tenant before this one is called \"{}\"; give the name of one",
            tenant.keys_of);
    } else if (owner->workload.key_space != KeyOwnership::kShared ||
               tenant.workload.key_space != KeyOwnership::kShared) {
      wrong(key, "\"{}\" and \"{}\" need key_space = \"shared\", both of them", tenant.keys_of,
            tenant.name);
    } else if (tenant.workload.prefill) {
      wrong(key, "\"{}\" prefills the keys; give prefill = false here", tenant.keys_of);
    }
  }

  void commands() {
    const auto& rows = scenario_.workload.commands;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].tenant.empty() || has_tenant(rows[i].tenant)) continue;
      wrong(fmt::format("workload.command.{}.tenant", i), "no tenant is called \"{}\"; {}",
            rows[i].tenant, tenants_text());
    }
    const auto is_dead = [](const std::vector<WeightedCommand>& commands) {
      return !commands.empty() && std::ranges::all_of(commands, [](const WeightedCommand& command) {
        return command.weight == 0;
      });
    };
    if (scenario_.tenants.empty() && is_dead(rows))
      wrong("workload.command.0.weight", "no command has a weight above 0; give one of them");
    for (const Tenant& tenant : scenario_.tenants) {
      if (is_dead(tenant.workload.commands))
        wrong("workload.command.0.weight", "no command of \"{}\" has a weight above 0; give one",
              tenant.name);
    }
  }

  // The present stage by itself.
  void stage(const Stage& stage) {
    time(stage);
    if (scenario_.load.requests && row_ == 0) {
      wrong("load.requests", "stages need a measure of known length; give timing.measure instead");
    }
    if (!stage.tenant.empty() && !has_tenant(stage.tenant)) {
      wrong_here("tenant", "no tenant is called \"{}\"; {}", stage.tenant, tenants_text());
      return;
    }
    const bool absolute = stage.rate && std::holds_alternative<Rate>(*stage.rate);
    if (absolute && stage.tenant.empty() && scenario_.tenants.size() > 1) {
      wrong_here("rate", "each of {} tenants would have it; give stage.tenant, or a factor",
                 scenario_.tenants.size());
    }
    if (stage.fill_value_size) fill_value_size(*stage.fill_value_size);
    if (scenario_.tenants.empty()) changes(stage, scenario_.workload, scenario_.load, "");
    for (const Tenant& tenant : scenario_.tenants) {
      if (stage.tenant.empty() || stage.tenant == tenant.name)
        changes(stage, tenant.workload, tenant.load, fmt::format(" of \"{}\"", tenant.name));
    }
  }

  void time(const Stage& stage) {
    const Nanos measure = scenario_.timing.measure;
    if (!stage.at) {
      wrong_here("at", "is not given; write when the stage begins, such as \"30m\"");
    } else if (*stage.at >= measure) {
      wrong_here("at", "{} is not before the end of timing.measure ({}); give less",
                 print_duration(*stage.at), print_duration(measure));
    } else if (stage.length && *stage.at + *stage.length > measure) {
      wrong_here("for", "it would end {} after timing.measure does ({}); give at most {}",
                 print_duration(*stage.at + *stage.length - measure), print_duration(measure),
                 print_duration(measure - *stage.at));
    } else if (stage.repeat_every && *stage.repeat_every < *stage.length) {
      wrong_here("repeat_every", "{} is less than the stage lasts ({}); give at least that",
                 print_duration(*stage.repeat_every), print_duration(*stage.length));
    } else if (row_ > 0 && scenario_.stages[row_ - 1].at.value_or(Nanos{0}) > *stage.at) {
      wrong_here("at", "{} is before the stage above it begins ({}); sort the stages by time",
                 print_duration(*stage.at), print_duration(*scenario_.stages[row_ - 1].at));
    }
  }

  void fill_value_size(const ValueSize& size) {
    const auto* range = std::get_if<SizeRange>(&size);
    if (range != nullptr && range->lowest_bytes > range->highest_bytes) {
      wrong_here("fill_value_size", "the range goes down from {} to {}; write the smaller first",
                 print_bytes(range->lowest_bytes), print_bytes(range->highest_bytes));
    }
  }

  // What the present stage changes of one load; `whose` says of which.
  void changes(const Stage& stage, const Workload& workload, const Load& load,
               const std::string& whose) {
    if (stage.rate && !load.rate) {
      wrong_here("rate", "the load{} is a closed loop, which has none; give load.rate", whose);
    }
    if (stage.think_time && load.rate) {
      wrong_here("think_time", "the load{} has a rate, which alone says when requests are due",
                 whose);
    }
    if (!stage.mix) return;
    std::set<std::string> known;
    std::string list;
    // Without what [[workload.command]] has that cannot be read: that is said elsewhere.
    for (const WeightedCommand& command : workload.commands)
      if (!read_command_line(command.text)) return;
    for (const Operation& operation : operations_of(workload)) {
      if (operation.fills) continue;  // it follows a miss, and is never drawn
      known.insert(operation.name);
      list += fmt::format("{}{}", list.empty() ? "" : ", ", operation.name);
    }
    for (const Mix::Entry& entry : stage.mix->entries) {
      if (!known.contains(entry.operation))
        wrong_here("mix", "the workload{} has no operation \"{}\"; it has {}", whose,
                   entry.operation, list);
    }
  }

  void overlaps() {
    const std::vector<StageTurn> turns = stage_turns(scenario_);
    for (std::size_t i = 1; i < turns.size(); ++i) {
      const StageTurn& before = turns[i - 1];
      const StageTurn& turn = turns[i];
      if (before.end <= turn.begin) continue;
      row_ = static_cast<std::size_t>(turn.stage - scenario_.stages.data());
      wrong_here("at",
                 "\"{}\" begins at {}, before \"{}\" ends ({}); leave one of them out, or "
                 "make the earlier one shorter",
                 turn.name, print_duration(turn.begin), before.name, print_duration(before.end));
      return;
    }
    if (turns.size() >= kMostStageTurns)
      wrong("stage.0.repeat_every", "the stages come {} times or more; give longer distances",
            grouped(kMostStageTurns));
  }

  // A TCP connection is told apart from others to the same server by its client's address and port.
  void connections() {
    constexpr std::uint64_t kMost = 65'535;
    if (scenario_.tenants.empty() && scenario_.stages.empty()) return;  // said of load.connections
    std::uint64_t all = 0;
    for (const NamedLoad& load : loads_of(scenario_))
      all +=
          std::uint64_t{load.load.workers} * (load.load.connections + load.load.idle_connections);
    if (all > kMost) {
      wrong("load.connections", "all loads and stages together need {}; at most {} are possible",
            grouped(all), grouped(kMost));
    }
  }

  const Scenario& scenario_;
  const PlaceOf& place_of_;
  std::size_t row_ = 0;  // of the present stage
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> find_load_contradictions(const Scenario& scenario,
                                                  const PlaceOf& place_of) {
  return LoadFinder(scenario, place_of).find();
}

}  // namespace headroom::scenario
