#include "analysis/connections.h"

#include <map>
#include <string>

#include "analysis/latency.h"

namespace headroom::analysis {
namespace {

// Those of first connects before those of later ones.
bool earlier(const record::ConnectKey& a, const record::ConnectKey& b) {
  return std::pair(a.again, a.step) < std::pair(b.again, b.step);
}

ConnectSummary summarize(const record::ConnectKey& key, const stats::Histogram& times,
                         Reasons& reasons) {
  const auto quantile = [&](Quantile which) {
    const auto value = supported_quantile(times, which);
    if (!value) {
      reasons[fmt::format("connections[{}].{}", connect_label(key), quantile_name(which))] =
          fmt::format("needs {} connections, has {}", samples_needed(which), times.count());
    }
    return value;
  };
  ConnectSummary summary;
  summary.key = key;
  summary.count = times.count();
  summary.mean_ns = times.mean_ns();
  summary.min = times.min();
  summary.p50 = quantile(Quantile::kP50);
  summary.p90 = quantile(Quantile::kP90);
  summary.p99 = quantile(Quantile::kP99);
  summary.p999 = quantile(Quantile::kP999);
  summary.max = times.max();
  return summary;
}

}  // namespace

ConnectionsSummary summarize_connections(const record::Run& run, Reasons& reasons) {
  ConnectionsSummary summary;
  const record::PhaseSpan* measure = run.phase(record::Phase::kMeasure);
  for (const record::WorkerCounts& counts : run.workers) {
    summary.opened += counts.health.connections_opened;
    summary.renewed += counts.health.connections_renewed;
    summary.lost += counts.health.connections_lost;
    summary.refused += counts.health.connections_refused;
    const bool last = measure != nullptr && counts.interval.phase == record::Phase::kMeasure &&
                      counts.interval.end == measure->end;
    if (last) summary.idle = summary.idle.value_or(0) + counts.health.connections_idle;
  }
  std::map<record::ConnectKey, stats::Histogram, decltype(&earlier)> times(&earlier);
  for (const record::MergedInterval& interval : run.intervals) {
    for (const record::ConnectSeries& series : interval.connects) {
      times[series.key].merge(series.histogram);
    }
  }
  for (const auto& [key, histogram] : times) {
    summary.steps.push_back(summarize(key, histogram, reasons));
  }
  return summary;
}

std::string connect_label(const record::ConnectKey& key) {
  const std::string step = key.step == record::ConnectStep::kTls
                               ? std::string("TLS handshake")
                               : std::string(record::connect_step_name(key.step));
  return key.again ? step + ", again" : step;
}

}  // namespace headroom::analysis
