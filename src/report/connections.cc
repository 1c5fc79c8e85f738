// The section about opening connections.
#include "analysis/connections.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "analysis/prose.h"
#include "base/units.h"
#include "report/format.h"
#include "report/sections.h"
#include "report/text.h"

namespace headroom::report {

void add_connections(Page& page, const analysis::Summary& summary) {
  const analysis::ConnectionsSummary& connections = summary.connections;
  if (connections.steps.empty()) return;
  page.section("CONNECTIONS", "whole run: how long each step of opening one took");
  std::vector<std::vector<std::string>> cells = {
      {"", "p50", "p90", "p99", "p99.9", "max", "count"}};
  for (const analysis::ConnectSummary& step : connections.steps) {
    cells.push_back({analysis::connect_label(step.key), latency_text(step.p50),
                     latency_text(step.p90), latency_text(step.p99), latency_text(step.p999),
                     latency_text(step.max), grouped(step.count)});
  }
  page.table(cells);
  std::string counts = fmt::format("{} opened", grouped(connections.opened));
  const auto add = [&](std::uint64_t count, std::string_view what) {
    if (count > 0) counts += fmt::format(", {} {}", grouped(count), what);
  };
  add(connections.renewed, "renewed by plan");
  add(connections.lost, "lost");
  add(connections.refused, "failed to open");
  if (connections.idle.value_or(0) > 0) {
    counts += fmt::format("; {} idle when the window ended", grouped(*connections.idle));
  }
  for (const std::string& line : wrap(counts, Page::kWidth - 2)) page.line("  " + line);
}

}  // namespace headroom::report
