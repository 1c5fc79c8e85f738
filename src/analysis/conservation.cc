#include "analysis/conservation.h"

#include <algorithm>
#include <array>
#include <map>

#include "analysis/metrics.h"
#include "base/text.h"
#include "scenario/loads.h"
#include "scenario/operations.h"

namespace headroom::analysis {
namespace {

using record::MetricSeries;
using record::OperationCounts;
using record::Outcome;

// Without `unsent`, which was never sent.
std::uint64_t ended(const OperationCounts& counts) {
  return counts.total() - counts.of(Outcome::kUnsent);
}

// Sent and not yet ended at each worker's last interval.
std::uint64_t last_in_flight(const record::Run& run) {
  std::map<std::uint32_t, std::uint64_t> last;
  for (const record::WorkerCounts& counts : run.workers)
    last[counts.worker] = counts.health.in_flight;
  std::uint64_t total = 0;
  for (const auto& [worker, in_flight] : last) total += in_flight;
  return total;
}

bool every_worker_adds_up(const record::Run& run) {
  std::map<std::pair<std::uint32_t, std::size_t>, std::pair<std::uint64_t, std::uint64_t>> sums;
  for (const record::WorkerCounts& counts : run.workers) {
    for (std::size_t i = 0; i < counts.counts.size(); ++i) {
      auto& [sent, outcomes] = sums[{counts.worker, i}];
      sent += counts.counts[i].sent;
      outcomes += ended(counts.counts[i]);
    }
  }
  return std::ranges::all_of(
      sums, [](const auto& entry) { return entry.second.first == entry.second.second; });
}

// The time from before the first request to after the last reply.
struct LoadTime {
  Nanos begin{0};
  Nanos end{0};
};

// Growth of a command's counter, its subcommands ("object|freq") included, from the last sample
// before the load to the last of the run. What is absent was never called: commandstats lists only
// what was.
Known<std::uint64_t> growth_over(const record::Run& run, const LoadTime& load,
                                 std::string_view metric, const std::string& command) {
  std::uint64_t growth = 0;
  for (const MetricSeries& series : run.metrics) {
    if (series.metric != metric || !series.node.empty()) continue;
    if (series.label != command && !series.label.starts_with(command + "|")) continue;
    double before = 0;
    double previous = 0;
    for (const record::Point& point : series.points) {
      if (point.value < previous) return unknown("the engine's commandstats went back");
      previous = point.value;
      if (point.time <= load.begin) before = point.value;
    }
    growth += static_cast<std::uint64_t>(previous - before);
  }
  return growth;
}

Known<LoadTime> sampled_load_time(const record::Run& run) {
  if (run.header.scenario.target.kind != scenario::TargetKind::kLocal)
    return unknown("only a local node is known to serve nobody else");
  if (run.intervals.empty()) return unknown("no load was recorded");
  if (std::ranges::any_of(run.intervals, [](const auto& each) { return !each.nodes.empty(); }))
    return unknown("the nodes of a cluster count a request that was sent on more than once");
  LoadTime load{run.intervals.front().interval.begin, run.intervals.back().interval.end};
  bool any = false;
  Nanos first = Nanos::max();
  Nanos last = Nanos::min();
  for (const MetricSeries& series : run.metrics) {
    if (series.metric != "command_calls" || !series.node.empty() || series.points.empty()) continue;
    any = true;
    first = std::min(first, series.points.front().time);
    last = std::max(last, series.points.back().time);
  }
  if (!any) return unknown("the engine's commandstats were not sampled");
  if (first > load.begin) return unknown("commandstats were first sampled after the load began");
  if (last < load.end) return unknown("commandstats were last sampled before the load had ended");
  return load;
}

// Commands that Headroom itself sends while the load runs: the engine's count is not the load's.
bool is_sent_by_headroom(std::string_view command) {
  constexpr std::array kOwn = {"ping", "info",  "config",  "dbsize", "time",
                               "auth", "hello", "slowlog", "latency"};
  return std::ranges::find(kOwn, command) != kOwn.end();
}

// What the operations ask of each of the engine's commands. Of an operation that the scenario does
// not know, the name is the command.
std::vector<Conservation::Command> commands_asked(const record::Run& run,
                                                  std::vector<Conservation::Row>& rows) {
  std::map<std::string, Conservation::Command> asked;
  const auto operations = scenario::run_operations(run.header.scenario);
  for (Conservation::Row& row : rows) {
    const auto known = std::ranges::find(operations, row.operation, &scenario::Operation::name);
    std::vector<std::string> names;
    // Of a trace with many commands, the rare ones have no operation of their own.
    const bool several = run.header.scenario.workload.replays() && row.operation == "other";
    if (several) continue;
    if (known == operations.end()) {
      names.push_back(lower(row.operation));
    } else {
      for (const scenario::CommandWords& words : known->line.commands)
        names.push_back(lower(scenario::verb_of(words)));
    }
    const bool transaction = names.size() > 1;
    for (const std::string& name : names) {
      Conservation::Command& command = asked[name];
      command.name = name;
      command.sent += row.sent;
      // Of a transaction that failed, some commands may not have been executed.
      command.uncertain += row.unanswered + (transaction ? row.failed : 0);
    }
    row.command = transaction ? "" : names.front();
  }
  std::vector<Conservation::Command> commands;
  for (auto& [name, command] : asked) commands.push_back(std::move(command));
  return commands;
}

// Asks the engine about every command; agrees if it does about all.
Known<bool> ask_engine(const record::Run& run, Conservation& conservation) {
  const Known<LoadTime> load = sampled_load_time(run);
  if (!load) return tl::unexpected(load.error());
  bool agrees = true;
  bool any = false;
  for (Conservation::Command& command : conservation.commands) {
    if (command.name.starts_with("eval") || command.name.starts_with("fcall"))
      return unknown("scripts call commands of their own, which the engine counts too");
    if (is_sent_by_headroom(command.name)) continue;
    const auto calls = growth_over(run, *load, "command_calls", command.name);
    if (!calls) return tl::unexpected(calls.error());
    const auto rejected = growth_over(run, *load, "command_rejected", command.name);
    if (!rejected) return tl::unexpected(rejected.error());
    const std::uint64_t seen = *calls + *rejected;
    command.engine_calls = seen;
    any = true;
    agrees &= seen <= command.sent && seen + command.uncertain >= command.sent;
  }
  if (!any) return unknown("Headroom itself sends the same commands");
  return agrees;
}

}  // namespace

std::optional<std::uint64_t> Conservation::engine_calls(const Row& row) const {
  const auto same = [&](const Row& other) { return other.command == row.command; };
  if (row.command.empty() || std::ranges::count_if(rows, same) != 1) return std::nullopt;
  const auto command = std::ranges::find(commands, row.command, &Command::name);
  // More of it were asked for: by a transaction.
  if (command == commands.end() || command->sent != row.sent) return std::nullopt;
  return command->engine_calls;
}

Conservation check_conservation(const record::Run& run, Reasons& reasons) {
  Conservation conservation;
  for (const std::string& operation : run.header.operations)
    conservation.rows.push_back({.operation = operation});
  for (const record::MergedInterval& interval : run.intervals) {
    for (std::size_t i = 0; i < std::min(conservation.rows.size(), interval.counts.size()); ++i) {
      const OperationCounts& counts = interval.counts[i];
      conservation.rows[i].sent += counts.sent;
      conservation.rows[i].outcomes += ended(counts);
      conservation.rows[i].unanswered += counts.of(Outcome::kTimeout) + counts.of(Outcome::kLost);
      conservation.rows[i].failed += counts.of(Outcome::kError) + counts.of(Outcome::kRejected);
    }
  }
  conservation.in_flight = last_in_flight(run);
  conservation.commands = commands_asked(run, conservation.rows);

  if (run.end) {
    conservation.client_adds_up = std::ranges::all_of(conservation.rows,
                                                      [](const Conservation::Row& row) {
                                                        return row.sent == row.outcomes;
                                                      }) &&
                                  every_worker_adds_up(run);
    conservation.engine_agrees =
        value_or_reason(ask_engine(run, conservation), reasons, "conservation.engine_agrees");
  } else {
    // Whoever was killed could not wait for replies: what was under way must make up the
    // difference.
    std::uint64_t sent = 0;
    std::uint64_t outcomes = 0;
    for (const record::WorkerCounts& counts : run.workers) {
      for (const OperationCounts& operation : counts.counts) {
        sent += operation.sent;
        outcomes += ended(operation);
      }
    }
    conservation.client_adds_up = sent == outcomes + conservation.in_flight;
    reasons["conservation.engine_agrees"] = "the run died before the engine's last account";
  }
  return conservation;
}

}  // namespace headroom::analysis
