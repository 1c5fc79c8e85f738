#include "analysis/arm.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.h"
#include "stats/sample.h"

namespace headroom::analysis {
namespace {

// What `get` gives for every run, if it is one and the same.
template <class Get>
auto agreed(const std::vector<ObservedRun>& runs, Get get) -> decltype(get(runs.front())) {
  if (runs.empty()) return std::nullopt;
  const auto first = get(runs.front());
  for (const ObservedRun& run : runs) {
    if (get(run) != first) return std::nullopt;
  }
  return first;
}

std::vector<std::string> known_keys(const std::vector<ObservedRun>& runs) {
  std::set<std::string> keys;
  for (const ObservedRun& run : runs) {
    for (const auto& [key, value] : run.settings) keys.insert(key);
  }
  return {keys.begin(), keys.end()};
}

}  // namespace

std::optional<double> Spread::cv() const {
  return every_run() ? stats::coefficient_of_variation(values) : std::nullopt;
}

Spread spread_of(std::vector<double> values) {
  Spread spread;
  spread.runs = values.size();
  if (values.empty()) return spread;
  spread.min = std::ranges::min(values);
  spread.max = std::ranges::max(values);
  spread.median = stats::median(values);
  spread.mean = stats::mean(values);
  spread.values = std::move(values);
  return spread;
}

Spread spread_of_stated(std::size_t runs, std::optional<double> min, std::optional<double> median,
                        std::optional<double> max, std::optional<double> mean) {
  if (min && max) {
    if (*min == *max) return spread_of(std::vector<double>(runs, *min));
    if (runs == 2) return spread_of({*min, *max});
    if (runs == 3 && median) return spread_of({*min, *median, *max});
    if (runs == 3 && mean)
      return spread_of({*min, std::clamp(3 * *mean - *min - *max, *min, *max), *max});
  }
  Spread spread;
  spread.runs = runs;
  spread.min = min;
  spread.median = median;
  spread.max = max;
  spread.mean = mean;
  return spread;
}

Spread Arm::spread(Figure figure) const {
  std::vector<double> values;
  for (const ObservedRun& run : runs) {
    const auto found = run.figures.find(figure);
    if (found != run.figures.end()) values.push_back(found->second);
  }
  if (!values.empty() && values.size() == runs.size()) return spread_of(std::move(values));
  const auto group = stated.find(figure);
  if (group != stated.end()) return group->second;
  Spread nothing;
  nothing.runs = runs.size();
  return nothing;
}

std::optional<Regime> Arm::regime() const {
  return agreed(runs, [](const ObservedRun& run) { return run.regime; });
}

std::optional<Limiter> Arm::limiter() const {
  return agreed(runs, [](const ObservedRun& run) { return run.limiter; });
}

std::optional<std::uint64_t> Arm::slots() const {
  return agreed(runs, [](const ObservedRun& run) { return run.slots; });
}

std::optional<std::string> Arm::setting(const std::string& key) const {
  return agreed(runs, [&](const ObservedRun& run) -> std::optional<std::string> {
    const auto found = run.settings.find(key);
    if (found == run.settings.end()) return std::nullopt;
    return found->second;
  });
}

Result<std::vector<Arm>> arms_by(const std::string& key, std::vector<ObservedRun> runs) {
  const std::vector<std::string> known = known_keys(runs);
  std::vector<Arm> arms;
  for (ObservedRun& run : runs) {
    const auto found = run.settings.find(key);
    if (found == run.settings.end()) {
      const auto meant = nearest(key, known);
      return fail(ErrorKind::kUsage,
                  "{}: does not know {}; give a scenario key or a recorded fact{}",
                  printable(run.name), printable(key),
                  meant && *meant != key ? "; did you mean " + *meant + "?" : std::string());
    }
    const std::string name = key + " = " + printable(found->second, 60);
    auto arm = std::ranges::find(arms, name, &Arm::name);
    if (arm == arms.end()) {
      arms.push_back({name, {}, {}, {}});
      arm = arms.end() - 1;
    }
    arm->runs.push_back(std::move(run));
  }
  return arms;
}

}  // namespace headroom::analysis
