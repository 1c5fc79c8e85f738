#include "analysis/expectations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "analysis/expected_value.h"
#include "analysis/observed_run.h"
#include "analysis/prose.h"
#include "base/check.h"
#include "base/units.h"

namespace headroom::analysis {
namespace {

using scenario::Expectation;
using scenario::ExpectedFigure;
using scenario::ExpectedUnit;
using scenario::FigureScope;

const ExpectedFigure& figure_of(const Expectation& expectation) {
  std::string_view name = expectation.figure;
  const ExpectedFigure* figure = scenario::find_expected_figure(name);
  check(figure != nullptr, "an expectation that was parsed is about a figure that exists");
  return *figure;
}

// Figures that a table may state of a run (docs/RUN_SUMMARIES.md), as an expectation names them.
struct TableFigure {
  std::string_view path;
  Figure figure;
};
constexpr std::array kTableFigures = {
    TableFigure{"throughput", Figure::kThroughput},
    TableFigure{"throughput_cv_per_minute", Figure::kThroughputCv},
    TableFigure{"peak_minute_throughput", Figure::kPeakThroughput},
    TableFigure{"latency.mean", Figure::kLatencyMean},
    TableFigure{"latency.p50", Figure::kLatencyP50},
    TableFigure{"latency.p99", Figure::kLatencyP99},
    TableFigure{"latency.p99.9", Figure::kLatencyP999},
    TableFigure{"memory_used_max", Figure::kMemoryUsedMax},
    TableFigure{"memory_used_mean", Figure::kMemoryUsedMean},
    TableFigure{"memory.headroom", Figure::kHeadroom},
    TableFigure{"engine_cpu_main_thread", Figure::kEngineCpuMean},
    TableFigure{"memory.peak_keys", Figure::kPeakKeys},
    TableFigure{"memory.per_key", Figure::kBytesPerKey},
    TableFigure{"evictions", Figure::kEvictions},
    TableFigure{"memory.first_eviction", Figure::kFirstEviction},
    TableFigure{"hit_ratio", Figure::kHitRatio},
};

std::string plain_number(double value) {
  constexpr double kLargest = 9e18;
  if (value >= 100 && value < kLargest)
    return grouped(static_cast<std::uint64_t>(std::llround(value)));
  if (value >= 0 && value == std::floor(value)) return fmt::format("{:.0f}", value);
  return fmt::format("{:.3g}", value);
}

// Adds the figure over measure, if the run has it.
void add_value(std::vector<FigureValue>& values, const ExpectedFigure& figure,
               const std::string& operation, const std::string& outcome, const Summary& summary) {
  Expectation about;
  about.operation = operation;
  about.outcome = outcome;
  about.figure = figure.name;
  if (const Known<double> value = expected_value(about, summary))
    values.push_back({about.path(), figure.unit, *value, figure.meaning});
}

}  // namespace

std::string ExpectationResult::line() const {
  const std::string where = window.empty() ? "" : fmt::format(" ({})", window);
  if (!value) return fmt::format("{}: n/a, {}", expectation.text(), why);
  return fmt::format("{}: it is {}{}{}", expectation.text(), expected_value_text(*this), where,
                     why.empty() ? "" : ", but " + why);
}

std::vector<ExpectationResult> check_expectations(std::span<const Expectation> expectations,
                                                  const Summary& summary) {
  std::vector<ExpectationResult> results;
  for (const Expectation& expectation : expectations) {
    ExpectationResult result;
    result.expectation = expectation;
    if (const auto window = find_window(summary, expectation.window)) {
      result.window = fmt::format("{}, {}", (*window)->window.name,
                                  human_duration((*window)->window.end - (*window)->window.begin));
    }
    if (Known<double> value = expected_value(expectation, summary)) {
      result.value = *value;
      result.met = holds(*value, expectation.comparison, expectation.limit);
    } else {
      result.why = std::move(value.error());
    }
    if (!summary.complete && result.value) {
      result.met = false;
      result.why = "the run did not complete";
    }
    results.push_back(std::move(result));
  }
  return results;
}

std::vector<ExpectationResult> check_expectations(std::span<const Expectation> expectations,
                                                  const ObservedRun& imported) {
  std::vector<ExpectationResult> results;
  for (const Expectation& expectation : expectations) {
    ExpectationResult result;
    result.expectation = expectation;
    const auto known = std::ranges::find(kTableFigures, expectation.path(), &TableFigure::path);
    const auto found = known == kTableFigures.end() ? imported.figures.end()
                                                    : imported.figures.find(known->figure);
    if (found == imported.figures.end()) {
      result.why = "the table does not state it";
    } else {
      result.value = found->second;
      if (figure_of(expectation).unit == ExpectedUnit::kDuration &&
          figure_info(known->figure).unit == FigureUnit::kSeconds)
        *result.value *= 1e9;
      result.met = holds(*result.value, expectation.comparison, expectation.limit);
    }
    results.push_back(std::move(result));
  }
  return results;
}

bool all_met(std::span<const ExpectationResult> results) {
  return std::ranges::all_of(results, &ExpectationResult::met);
}

std::string expected_value_text(ExpectedUnit unit, double value) {
  switch (unit) {
    case ExpectedUnit::kRate:
      return plain_number(value) + " /s";
    case ExpectedUnit::kShare:
    case ExpectedUnit::kRatio:
      return percent(value);
    case ExpectedUnit::kDuration:
      return human_duration(Nanos{std::llround(value)});
    case ExpectedUnit::kBytes:
      return human_bytes(value);
    case ExpectedUnit::kNumber:
    case ExpectedUnit::kCount:
      return plain_number(value);
  }
  return plain_number(value);
}

std::string expected_value_text(const ExpectationResult& result) {
  if (!result.value) return "n/a";
  const ExpectedUnit unit = figure_of(result.expectation).unit;
  const double value = *result.value;
  const double limit = result.expectation.limit;
  // Rounded, it might seem to be what it just is not.
  const bool near = value != limit && std::abs(value - limit) <= 0.01 * limit;
  if (near && unit == ExpectedUnit::kDuration) return print_duration(Nanos{std::llround(value)});
  if (near && (unit == ExpectedUnit::kShare || unit == ExpectedUnit::kRatio))
    return fmt::format("{:.6g} %", value * 100);
  return near ? fmt::format("{:.8g}", value) : expected_value_text(unit, value);
}

std::vector<FigureValue> figure_values(const Summary& summary) {
  std::vector<FigureValue> values;
  for (const ExpectedFigure& figure : scenario::expected_figures()) {
    if (figure.scope == FigureScope::kOutcomes) {
      add_value(values, figure, "", std::string(scenario::kFailedOutcome), summary);
    } else {
      add_value(values, figure, "", "", summary);
    }
    if (figure.scope != FigureScope::kOperations && figure.scope != FigureScope::kOutcomes)
      continue;
    for (const auto& [operation, outcomes] : summary.measure.outcomes) {
      if (figure.scope == FigureScope::kOperations)
        add_value(values, figure, operation, "", summary);
      for (const auto& [outcome, count] : outcomes) {
        if (count > 0)
          add_value(values, figure, operation, std::string(outcome_name(outcome)), summary);
      }
    }
  }
  return values;
}

}  // namespace headroom::analysis
