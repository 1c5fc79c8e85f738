// What happened at a moment, for the HTML page: events, and the moments that telemetry shows.
#include <algorithm>
#include <map>
#include <string>

#include "report/html_series.h"

namespace headroom::report {
namespace {

using record::EventKind;
using record::Outcome;

struct Mark {
  Nanos time{0};
  std::string_view kind;
  std::uint64_t count = 1;
  std::string text;
};

// Phases are drawn, receipts and notes told elsewhere on the page.
bool is_drawn(EventKind kind) {
  switch (kind) {
    case EventKind::kConnectionLost:
    case EventKind::kReconnected:
    case EventKind::kEngineSilent:
    case EventKind::kEngineAnswers:
    case EventKind::kEngineGone:
    case EventKind::kInterrupted:
      return true;
    default:
      return false;
  }
}

// A thousand broken connections of one second are one mark.
void add_events(std::vector<Mark>& marks, const record::Run& run,
                const std::vector<Column>& columns) {
  std::map<std::pair<std::ptrdiff_t, EventKind>, std::size_t> known;
  for (const record::Event& event : run.events) {
    if (!is_drawn(event.kind)) continue;
    const auto column = std::ranges::lower_bound(columns, event.time, {}, &Column::end);
    const auto [place, fresh] =
        known.try_emplace({std::distance(columns.begin(), column), event.kind}, marks.size());
    if (fresh)
      marks.push_back({event.time, record::event_name(event.kind), 1, event.text});
    else
      ++marks[place->second].count;
  }
}

void add_first_refusal(std::vector<Mark>& marks, const record::Run& run) {
  for (const record::MergedInterval& interval : run.intervals) {
    const bool refused = std::ranges::any_of(
        interval.counts, [](const auto& counts) { return counts.of(Outcome::kRejected) > 0; });
    if (!refused) continue;
    marks.push_back({interval.interval.begin, "first-refusal", 1, ""});
    return;
  }
}

// Each time a flag went up.
void add_rises(std::vector<Mark>& marks, const record::Run& run, const char* metric,
               std::string_view kind) {
  const record::MetricSeries* series = run.find_metric(metric);
  if (series == nullptr) return;
  double before = 0;
  for (const record::Point& point : series->points) {
    if (point.value > 0 && before <= 0) marks.push_back({point.time, kind, 1, ""});
    before = point.value;
  }
}

}  // namespace

Json marks_json(const record::Run& run, const analysis::Summary& summary,
                const std::vector<Column>& columns, Nanos origin) {
  std::vector<Mark> marks;
  // The moments that are single come first: they are never left out.
  if (summary.first_eviction)
    marks.push_back({origin + *summary.first_eviction, "first-eviction", 1, ""});
  add_first_refusal(marks, run);
  add_events(marks, run, columns);
  add_rises(marks, run, "SaveInProgress", "snapshot");
  add_rises(marks, run, "aof_rewrite_in_progress", "aof-rewrite");
  const std::size_t left_out = marks.size() - std::min(marks.size(), kMaxMarks);
  marks.resize(marks.size() - left_out);
  std::ranges::stable_sort(marks, {}, &Mark::time);

  Json list = Json::array();
  for (const Mark& mark : marks) {
    list.push_back({{"time_s", number(std::chrono::duration<double>(mark.time - origin).count())},
                    {"kind", mark.kind},
                    {"count", mark.count},
                    {"text", text(mark.text)}});
  }
  return {{"list", std::move(list)}, {"left_out", left_out}};
}

}  // namespace headroom::report
