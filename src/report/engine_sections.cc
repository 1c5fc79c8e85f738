// The sections of the nodes of a target of several, and of the engine's own account of its time.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/prose.h"
#include "base/text.h"
#include "base/units.h"
#include "report/format.h"
#include "report/sections.h"
#include "report/text.h"

namespace headroom::report {
namespace {

using analysis::MemberSummary;

// Up to the port, if all have the same; else empty.
std::string common_host(const std::vector<MemberSummary>& members) {
  const auto host_of = [](const MemberSummary& member) {
    return member.member.name.substr(0, member.member.name.rfind(':') + 1);
  };
  const std::string host = host_of(members.front());
  const bool same = std::ranges::all_of(
      members, [&](const MemberSummary& member) { return host_of(member) == host; });
  return same ? host : std::string();
}

// ":6401 primary 2": port, or the whole address; role, and of which shard.
std::string node_label(const record::Member& member, const std::string& host, bool several_shards) {
  const std::string name = host.empty() ? member.name : member.name.substr(host.size() - 1);
  const std::string_view role = record::member_role_name(member.role);
  return several_shards ? fmt::format("{} {} {}", printable(name, 24), role, member.shard)
                        : fmt::format("{} {}", printable(name, 24), role);
}

// "48.9 k": the table has to fit.
std::string short_count(std::optional<double> value, std::string_view unit = "") {
  return value ? fmt::format("{}{}", human_count(*value), unit) : std::string(kNotAvailable);
}

bool is_replica(const MemberSummary& member) {
  return member.member.role == record::MemberRole::kReplica;
}

// What of a replica a number cannot say: "127.0.0.1:6402 had no link to its primary in 12 % of the
// samples".
std::string broken_link(const MemberSummary& member) {
  if (!member.link_up_ratio || *member.link_up_ratio >= 1) return {};
  return fmt::format("{} had no link to its primary in {} of the samples.",
                     printable(member.member.name, 60), percent_text(1 - *member.link_up_ratio));
}

}  // namespace

void add_members(Page& page, const analysis::Summary& summary) {
  if (summary.members.empty()) return;
  const auto& members = summary.members;
  const bool several_shards = std::ranges::any_of(
      members, [](const MemberSummary& member) { return member.member.shard > 1; });
  const bool replicas = std::ranges::any_of(members, is_replica);
  const std::string host = common_host(members);
  page.section("NODE BY NODE", host.empty()
                                   ? analysis::counted(members.size(), "node") + "; window: measure"
                                   : fmt::format("{} on {}; window: measure",
                                                 analysis::counted(members.size(), "node"),
                                                 printable(host.substr(0, host.size() - 1), 40)));
  std::vector<std::string> head = {"", "memory", "keys", "evicted", "commands", "CPU"};
  if (replicas) head.emplace_back("lag, max");
  std::vector<std::vector<std::string>> cells = {head};
  for (const MemberSummary& member : members) {
    std::vector<std::string> row = {node_label(member.member, host, several_shards),
                                    percent_text(member.memory_used_max_ratio),
                                    short_count(member.peak_keys),
                                    short_count(member.evictions),
                                    short_count(member.commands_per_s, "/s"),
                                    percent_text(member.engine_cpu_main_thread)};
    if (replicas)
      row.push_back(is_replica(member) ? bytes_text(member.lag_max_bytes) : std::string("-"));
    cells.push_back(std::move(row));
  }
  page.table(cells);
  for (const MemberSummary& member : members) {
    const std::string broken = broken_link(member);
    for (const std::string& line : wrap(broken, Page::kWidth - 2)) page.line("  " + line);
  }
}

// Only where the engine tells how its calls were spread: the mean alone is in the JSON.
void add_engine_commands(Page& page, const analysis::Summary& summary) {
  const auto told = [](const analysis::EngineCommand& command) {
    return command.p50_at_most.has_value();
  };
  if (std::ranges::none_of(summary.engine_commands, told)) return;
  page.section("ENGINE", "its own time to execute, beside what the clients saw");
  std::vector<std::vector<std::string>> cells = {
      {"", "calls", "mean", "p50 <=", "p99 <=", "client p50", "client p99"}};
  const auto mean = [](std::optional<double> ns) {
    return latency_text(ns ? std::optional(Nanos{std::llround(*ns)}) : std::nullopt);
  };
  for (const analysis::EngineCommand& command : summary.engine_commands) {
    cells.push_back({printable(upper(command.name), 24), grouped(command.calls),
                     mean(command.mean_ns), latency_text(command.p50_at_most),
                     latency_text(command.p99_at_most), latency_text(command.client_p50),
                     latency_text(command.client_p99)});
  }
  page.table(cells);
  page.line(
      "  The engine's buckets double: a quantile is between half of what stands here and it.");
}

}  // namespace headroom::report
