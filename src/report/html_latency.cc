// The two pictures of latency on the HTML page: the heat map over time, and the distributions.
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <span>

#include "analysis/latency.h"
#include "analysis/window.h"
#include "report/html_series.h"
#include "report/latency_curve.h"
#include "scenario/loads.h"

namespace headroom::report {
namespace {

using analysis::LatencySummary;
using record::LatencyKind;
using record::LatencySeries;

// Rows of the heat map: four to a power of two, each a quarter of it wide, so that a bucket of the
// histogram (512 to a power) lies in one row. Row 0 begins at kLowestRow.
constexpr unsigned kRowBits = 2;
constexpr unsigned kLowestExponent = 8;  // 256 ns; what is faster stands in row 0

std::size_t row_of(std::int64_t ns) {
  const auto value = static_cast<std::uint64_t>(std::max<std::int64_t>(ns, 1));
  const auto exponent = static_cast<unsigned>(std::bit_width(value)) - 1;
  if (exponent < kLowestExponent) return 0;
  const std::uint64_t quarter = (value >> (exponent - kRowBits)) & 3U;
  return ((exponent - kLowestExponent) << kRowBits) + static_cast<std::size_t>(quarter);
}

std::uint64_t row_begin(std::size_t row) {
  const std::uint64_t quarter = (row & 3U) + 4;
  return quarter << (kLowestExponent - kRowBits + (row >> kRowBits));
}

struct HeatColumn {
  Nanos begin{0};
  Nanos end{0};
  std::vector<std::uint64_t> counts;  // by row
};

void add_interval(HeatColumn& column, const record::MergedInterval& interval, LatencyKind kind) {
  for (const LatencySeries& series : interval.latencies) {
    if (series.key.kind != kind || !is_completed(series.key.outcome)) continue;
    series.histogram.for_each([&](std::int64_t low, std::int64_t, std::uint64_t count) {
      const std::size_t row = row_of(low);
      if (row >= column.counts.size()) column.counts.resize(row + 1);
      column.counts[row] += count;
    });
  }
}

std::vector<HeatColumn> heat_columns(const record::Run& run, const std::vector<Column>& columns) {
  // What users wait for, where the run has it.
  const auto kind =
      scenario::is_open_loop(run.header.scenario) ? LatencyKind::kResponse : LatencyKind::kService;
  const std::size_t join = (columns.size() + kMaxHeatColumns - 1) / kMaxHeatColumns;
  std::vector<HeatColumn> heat;
  std::size_t joined = 0;
  std::optional<record::Phase> phase;
  for (const Column& column : columns) {
    if (joined == join || phase != column.phase) {
      heat.push_back({column.begin, column.end, {}});
      joined = 0;
    }
    phase = column.phase;
    ++joined;
    heat.back().end = column.end;
    for (std::size_t i = column.first; i < column.first + column.count; ++i)
      add_interval(heat.back(), run.intervals[i], kind);
  }
  return heat;
}

double seconds_from(Nanos time, Nanos origin) {
  return std::round(std::chrono::duration<double>(time - origin).count() * 1e3) / 1e3;
}

// --- distributions -------------------------------------------------------------------------------

// Merged over the measure window.
std::vector<LatencySeries> merged_latencies(const record::Run& run,
                                            const analysis::Window& window) {
  std::vector<LatencySeries> merged;
  for (const record::MergedInterval& interval : analysis::intervals_in(run, window))
    analysis::merge_latencies(merged, interval.latencies);
  return merged;
}

// The histogram behind a row of the latency table.
stats::Histogram histogram_of(const LatencySummary& row, const std::vector<LatencySeries>& merged,
                              const std::vector<std::string>& operations) {
  const auto found = std::ranges::find(operations, row.operation);
  std::optional<std::uint16_t> operation;
  if (found != operations.end())
    operation = static_cast<std::uint16_t>(std::distance(operations.begin(), found));
  if (row.all_completed) return analysis::completed_latency(merged, row.kind, operation);
  const auto series = std::ranges::find_if(merged, [&](const LatencySeries& candidate) {
    return candidate.key.operation == operation && candidate.key.outcome == row.outcome &&
           candidate.key.kind == row.kind;
  });
  return series == merged.end() ? stats::Histogram() : series->histogram;
}

}  // namespace

Json heat_map_json(const record::Run& run, const std::vector<Column>& columns, Nanos origin) {
  std::size_t rows = 0;
  Json list = Json::array();
  for (const HeatColumn& column : heat_columns(run, columns)) {
    std::size_t first = 0;
    while (first < column.counts.size() && column.counts[first] == 0) ++first;
    Json counts = Json::array();
    for (std::size_t row = first; row < column.counts.size(); ++row)
      counts.push_back(column.counts[row]);
    rows = std::max(rows, column.counts.size());
    list.push_back({{"begin_s", exact(seconds_from(column.begin, origin))},
                    {"end_s", exact(seconds_from(column.end, origin))},
                    {"first", first},
                    {"counts", std::move(counts)}});
  }
  Json bounds = Json::array();
  for (std::size_t row = 0; rows > 0 && row <= rows; ++row) bounds.push_back(row_begin(row));
  return {{"row_ns", std::move(bounds)}, {"columns", std::move(list)}};
}

Json curves_json(const record::Run& run, const analysis::Summary& summary) {
  Json curves = Json::array();
  if (summary.measure.latencies.empty()) return curves;
  const std::vector<LatencySeries> merged = merged_latencies(run, summary.measure.window);
  for (const LatencySummary& row : summary.measure.latencies) {
    const stats::Histogram histogram = histogram_of(row, merged, run.header.operations);
    if (!histogram.empty()) {
      curves.push_back(curve_json(analysis::latency_label(row),
                                  row.kind == LatencyKind::kService ? "send" : "intended",
                                  histogram));
    }
  }
  return curves;
}

Json slowest_json(const record::Run& run, const analysis::Summary& summary) {
  const auto kind = summary.schedule ? LatencyKind::kResponse : LatencyKind::kService;
  struct Slow {
    const record::MergedInterval* interval = nullptr;
    record::LatencyKey key;
    Nanos latency{0};
  };
  std::vector<Slow> slow;
  for (const record::MergedInterval& interval :
       analysis::intervals_in(run, summary.measure.window)) {
    for (const LatencySeries& series : interval.latencies) {
      const auto max = series.histogram.max();
      if (max && series.key.kind == kind) slow.push_back({&interval, series.key, *max});
    }
  }
  const auto kept = static_cast<std::ptrdiff_t>(std::min(slow.size(), kSlowest));
  std::ranges::partial_sort(slow, slow.begin() + kept, std::greater(), &Slow::latency);
  const Nanos origin = summary.measure.window.begin;
  Json json = Json::array();
  for (const Slow& one : std::span(slow).first(static_cast<std::size_t>(kept))) {
    json.push_back({{"begin_s", exact(seconds_from(one.interval->interval.begin, origin))},
                    {"end_s", exact(seconds_from(one.interval->interval.end, origin))},
                    {"operation", text(run.header.operations.at(one.key.operation))},
                    {"outcome", record::outcome_name(one.key.outcome)},
                    {"from", kind == LatencyKind::kService ? "send" : "intended"},
                    {"ns", one.latency.count()}});
  }
  return json;
}

}  // namespace headroom::report
