// What a run is expected to show, as a condition on one figure of its summary:
//
//   latency.p99 < 1ms            GET.hit.latency.p99.9 <= 2ms       timeout.count == 0
//   hit_ratio >= 95%             stable_segment.throughput > 50k/s  failed.ratio < 0.1%
//
//   [WINDOW.] [OPERATION.] [OUTCOME.] FIGURE  COMPARISON  VALUE
//
// Without a window it is about measure. The figures stand in scenario/expected_figure.h. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace headroom::scenario {

enum class ExpectedWindow { kMeasure, kStableSegment, kBeforeFirstEviction, kAfterFirstEviction };
// As in the summary's JSON: "measure", "stable_segment", "before_first_eviction", ...
[[nodiscard]] std::string_view window_key(ExpectedWindow window);

enum class Comparison { kBelow, kAtMost, kAbove, kAtLeast, kEqual };
[[nodiscard]] std::string_view comparison_sign(Comparison comparison);  // "<"
[[nodiscard]] bool holds(double value, Comparison comparison, double limit);

// The names of outcomes that an expectation may have: those of record/outcome.h and "failed", which
// is all that were not completed.
[[nodiscard]] std::span<const std::string_view> expected_outcomes();
inline constexpr std::string_view kFailedOutcome = "failed";

struct Expectation {
  ExpectedWindow window = ExpectedWindow::kMeasure;
  std::string operation;  // empty: all together
  std::string outcome;    // of expected_outcomes(); empty: the completed ones
  std::string figure;     // of expected_figures(), by its name
  Comparison comparison = Comparison::kBelow;
  double limit = 0;        // in the figure's unit
  std::string limit_text;  // as it was written
  friend bool operator==(const Expectation&, const Expectation&) = default;

  // "GET.hit.latency.p99": with the window unless it is measure.
  [[nodiscard]] std::string path() const;
  // "GET.hit.latency.p99 < 1ms"; reads back as the same.
  [[nodiscard]] std::string text() const;
};

inline constexpr std::size_t kMostExpectations = 100;
inline constexpr std::size_t kLongestExpectationBytes = 200;

// The error (kUsage) begins with the condition and says what is wrong, what is wanted and what may
// have been meant. Whether there is such an operation only a workload can tell.
[[nodiscard]] Result<Expectation> parse_expectation(std::string_view text);

struct Scenario;
// Why the scenario can never show what is expected: it has no such operation, or no open loop. A
// clause for behind the condition; empty: it may.
[[nodiscard]] std::string impossible(const Expectation& expectation,
                                     std::span<const std::string> operations, bool open_loop);

// Reads conditions of a command line, each named after `flag` in errors, against these operations.
[[nodiscard]] Result<std::vector<Expectation>> read_expectations(
    std::string_view flag, std::span<const std::string> texts);

// Adds conditions of the command line to those of the scenario. Fails (kUsage) for what it can
// never show.
[[nodiscard]] Status add_expectations(Scenario& scenario, std::string_view flag,
                                      std::span<const std::string> texts);

}  // namespace headroom::scenario
