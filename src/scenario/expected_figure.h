// The figures that an expectation may be about. They are those of the summary, named as in its JSON
// (docs/SUMMARY_JSON.md) without the units, which the condition's value has.
//
// docs/EXPECTATIONS.md and `headroom report --list-figures` are made from this table;
// analysis/expectations.h says what each comes to in a run.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace headroom::scenario {

// In what a figure is kept, and how its value is written.
enum class ExpectedUnit {
  kRate,      // per second: "50k/s", "50000"
  kShare,     // 0 to 1: "95%", "0.95"
  kRatio,     // a part of something that may be exceeded: "1.5", "150%"
  kNumber,    // "1.5"
  kDuration,  // nanoseconds: "1ms"
  kBytes,     // "64MiB"
  kCount,     // "0"
};

enum class FigureScope {
  kWindow,      // of any window, of all load together
  kOperations,  // likewise, and of an operation (GET.) or of one outcome of it (GET.hit.)
  kOutcomes,    // likewise, but always of an outcome (timeout., GET.miss.)
  kRun,         // of the run; its window is measure
};

struct ExpectedFigure {
  std::string_view name;  // "latency.p99"
  // Where it stands in the summary's JSON, from the window on if it is of one:
  // "latencies[].p99_ns", "memory.headroom_ratio". Accepted as a name, too.
  std::string_view json;
  ExpectedUnit unit;
  FigureScope scope;
  std::string_view meaning;  // one clause
  // Another accepted name; empty: none.
  std::string_view alias{};
  // Exists in open loop only.
  bool open_loop = false;
};
[[nodiscard]] std::span<const ExpectedFigure> expected_figures();

// The figure whose name is all of `path` or its end after a dot (then `path` is cut to what stands
// before it, an operation or an outcome); nullptr: none. Of several the one with the longest name.
[[nodiscard]] const ExpectedFigure* find_expected_figure(std::string_view& path);

// As of "give": `a duration such as "1ms"`.
[[nodiscard]] std::string_view wanted(ExpectedUnit unit);
// The value in the figure's own unit. The error names the text and what is wanted.
[[nodiscard]] Result<double> read_expected_value(ExpectedUnit unit, std::string_view text);

}  // namespace headroom::scenario
