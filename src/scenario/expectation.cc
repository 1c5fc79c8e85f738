#include "scenario/expectation.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "scenario/expected_figure.h"
#include "scenario/loads.h"
#include "scenario/scenario.h"

namespace headroom::scenario {
namespace {

constexpr std::array<std::string_view, 4> kWindowKeys = {
    "measure", "stable_segment", "before_first_eviction", "after_first_eviction"};
constexpr std::array<std::string_view, 5> kSigns = {"<", "<=", ">", ">=", "=="};
constexpr std::array<std::string_view, 10> kOutcomeNames = {
    "hit",     "miss", "ok",     "rejected", "error",
    "timeout", "lost", "unsent", "corrupt",  kFailedOutcome};

// Where the comparison stands.
struct Sign {
  std::size_t at;
  std::size_t length;
  Comparison comparison;
};
std::optional<Sign> find_sign(std::string_view text) {
  const std::size_t at = text.find_first_of("<>=!");
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t length = text.substr(at).substr(0, 2).ends_with('=') ? 2 : 1;
  const auto* found = std::ranges::find(kSigns, text.substr(at, length));
  if (found == kSigns.end()) return std::nullopt;
  return Sign{at, length, static_cast<Comparison>(found - kSigns.begin())};
}

// "window." off the front.
ExpectedWindow take_window(std::string_view& path) {
  for (std::size_t i = 0; i < kWindowKeys.size(); ++i) {
    const std::string_view key = kWindowKeys.at(i);
    if (!path.starts_with(key) || !path.substr(key.size()).starts_with('.')) continue;
    path.remove_prefix(key.size() + 1);
    return static_cast<ExpectedWindow>(i);
  }
  return ExpectedWindow::kMeasure;
}

// An outcome off the end of what stands before the figure.
std::string take_outcome(std::string_view& owner) {
  const std::size_t dot = owner.rfind('.');
  const std::string_view last = dot == std::string_view::npos ? owner : owner.substr(dot + 1);
  if (std::ranges::find(kOutcomeNames, last) == kOutcomeNames.end()) return {};
  std::string outcome(last);
  owner = dot == std::string_view::npos ? std::string_view() : owner.substr(0, dot);
  return outcome;
}

std::string unknown_figure(std::string_view path) {
  std::vector<std::string> names;
  for (const ExpectedFigure& figure : expected_figures()) {
    names.emplace_back(figure.name);
    if (!figure.alias.empty()) names.emplace_back(figure.alias);
  }
  // What stands before the figure is not known here, so its last parts are tried by themselves.
  std::optional<std::string> near = nearest(path, names);
  for (std::size_t dot = path.find('.'); !near && dot != std::string_view::npos;
       dot = path.find('.', dot + 1)) {
    near = nearest(path.substr(dot + 1), names);
    if (near) near = std::string(path.substr(0, dot + 1)) + *near;
  }
  return fmt::format("{} is no figure; {}`headroom report --list-figures` has all",
                     printable(path, 80), near ? fmt::format("did you mean {}? ", *near) : "");
}

// What is wrong with a figure's owner (window, operation, outcome), or empty.
std::string misplaced(const Expectation& expectation, const ExpectedFigure& figure) {
  const bool owned = !expectation.operation.empty() || !expectation.outcome.empty();
  switch (figure.scope) {
    case FigureScope::kRun:
      if (expectation.window != ExpectedWindow::kMeasure)
        return fmt::format("{} is of the whole run; leave {} out", figure.name,
                           window_key(expectation.window));
      [[fallthrough]];
    case FigureScope::kWindow:
      if (owned)
        return fmt::format("{} is of all operations together; leave out what stands before it",
                           figure.name);
      return {};
    case FigureScope::kOutcomes:
      if (!expectation.outcome.empty()) return {};
      return fmt::format("{} is of an outcome, one of {}; write OUTCOME.{} or OPERATION.OUTCOME.{}",
                         figure.name, fmt::join(kOutcomeNames, ", "), figure.name, figure.name);
    case FigureScope::kOperations:
      if (expectation.outcome == kFailedOutcome)
        return "failed requests have no latency together; name one outcome, such as GET.error";
      if (!expectation.outcome.empty() && expectation.operation.empty())
        return fmt::format("the latency of an outcome is of one operation; write OPERATION.{}.{}",
                           expectation.outcome, figure.name);
      return {};
  }
  return {};
}

}  // namespace

std::string_view window_key(ExpectedWindow window) {
  return kWindowKeys.at(static_cast<std::size_t>(window));
}

std::string_view comparison_sign(Comparison comparison) {
  return kSigns.at(static_cast<std::size_t>(comparison));
}

bool holds(double value, Comparison comparison, double limit) {
  switch (comparison) {
    case Comparison::kBelow:
      return value < limit;
    case Comparison::kAtMost:
      return value <= limit;
    case Comparison::kAbove:
      return value > limit;
    case Comparison::kAtLeast:
      return value >= limit;
    case Comparison::kEqual:
      return value == limit;
  }
  return false;
}

std::span<const std::string_view> expected_outcomes() { return kOutcomeNames; }

std::string Expectation::path() const {
  std::string path;
  if (window != ExpectedWindow::kMeasure) path += fmt::format("{}.", window_key(window));
  for (const std::string* part : {&operation, &outcome})
    if (!part->empty()) path += *part + ".";
  return path + figure;
}

std::string Expectation::text() const {
  return fmt::format("{} {} {}", path(), comparison_sign(comparison), limit_text);
}

Result<Expectation> parse_expectation(std::string_view text) {
  text = trim(text);
  const auto refuse = [&](std::string_view what) {
    return fail(ErrorKind::kUsage, "\"{}\": {}", printable(text, 120), what);
  };
  if (text.size() > kLongestExpectationBytes || printable(text, text.size() * 4) != text)
    return refuse("is no condition; write FIGURE < VALUE, such as latency.p99 < 1ms");
  const std::optional<Sign> sign = find_sign(text);
  if (!sign) return refuse("compares with none of < <= > >= ==; write it as latency.p99 < 1ms");
  std::string_view path = trim(text.substr(0, sign->at));
  const std::string_view limit = trim(text.substr(sign->at + sign->length));
  if (path.empty() || limit.empty())
    return refuse("lacks a side; write FIGURE < VALUE, such as latency.p99 < 1ms");
  Expectation expectation;
  expectation.comparison = sign->comparison;
  expectation.window = take_window(path);
  std::string_view owner = path;
  const ExpectedFigure* figure = find_expected_figure(owner);
  if (figure == nullptr) return refuse(unknown_figure(path));
  expectation.figure = figure->name;
  expectation.outcome = take_outcome(owner);
  if (owner != "all") expectation.operation = owner;
  if (const std::string wrong = misplaced(expectation, *figure); !wrong.empty())
    return refuse(wrong);
  const Result<double> value = read_expected_value(figure->unit, limit);
  if (!value) return refuse(value.error().message);
  expectation.limit = *value;
  expectation.limit_text = limit;
  return expectation;
}

std::string impossible(const Expectation& expectation, std::span<const std::string> operations,
                       bool open_loop) {
  std::string_view name = expectation.figure;
  const ExpectedFigure* figure = find_expected_figure(name);
  if (figure != nullptr && figure->open_loop && !open_loop)
    return fmt::format("{} exists in open loop only, that is with load.rate", expectation.figure);
  const std::string& operation = expectation.operation;
  if (operation.empty() || std::ranges::find(operations, operation) != operations.end()) return {};
  const auto near = nearest(operation, operations);
  return fmt::format("{} is no operation of the workload; {}", operation,
                     near ? fmt::format("did you mean {}?", *near)
                          : fmt::format("it has {}", fmt::join(operations, ", ")));
}

Result<std::vector<Expectation>> read_expectations(std::string_view flag,
                                                   std::span<const std::string> texts) {
  std::vector<Expectation> expectations;
  for (const std::string& text : texts) {
    auto one = parse_expectation(text);
    if (!one) return fail(ErrorKind::kUsage, "{} {}", flag, one.error().message);
    expectations.push_back(std::move(*one));
  }
  return expectations;
}

Status add_expectations(Scenario& scenario, std::string_view flag,
                        std::span<const std::string> texts) {
  auto added = read_expectations(flag, texts);
  if (!added) return fail(added.error());
  std::vector<std::string> operations;
  for (Operation& operation : run_operations(scenario))
    operations.push_back(std::move(operation.name));
  for (Expectation& expectation : *added) {
    const std::string why = impossible(expectation, operations, is_open_loop(scenario));
    if (!why.empty())
      return fail(ErrorKind::kUsage, "{} \"{}\": {}", flag, expectation.text(), why);
    scenario.expect.push_back(std::move(expectation));
  }
  if (scenario.expect.size() > kMostExpectations) {
    return fail(ErrorKind::kUsage,
                "{}: with those of the scenario there are {}; at most {} are possible", flag,
                scenario.expect.size(), kMostExpectations);
  }
  return {};
}

}  // namespace headroom::scenario
