#include "serve/run_entry.h"

#include <algorithm>

#include "analysis/series.h"
#include "base/text.h"
#include "report/head.h"
#include "report/text.h"

namespace headroom::serve {
namespace {

using analysis::Second;

template <class Read>
Sparkline line_of(const std::vector<Second>& seconds, report::Join join, Read read) {
  std::vector<std::optional<double>> values;
  values.reserve(seconds.size());
  for (const Second& second : seconds) values.push_back(read(second));
  return report::resample(values, kSparklineColumns, join);
}

void add_lines(RunEntry& entry, const record::Run& run, const analysis::Window& window) {
  std::vector<Second> seconds = analysis::per_second(run);
  std::erase_if(seconds, [&](const Second& second) {
    return second.interval.phase != record::Phase::kMeasure ||
           second.interval.begin < window.begin || second.interval.end > window.end;
  });
  entry.throughput_line = line_of(seconds, report::Join::kMean,
                                  [](const Second& second) { return second.throughput_per_s; });
  entry.p99_line =
      line_of(seconds, report::Join::kMax, [](const Second& second) -> std::optional<double> {
        const auto& p99 = second.response ? second.response->p99 : second.all.p99;
        if (!p99) return std::nullopt;
        return static_cast<double>(p99->count());
      });
  entry.memory_line = line_of(seconds, report::Join::kMax,
                              [](const Second& second) { return second.memory_used_ratio; });
  entry.evictions_line = line_of(seconds, report::Join::kMean,
                                 [](const Second& second) { return second.evictions_per_s; });
}

}  // namespace

RunEntry entry_of(const record::Run& run, const analysis::Summary& summary) {
  RunEntry entry;
  entry.scenario = printable(run.header.scenario.name);
  entry.engine = report::fact(run, "engine.name");
  if (const std::string version = report::fact(run, "engine.version"); !version.empty())
    entry.engine += " " + version;
  entry.target = report::target_text(run);
  entry.load = report::load_text(run.header.scenario);
  entry.started = run.header.started;
  entry.headline = report::headline(summary);
  entry.tone = report::tone_name(report::regime_tone(summary));
  entry.state = record::run_end_name(run.end);
  entry.regime = summary.regime.regime;
  entry.warnings = summary.warnings.size();
  if (!summary.measured_anything()) return entry;
  const analysis::WindowSummary& measure = summary.measure;
  entry.limiter = summary.limiter.limiter;
  entry.measured_s = measure.window.seconds();
  entry.throughput_per_s = measure.throughput_per_s;
  entry.open_loop = summary.schedule.has_value();
  const auto kind =
      entry.open_loop ? record::LatencyKind::kResponse : record::LatencyKind::kService;
  for (const analysis::LatencySummary& row : measure.latencies) {
    if (row.operation == "all" && row.kind == kind) entry.p99 = row.p99;
  }
  entry.memory_used_max_ratio = measure.memory_used_max_ratio;
  entry.evictions = measure.evictions;
  entry.hit_ratio = measure.hit_ratio_client;
  add_lines(entry, run, measure.window);
  return entry;
}

}  // namespace headroom::serve
