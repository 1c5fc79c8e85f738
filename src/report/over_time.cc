// The section of sparklines: the measure window from left to right.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "analysis/prose.h"
#include "analysis/series.h"
#include "base/units.h"
#include "report/format.h"
#include "report/sections.h"
#include "report/text.h"

namespace headroom::report {
namespace {

using analysis::Second;
using Values = std::vector<std::optional<double>>;

constexpr std::size_t kSparklineLabelWidth = 13;
constexpr std::size_t kChartWidth = 48;

std::optional<double> highest(const Values& values) {
  std::optional<double> top;
  for (const auto& value : values) top = std::max(top, value);
  return top;
}

Values collect(const std::vector<Second>& seconds,
               const std::function<std::optional<double>(const Second&)>& read) {
  Values values;
  values.reserve(seconds.size());
  for (const Second& second : seconds) values.push_back(read(second));
  return values;
}

void add_line(Page& page, std::string_view label, const Values& values, Join join,
              std::optional<double> top, const std::function<std::string(double)>& text) {
  if (!top) {
    page.line(fmt::format("  {} n/a", pad_right(label, kSparklineLabelWidth)));
    return;
  }
  const Values columns = resample(values, kChartWidth, join);
  page.line(fmt::format("  {} {} {}", pad_right(label, kSparklineLabelWidth),
                        pad_right(sparkline(columns, *top), kChartWidth),
                        text(highest(values).value_or(0))));
}

}  // namespace

void add_over_time(Page& page, const record::Run& run, const analysis::Summary& summary) {
  const analysis::Window& window = summary.measure.window;
  std::vector<Second> seconds = analysis::per_second(run);
  std::erase_if(seconds, [&](const Second& second) {
    return second.interval.phase != record::Phase::kMeasure ||
           second.interval.begin < window.begin || second.interval.end > window.end;
  });
  if (seconds.empty()) return;
  const std::size_t step = values_per_column(seconds.size(), kChartWidth);
  page.section("OVER TIME",
               fmt::format("a column is {} s, its height from 0 (·) to the maximum", step));
  const auto p99_ns = [](const Second& second) -> std::optional<double> {
    const analysis::SecondLatency& felt = second.response ? *second.response : second.all;
    if (!felt.p99) return std::nullopt;
    return static_cast<double>(felt.p99->count());
  };
  const Values throughput =
      collect(seconds, [](const Second& second) { return second.throughput_per_s; });
  const Values p99 = collect(seconds, p99_ns);
  const Values memory =
      collect(seconds, [](const Second& second) { return second.memory_used_ratio; });
  const Values evictions =
      collect(seconds, [](const Second& second) { return second.evictions_per_s; });

  add_line(page, "throughput", throughput, Join::kMean, highest(throughput),
           [](double value) { return human_count(value) + "/s"; });
  add_line(page, summary.schedule ? "p99 response" : "p99", p99, Join::kMax, highest(p99),
           [](double value) { return human_duration(Nanos{static_cast<std::int64_t>(value)}); });
  // Memory is read against its limit, so its scale is the limit.
  const auto memory_top = highest(memory);
  add_line(page, "memory used", memory, Join::kMax,
           memory_top ? std::optional{std::max(1.0, *memory_top)} : std::nullopt,
           [](double value) { return percent_text(value); });
  add_line(page, "evictions", evictions, Join::kMean, highest(evictions),
           [](double value) { return human_count(value) + "/s"; });
}

}  // namespace headroom::report
