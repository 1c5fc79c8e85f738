// Whether a run shows what was expected of it (scenario/expectation.h). Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scenario/expectation.h"
#include "scenario/expected_figure.h"

namespace headroom::analysis {

struct ObservedRun;
struct Summary;

struct ExpectationResult {
  scenario::Expectation expectation;
  std::optional<double> value;  // in the figure's unit; nullopt: n/a
  std::string window;           // "measure, 40 s"; empty where there is none
  bool met = false;
  // Why it is not met, besides by its value: the figure is n/a, or the run did not complete. Empty:
  // the value decided.
  std::string why;

  // "latency.p99 < 1ms: it is 1.23 ms (measure, 40 s)"
  [[nodiscard]] std::string line() const;
};

// In the order of the expectations. What is n/a is not met; nor is anything by a run that did not
// complete, which could not show it.
[[nodiscard]] std::vector<ExpectationResult> check_expectations(
    std::span<const scenario::Expectation> expectations, const Summary& summary);

// Of a run that a table gives: what the table does not state is n/a.
[[nodiscard]] std::vector<ExpectationResult> check_expectations(
    std::span<const scenario::Expectation> expectations, const ObservedRun& imported);

[[nodiscard]] bool all_met(std::span<const ExpectationResult> results);

// "1.23 ms", "48,912 /s", "97.3 %": a value in the unit of a figure.
[[nodiscard]] std::string expected_value_text(scenario::ExpectedUnit unit, double value);
// As above, by the figure's name.
[[nodiscard]] std::string expected_value_text(const ExpectationResult& result);

// Every figure that the run has over measure, with its path and value, those of operations and
// outcomes included: what a writer of expectations may choose from.
struct FigureValue {
  std::string path;  // "GET.hit.latency.p99"
  scenario::ExpectedUnit unit;
  double value = 0;
  std::string_view meaning;
};
[[nodiscard]] std::vector<FigureValue> figure_values(const Summary& summary);

}  // namespace headroom::analysis
