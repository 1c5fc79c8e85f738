#include "analysis/filling.h"

#include <algorithm>

#include "analysis/metrics.h"
#include "base/units.h"

namespace headroom::analysis {
namespace {

struct Pace {
  double last = 0;
  double per_second = 0;
};

struct Mean {
  double value = 0;
  double seconds = 0;  // run time
};

Mean mean_of(Points points) {
  Mean mean;
  for (const record::Point& point : points) {
    mean.value += point.value;
    mean.seconds += std::chrono::duration<double>(point.time).count();
  }
  const auto count = static_cast<double>(points.size());
  return {mean.value / count, mean.seconds / count};
}

std::optional<Pace> pace_at_end(const record::Run& run, const Window& window,
                                std::string_view metric) {
  constexpr std::size_t kTenths = 10;
  constexpr std::size_t kFewestEach = 2;
  const Known<Points> points = points_over(run, window, metric);
  if (!points) return std::nullopt;
  const std::size_t each =
      points->size() < 2 * kFewestEach ? 1 : std::max(kFewestEach, points->size() / kTenths);
  const Mean late = mean_of(points->last(each));
  // Of three samples the first and the last.
  const Mean early = mean_of(each == 1 ? points->first(1) : points->last(2 * each).first(each));
  if (late.seconds <= early.seconds) return std::nullopt;
  return Pace{points->back().value, (late.value - early.value) / (late.seconds - early.seconds)};
}

bool grows(const std::optional<Pace>& pace, const Window& window) {
  return pace && pace->per_second > 0 &&
         pace->per_second * window.seconds() >= kGrowthWorthNaming * pace->last;
}

std::optional<double> key_space_of(const record::Run& run) {
  const auto fact = run.facts.find("workload.keys");
  if (fact == run.facts.end()) return std::nullopt;
  const Result<std::uint64_t> keys = parse_count(fact->second);
  return keys ? std::optional(static_cast<double>(*keys)) : std::nullopt;
}

}  // namespace

std::optional<Filling> still_filling(const record::Run& run, const Window& window) {
  const std::optional<Pace> memory = pace_at_end(run, window, "BytesUsedForCache");
  const Known<double> limit = gauge_last(run, window, "maxmemory");
  if (!memory || !limit || *limit <= 0) return std::nullopt;
  const std::optional<Pace> keys = pace_at_end(run, window, "CurrItems");
  const std::optional<double> space = key_space_of(run);
  const bool all_written = keys && space && keys->last >= kAllKeysWritten * *space;
  if (all_written || (!grows(memory, window) && !grows(keys, window))) return std::nullopt;

  Filling filling{memory->last, std::max(0.0, memory->per_second), std::nullopt, space,
                  std::nullopt};
  if (keys) filling.keys = keys->last;
  if (memory->per_second <= 0) return filling;
  // Growth ends with the key space; where that is not known, only with memory.
  const double most =
      keys && space && keys->per_second > 0
          ? memory->last + (*space - keys->last) * memory->per_second / keys->per_second
          : *limit;
  if (most >= *limit)
    filling.seconds_to_full = std::max(0.0, *limit - memory->last) / memory->per_second;
  return filling;
}

}  // namespace headroom::analysis
