// What the HTML page draws over time. Internal to `report`.
//
// Time is divided into columns: whole recording intervals of one phase, as many to a column as keep
// the page small. Nothing is lost that a picture would show: beside a column's value stand the
// lowest and the highest of its seconds, its latencies are quantiles of the merged histogram (never
// averages of quantiles), its rates cover the whole column.
#pragma once

#include <cstddef>
#include <vector>

#include "analysis/series.h"
#include "analysis/summary.h"
#include "record/run.h"
#include "report/json_value.h"

namespace headroom::report {

inline constexpr std::size_t kMaxColumns = 900;
inline constexpr std::size_t kMaxHeatColumns = 240;
inline constexpr std::size_t kMaxMarks = 300;
// A drain of some milliseconds holds a handful of requests: a jag in the picture that means
// nothing.
inline constexpr Nanos kShortestDrawn = record::kIntervalLength / 2;

// [first, first + count) of Run::intervals, all of one phase.
struct Column {
  std::size_t first = 0;
  std::size_t count = 0;
  record::Phase phase = record::Phase::kMeasure;
  Nanos begin{0};  // run time
  Nanos end{0};
};

// At most `max_columns` columns (and one more for each phase) of equal length, save the last of a
// phase. Left out are intervals below kShortestDrawn and, of an incomplete run, those behind its
// window: not all workers are in them.
[[nodiscard]] std::vector<Column> make_columns(const record::Run& run,
                                               const analysis::Summary& summary,
                                               std::size_t max_columns = kMaxColumns);

// {"step_s", "begin_s", "end_s", "phase", "series": {name: {"value", "low", "high"}}}; times are
// seconds from `origin`. "low" and "high" are there when a column may hold several seconds.
[[nodiscard]] Json columns_json(const record::Run& run, const std::vector<Column>& columns,
                                Nanos origin);

// Completed requests by time and latency (response in open loop): {"row_ns": bounds, "columns":
// [{"begin_s", "end_s", "first", "counts"}]}. A row is a quarter of a power of two, which the
// histogram's buckets fit into, so every count is exact.
[[nodiscard]] Json heat_map_json(const record::Run& run, const std::vector<Column>& columns,
                                 Nanos origin);

// For each row of the latency table its distribution: {"label", "from", "beyond", "ns"}, where a
// point says that one request in `beyond` took longer than `ns`. Ends with the maximum.
[[nodiscard]] Json curves_json(const record::Run& run, const analysis::Summary& summary);

// The kSlowest longest latencies of the measure window, response where there is a schedule:
// {"begin_s", "end_s", "operation", "outcome", "from", "ns"}. A run keeps the slowest of each
// second, operation and outcome, so it is those.
inline constexpr std::size_t kSlowest = 12;
[[nodiscard]] Json slowest_json(const record::Run& run, const analysis::Summary& summary);

// What happened when: {"time_s", "kind", "count", "text"}, of one kind at most one a column;
// "left_out" counts what kMaxMarks kept off.
[[nodiscard]] Json marks_json(const record::Run& run, const analysis::Summary& summary,
                              const std::vector<Column>& columns, Nanos origin);

}  // namespace headroom::report
