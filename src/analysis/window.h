// Windows over the measure phase, and the numbers about one.
//
// A window begins and ends where intervals do, so that every count and every latency belongs to it
// whole or not at all.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/summary.h"
#include "record/run.h"

namespace headroom::analysis {

// The measure phase. Of a run that did not complete: the part for which all workers' intervals were
// committed. Unknown when there is none.
[[nodiscard]] Known<Window> measure_window(const record::Run& run);

// The intervals of the measure phase inside a window; they are contiguous in Run::intervals.
using Intervals = std::span<const record::MergedInterval>;
[[nodiscard]] Intervals intervals_in(const record::Run& run, const Window& window);

// Whether an interval belongs to the measure phase and to a window.
[[nodiscard]] bool is_measured(const record::Interval& interval, const Window& window);

// Whether no end of a phase or stage cut it short.
[[nodiscard]] bool is_full_second(const record::MergedInterval& interval);

// Completed requests of all operations.
[[nodiscard]] std::uint64_t completed_in(const record::MergedInterval& interval);

// Completed requests per second, of each full second; and of each full minute counted from the
// window's begin. A part of a second, or of a minute, at the end is left out: its rate would not be
// comparable.
[[nodiscard]] std::vector<double> throughput_by_second(Intervals intervals);
[[nodiscard]] std::vector<double> throughput_by_minute(Intervals intervals);

// A spread needs this many values; fewer would measure their accident.
inline constexpr std::size_t kSpreadNeeds = 3;

// Every number about the window. Reasons for what is missing go under `prefix` ("measure").
[[nodiscard]] WindowSummary summarize_window(const record::Run& run, const Window& window,
                                             Reasons& reasons, const std::string& prefix);

// The same without what telemetry tells.
[[nodiscard]] WindowSummary summarize_traffic(const record::Run& run, const Window& window,
                                              Reasons& reasons, const std::string& prefix);

}  // namespace headroom::analysis
