#include "analysis/metrics.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/check.h"
#include "base/units.h"

namespace headroom::analysis {
namespace {

using record::MetricSeries;
using record::Point;

// Why there is no series: of several nodes some figures have no sum.
std::string not_sampled(const record::Run& run, std::string_view metric, std::string_view node) {
  const auto each = [&](const record::Member& member) {
    return run.find_metric(metric, "", member.name) != nullptr;
  };
  if (node.empty() && std::ranges::any_of(run.members, each))
    return fmt::format("{} is known of each node, and has no sum", metric);
  return fmt::format("{} was not sampled", metric);
}

bool earlier(const Point& point, Nanos time) { return point.time < time; }

// Index of the point nearest to `time`; of two equally near ones the earlier. `points` not empty.
std::size_t nearest_point(const std::vector<Point>& points, Nanos time) {
  const auto after = std::lower_bound(points.begin(), points.end(), time, earlier);
  if (after == points.begin()) return 0;
  const auto index = static_cast<std::size_t>(after - points.begin());
  if (after == points.end()) return index - 1;
  return time - points[index - 1].time <= after->time - time ? index - 1 : index;
}

}  // namespace

Nanos sample_gap_limit(const record::Run& run) {
  const Nanos interval = run.header.scenario.timing.sample_interval > Nanos{0}
                             ? run.header.scenario.timing.sample_interval
                             : record::kIntervalLength;
  return Nanos{std::llround(static_cast<double>(interval.count()) * kEdgeTolerance)};
}

Known<Points> points_over(const record::Run& run, const Window& window, std::string_view metric,
                          std::string_view label, std::string_view node) {
  const MetricSeries* series = run.find_metric(metric, label, node);
  if (series == nullptr || series->points.empty())
    return unknown("{}", not_sampled(run, metric, node));
  const Nanos limit = sample_gap_limit(run);
  const std::size_t first = nearest_point(series->points, window.begin);
  const std::size_t last = nearest_point(series->points, window.end);
  for (const auto& [index, edge, name] :
       {std::tuple{first, window.begin, "begin"}, std::tuple{last, window.end, "end"}}) {
    if (std::chrono::abs(series->points[index].time - edge) > limit)
      return unknown("no sample of {} within {} of the window's {}", metric, human_duration(limit),
                     name);
  }
  if (first == last) return unknown("fewer than two samples of {} in the window", metric);
  return Points{series->points}.subspan(first, last - first + 1);
}

Known<Growth> counter_growth(const record::Run& run, const Window& window, std::string_view metric,
                             std::string_view label, std::string_view node) {
  const Known<Points> points = points_over(run, window, metric, label, node);
  if (!points) return tl::unexpected(points.error());
  const auto back =
      std::adjacent_find(points->begin(), points->end(),
                         [](const Point& a, const Point& b) { return b.value < a.value; });
  if (back != points->end())
    return unknown(
        "{} went back inside the window: the engine restarted or its statistics were reset",
        metric);
  const Nanos elapsed = points->back().time - points->front().time;
  return Growth{points->back().value - points->front().value,
                std::chrono::duration<double>(elapsed).count()};
}

Known<double> gauge_max(const record::Run& run, const Window& window, std::string_view metric,
                        std::string_view node) {
  return points_over(run, window, metric, "", node).map([](Points points) {
    return std::ranges::max(points, {}, &Point::value).value;
  });
}

Known<double> gauge_last(const record::Run& run, const Window& window, std::string_view metric) {
  return points_over(run, window, metric).map([](Points points) { return points.back().value; });
}

std::optional<double> value_at(const MetricSeries& series, Nanos time) {
  const auto found = std::lower_bound(series.points.begin(), series.points.end(), time, earlier);
  if (found == series.points.end() || found->time != time) return std::nullopt;
  return found->value;
}

std::optional<Point> point_before(const MetricSeries& series, Nanos time, Nanos age_limit) {
  const auto after = std::upper_bound(series.points.begin(), series.points.end(), time,
                                      [](Nanos t, const Point& point) { return t < point.time; });
  if (after == series.points.begin()) return std::nullopt;
  const Point& point = *std::prev(after);
  if (time - point.time > age_limit) return std::nullopt;
  return point;
}

double time_weighted_mean(std::span<const Point> points) {
  check(points.size() >= 2, "a mean over time needs two points");
  double area = 0;
  for (std::size_t i = 1; i < points.size(); ++i) {
    const std::chrono::duration<double> width = points[i].time - points[i - 1].time;
    area += width.count() * (points[i].value + points[i - 1].value) / 2;
  }
  const std::chrono::duration<double> total = points.back().time - points.front().time;
  return area / total.count();
}

std::vector<std::string> nodes_of(const record::Run& run) {
  if (run.members.empty()) return {""};
  std::vector<std::string> names;
  for (const record::Member& member : run.members) names.push_back(member.name);
  return names;
}

std::vector<std::string> primaries_of(const record::Run& run) {
  if (run.members.empty()) return {""};
  std::vector<std::string> names;
  for (const record::Member& member : run.members) {
    if (member.role == record::MemberRole::kPrimary) names.push_back(member.name);
  }
  return names;
}

Known<std::vector<Point>> memory_used_ratio(const record::Run& run, const Window& window,
                                            std::string_view node) {
  const Known<Points> used = points_over(run, window, "BytesUsedForCache", "", node);
  if (!used) return tl::unexpected(used.error());
  const MetricSeries* limit = run.find_metric("maxmemory", "", node);
  if (limit == nullptr) return unknown("the engine does not report maxmemory");
  std::vector<Point> ratios;
  bool unlimited = false;
  for (const Point& point : *used) {
    const std::optional<double> maxmemory = value_at(*limit, point.time);
    if (maxmemory && *maxmemory > 0) ratios.push_back({point.time, point.value / *maxmemory});
    unlimited |= maxmemory && *maxmemory <= 0;
  }
  if (unlimited) return unknown("maxmemory is not set: there is no limit to compare with");
  if (ratios.size() < 2) return unknown("fewer than two samples of maxmemory in the window");
  return ratios;
}

Known<std::vector<Point>> memory_used_ratio(const record::Run& run, const Window& window) {
  const std::vector<std::string> primaries = primaries_of(run);
  if (primaries.size() == 1) return memory_used_ratio(run, window, primaries.front());
  std::map<Nanos, double> fullest;
  for (const std::string& primary : primaries) {
    const auto ratios = memory_used_ratio(run, window, primary);
    if (!ratios) return unknown("{}: {}", primary, ratios.error());
    for (const Point& point : *ratios) {
      double& ratio = fullest[point.time];
      ratio = std::max(ratio, point.value);
    }
  }
  std::vector<Point> points;
  for (const auto& [time, ratio] : fullest) points.push_back({time, ratio});
  if (points.size() < 2) return unknown("no primary was sampled in the window");
  return points;
}

}  // namespace headroom::analysis
