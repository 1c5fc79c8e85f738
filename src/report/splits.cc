// The sections about latency by value size and by popularity, and about the slowest requests.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/latency.h"
#include "analysis/prose.h"
#include "base/text.h"
#include "base/units.h"
#include "report/format.h"
#include "report/sections.h"

namespace headroom::report {
namespace {

constexpr std::size_t kSlowestShown = 5;
constexpr std::size_t kKeyWidth = 30;

// Of each operation one row: what completed, as users felt it.
bool is_shown(const analysis::LatencySummary& row, const std::vector<analysis::LatencySummary>& all,
              record::LatencyKind felt) {
  if (row.kind != felt || row.operation == "all") return false;
  if (row.all_completed) return true;
  const bool merged = std::ranges::any_of(all, [&](const analysis::LatencySummary& other) {
    return other.kind == felt && other.operation == row.operation && other.all_completed;
  });
  return is_completed(row.outcome) && !merged;
}

void add_split(Page& page, const analysis::Summary& summary, record::Split split,
               std::string_view title, std::string_view remark) {
  const auto felt =
      summary.schedule ? record::LatencyKind::kResponse : record::LatencyKind::kService;
  std::vector<std::vector<std::string>> cells = {{"", "p50", "p99", "p99.9", "max", "requests"}};
  for (const analysis::SplitSummary& part : summary.splits) {
    if (part.split != split) continue;
    const std::string label = record::part_label(part.split, part.part);
    for (const analysis::LatencySummary& row : part.latencies) {
      if (!is_shown(row, part.latencies, felt)) continue;
      cells.push_back({fmt::format("{}, {}", printable(row.operation, 24), label),
                       latency_text(row.p50), latency_text(row.p99), latency_text(row.p999),
                       latency_text(row.max), grouped(row.count)});
    }
  }
  if (cells.size() == 1) return;
  std::stable_sort(cells.begin() + 1, cells.end(), [](const auto& a, const auto& b) {
    return a.front().substr(0, a.front().find(", ")) < b.front().substr(0, b.front().find(", "));
  });
  page.section(title, remark);
  page.table(cells);
}

// The middle of a long key says least.
std::string short_key(const std::string& key) {
  if (key.size() <= kKeyWidth) return key;
  constexpr std::size_t kHalf = (kKeyWidth - 3) / 2;
  return printable(key.substr(0, kHalf), kKeyWidth) + "..." +
         printable(key.substr(key.size() - kHalf), kKeyWidth);
}

}  // namespace

void add_splits(Page& page, const analysis::Summary& summary) {
  add_split(page, summary, record::Split::kValueSize, "BY VALUE SIZE",
            "of values that were written or found");
  add_split(page, summary, record::Split::kKeys, "HOT AND COLD KEYS",
            "hot: the fewest that take half of the requests");
}

void add_slowest(Page& page, const record::Run& run, const analysis::Summary& summary) {
  if (run.slowest.empty()) return;
  const bool open = summary.schedule.has_value();
  page.section("SLOWEST REQUESTS",
               fmt::format("{} of {} kept; time from the window's begin",
                           std::min(kSlowestShown, run.slowest.size()), run.slowest.size()));
  std::vector<std::vector<std::string>> cells = {
      {"", "time", open ? "response" : "latency", "value", "worker", "key"}};
  for (std::size_t i = 0; i < std::min(kSlowestShown, run.slowest.size()); ++i) {
    const record::RequestRecord& request = run.slowest[i];
    cells.push_back(
        {fmt::format("{} {}", printable(run.header.operations.at(request.operation), 16),
                     record::outcome_name(request.outcome)),
         analysis::seconds_text(request.sent - summary.measure.window.begin),
         latency_text(request.felt()),
         request.value_bytes ? human_bytes(static_cast<double>(*request.value_bytes))
                             : std::string(),
         fmt::format("{}", request.worker), short_key(request.key)});
  }
  page.table(cells);
}

}  // namespace headroom::report
