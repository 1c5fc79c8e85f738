#include "report/group.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "analysis/arm.h"
#include "analysis/prose.h"
#include "analysis/series.h"
#include "base/check.h"
#include "base/text.h"
#include "report/format.h"
#include "report/head.h"
#include "stats/sample.h"

namespace headroom::report {
namespace {

using analysis::Figure;
using analysis::ObservedRun;
using analysis::Second;

constexpr std::array<GroupLineInfo, kGroupLines> kLines = {{
    {GroupLine::kThroughput, "throughput_per_s", "throughput", "completed requests per second"},
    {GroupLine::kP99, "p99_ns", "p99",
     "of the completed requests of each second; response in open loop"},
    {GroupLine::kMemoryUsed, "memory_used_ratio", "memory used", "share of maxmemory"},
    {GroupLine::kEvictions, "evictions_per_s", "evictions", "keys per second"},
    {GroupLine::kHitRatio, "hit_ratio", "hit ratio", "of the replies to reads"},
}};

std::optional<double> hit_ratio(const Second& second) {
  std::uint64_t hits = 0;
  std::uint64_t looked_up = 0;
  for (const record::OperationCounts& counts : second.counts) {
    hits += counts.of(record::Outcome::kHit);
    looked_up += counts.of(record::Outcome::kHit) + counts.of(record::Outcome::kMiss);
  }
  if (looked_up == 0) return std::nullopt;
  return static_cast<double>(hits) / static_cast<double>(looked_up);
}

std::optional<double> value_of(const Second& second, GroupLine line) {
  switch (line) {
    case GroupLine::kThroughput:
      return second.throughput_per_s;
    case GroupLine::kP99: {
      const auto& p99 = second.response ? second.response->p99 : second.all.p99;
      if (!p99) return std::nullopt;
      return static_cast<double>(p99->count());
    }
    case GroupLine::kMemoryUsed:
      return second.memory_used_ratio;
    case GroupLine::kEvictions:
      return second.evictions_per_s;
    case GroupLine::kHitRatio:
      return hit_ratio(second);
  }
  return std::nullopt;
}

void add_lines(GroupMember& member, const record::Run& run, const analysis::Window& window) {
  for (const Second& second : analysis::per_second(run)) {
    const record::Interval& interval = second.interval;
    // The rate of a part of a second is not comparable with the others.
    if (interval.phase != record::Phase::kMeasure || interval.begin < window.begin ||
        interval.end > window.end || interval.end - interval.begin < record::kIntervalLength)
      continue;
    const auto at =
        static_cast<std::size_t>((interval.begin - window.begin) / record::kIntervalLength);
    for (const GroupLineInfo& info : kLines) {
      GroupValues& values = member.lines.at(static_cast<std::size_t>(info.line));
      values.resize(std::max(values.size(), at + 1));
      values[at] = value_of(second, info.line);
    }
  }
}

GroupFigure figure_over(const std::vector<GroupMember>& members, const analysis::FigureInfo& info) {
  GroupFigure figure{std::string(info.key),
                     std::string(info.label),
                     std::string(info.meaning),
                     {},
                     {},
                     info.figure};
  for (const GroupMember& member : members) {
    const auto found = member.observed.figures.find(info.figure);
    figure.values.push_back(found == member.observed.figures.end() ? std::nullopt
                                                                   : std::optional(found->second));
  }
  return figure;
}

GroupFigure response_over(const std::vector<GroupMember>& members, const std::string& name,
                          Figure written_as, std::optional<Nanos> GroupMember::* which) {
  GroupFigure figure{"response_" + name + "_ns",
                     "response " + name,
                     "the same from the time for which a request was intended",
                     {},
                     {},
                     written_as};
  for (const GroupMember& member : members) {
    const auto& value = member.*which;
    figure.values.push_back(value ? std::optional(static_cast<double>(value->count()))
                                  : std::nullopt);
  }
  return figure;
}

std::vector<GroupFigure> figures_of(const std::vector<GroupMember>& members) {
  std::vector<GroupFigure> figures;
  for (const analysis::FigureInfo& info : analysis::figure_catalogue())
    figures.push_back(figure_over(members, info));
  figures.push_back(response_over(members, "p50", Figure::kLatencyP50, &GroupMember::response_p50));
  figures.push_back(response_over(members, "p99", Figure::kLatencyP99, &GroupMember::response_p99));
  figures.push_back(
      response_over(members, "p99.9", Figure::kLatencyP999, &GroupMember::response_p999));
  std::erase_if(figures, [](const GroupFigure& figure) {
    return std::ranges::none_of(figure.values, [](const auto& value) { return value.has_value(); });
  });
  for (GroupFigure& figure : figures) {
    if (figure.key == "response_p99.9_ns") figure.key = "response_p999_ns";
    std::vector<double> known;
    for (const auto& value : figure.values) {
      if (value) known.push_back(*value);
    }
    figure.spread = analysis::spread_of(std::move(known));
  }
  return figures;
}

// What the runs say of a key, if they say one and the same; else the difference is noted.
void agree(Group& group, const std::string& key, std::vector<std::optional<std::string>> values) {
  const auto known = [](const auto& value) { return value.has_value(); };
  if (std::ranges::none_of(values, known)) return;
  const bool same =
      std::ranges::all_of(values, [&](const auto& value) { return value == values[0]; });
  if (same)
    group.agreed.emplace_back(key, *values[0]);
  else
    group.differences.push_back({key, std::move(values)});
}

template <class Read>
std::vector<std::optional<std::string>> of_every(const std::vector<GroupMember>& members,
                                                 Read read) {
  std::vector<std::optional<std::string>> values;
  for (const GroupMember& member : members) values.push_back(read(member));
  return values;
}

void compare_members(Group& group) {
  using Text = std::optional<std::string>;
  const auto& members = group.members;
  agree(group, "regime", of_every(members, [](const GroupMember& member) {
          const auto& regime = member.observed.regime;
          return regime ? Text(analysis::regime_name(*regime)) : Text();
        }));
  agree(group, "limiter", of_every(members, [](const GroupMember& member) {
          const auto& limiter = member.observed.limiter;
          return limiter ? Text(analysis::limiter_name(*limiter)) : Text();
        }));
  agree(group, "state",
        of_every(members, [](const GroupMember& member) { return Text(member.state); }));
  std::set<std::string> keys;
  for (const GroupMember& member : members) {
    for (const auto& [key, value] : member.observed.settings) {
      if (analysis::role_of(key) != analysis::Role::kIgnored) keys.insert(key);
    }
  }
  for (const std::string& key : keys) {
    agree(group, key, of_every(members, [&](const GroupMember& member) {
            const auto found = member.observed.settings.find(key);
            return found == member.observed.settings.end() ? Text() : Text(found->second);
          }));
  }
}

std::optional<std::string> agreed_on(const Group& group, std::string_view key) {
  for (const auto& [name, value] : group.agreed) {
    if (name == key) return value;
  }
  return std::nullopt;
}

}  // namespace

const std::array<GroupLineInfo, kGroupLines>& group_line_catalogue() { return kLines; }

GroupMember member_of(const record::Run& run, const analysis::Summary& summary,
                      const Source& source) {
  std::optional<bool> intact;
  if (source.seal == Seal::kSealed || source.seal == Seal::kTampered)
    intact = source.seal == Seal::kSealed;
  GroupMember member;
  member.observed = analysis::observe(
      run, summary, printable(std::filesystem::path(source.file).filename().string(), 80), intact);
  member.file = printable(source.file, 1000);
  member.scenario = printable(run.header.scenario.name);
  member.target = target_text(run);
  member.load = load_text(run.header.scenario);
  member.state = record::run_end_name(run.end);
  if (!summary.measured_anything()) return member;
  member.open_loop = summary.schedule.has_value();
  for (const analysis::LatencySummary& row : summary.measure.latencies) {
    if (row.operation != "all" || row.kind != record::LatencyKind::kResponse) continue;
    member.response_p50 = row.p50;
    member.response_p99 = row.p99;
    member.response_p999 = row.p999;
  }
  add_lines(member, run, summary.measure.window);
  return member;
}

std::string GroupFigure::text(std::optional<double> value) const {
  return value ? analysis::figure_text(written_as, *value) : kNotAvailable;
}

Group make_group(std::vector<GroupMember> members) {
  check(members.size() > 1, "a group has several runs");
  Group group;
  group.members = std::move(members);
  group.figures = figures_of(group.members);
  compare_members(group);
  std::vector<analysis::Arm> arm(1);
  arm[0].name = "group";
  for (const GroupMember& member : group.members) arm[0].runs.push_back(member.observed);
  group.contract = analysis::check_contract(arm, {});
  return group;
}

std::string group_headline(const Group& group) {
  const std::string runs = analysis::counted(group.members.size(), "run");
  const auto regime = agreed_on(group, "regime");
  const auto limiter = agreed_on(group, "limiter");
  if (regime && limiter == analysis::limiter_name(analysis::Limiter::kUnclear))
    return fmt::format("{} agree: {}; what limited them is unclear", runs, *regime);
  if (regime && limiter) return fmt::format("{} agree: {}, limited by {}", runs, *regime, *limiter);
  if (regime) return fmt::format("{} agree on {}, not on what limited them", runs, *regime);
  if (limiter) return fmt::format("{} do not agree on their regime", runs);
  return fmt::format("{} agree neither on their regime nor on what limited them", runs);
}

Tone group_tone(const Group& group) {
  switch (group.contract.standing) {
    case analysis::Standing::kInvalid:
      return Tone::kBad;
    case analysis::Standing::kConditional:
      return Tone::kCaution;
    case analysis::Standing::kComparable:
      break;
  }
  return agreed_on(group, "regime") && agreed_on(group, "limiter") ? Tone::kGood : Tone::kCaution;
}

GroupValues median_line(const Group& group, GroupLine line) {
  const auto index = static_cast<std::size_t>(line);
  std::size_t longest = 0;
  for (const GroupMember& member : group.members)
    longest = std::max(longest, member.lines.at(index).size());
  GroupValues median(longest);
  for (std::size_t at = 0; at < longest; ++at) {
    std::vector<double> known;
    for (const GroupMember& member : group.members) {
      const GroupValues& values = member.lines.at(index);
      if (at < values.size() && values[at]) known.push_back(*values[at]);
    }
    if (known.size() * 2 >= group.members.size()) median[at] = stats::median(known);
  }
  return median;
}

}  // namespace headroom::report
