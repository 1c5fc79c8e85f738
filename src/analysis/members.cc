#include "analysis/members.h"

#include <algorithm>
#include <utility>

#include "analysis/metrics.h"
#include "analysis/node.h"

namespace headroom::analysis {
namespace {

// User and system together.
Known<double> cpu_ratio(const record::Run& run, const Window& window, std::string_view node,
                        std::string_view user, std::string_view system) {
  const Known<Growth> user_growth = counter_growth(run, window, user, "", node);
  if (!user_growth) return tl::unexpected(user_growth.error());
  const Known<Growth> system_growth = counter_growth(run, window, system, "", node);
  if (!system_growth) return tl::unexpected(system_growth.error());
  return user_growth->per_second() + system_growth->per_second();
}

template <class Value>
std::optional<Value> known_value(Known<Value> known) {
  return known ? std::optional<Value>(std::move(*known)) : std::nullopt;
}

std::optional<double> link_up_ratio(const record::Run& run, const Window& window,
                                    std::string_view node) {
  const Known<Points> points = points_over(run, window, "MasterLinkHealthStatus", "", node);
  if (!points) return std::nullopt;
  const auto up =
      std::ranges::count_if(*points, [](const record::Point& point) { return point.value > 0; });
  return static_cast<double>(up) / static_cast<double>(points->size());
}

MemberSummary summarize(const record::Run& run, const Window& window,
                        const record::Member& member) {
  const std::string& node = member.name;
  MemberSummary summary;
  summary.member = member;
  if (const auto ratios = memory_used_ratio(run, window, node))
    summary.memory_used_max_ratio = std::ranges::max(*ratios, {}, &record::Point::value).value;
  summary.peak_keys = known_value(gauge_max(run, window, "CurrItems", node));
  const auto growth = [&](std::string_view metric) {
    return counter_growth(run, window, metric, "", node);
  };
  summary.evictions = known_value(growth("Evictions").map(&Growth::value));
  if (const auto commands = growth("total_commands_processed"))
    summary.commands_per_s = commands->per_second();
  summary.engine_cpu_main_thread = known_value(main_thread_cpu(run, window, node));
  summary.engine_cpu_process = known_value(process_cpu(run, window, node));
  summary.rss_max_bytes = known_value(gauge_max(run, window, "process_rss_bytes", node));
  summary.node = summarize_node(run, window, node);
  summary.lag_max_bytes = known_value(gauge_max(run, window, "replication_lag_bytes", node));
  summary.lag_max_seconds = known_value(gauge_max(run, window, "ReplicationLag", node));
  summary.link_up_ratio = link_up_ratio(run, window, node);
  return summary;
}

}  // namespace

Known<double> main_thread_cpu(const record::Run& run, const Window& window, std::string_view node) {
  return cpu_ratio(run, window, node, "used_cpu_user_main_thread_seconds",
                   "used_cpu_sys_main_thread_seconds");
}

Known<double> process_cpu(const record::Run& run, const Window& window, std::string_view node) {
  const Known<double> told =
      cpu_ratio(run, window, node, "used_cpu_user_seconds", "used_cpu_sys_seconds");
  if (told) return told;
  const Known<double> seen =
      cpu_ratio(run, window, node, "process_cpu_user_seconds", "process_cpu_system_seconds");
  return seen ? seen : told;
}

std::vector<MemberSummary> summarize_members(const record::Run& run, const Window& window) {
  std::vector<MemberSummary> members;
  for (const record::Member& member : run.members)
    members.push_back(summarize(run, window, member));
  return members;
}

}  // namespace headroom::analysis
