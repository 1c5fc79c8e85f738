#include "record/run.h"

#include <algorithm>

namespace headroom::record {

std::string_view run_end_name(const std::optional<RunEnd>& end) {
  if (!end) return "unfinished";
  switch (*end) {
    case RunEnd::kComplete:
      return "complete";
    case RunEnd::kInterrupted:
      return "interrupted";
    case RunEnd::kFailed:
      return "failed";
  }
  return "unknown";
}

const PhaseSpan* Run::phase(Phase phase) const {
  const auto found = std::find_if(phases.begin(), phases.end(),
                                  [phase](const PhaseSpan& span) { return span.phase == phase; });
  return found == phases.end() ? nullptr : &*found;
}

const MetricSeries* Run::find_metric(std::string_view metric, std::string_view label,
                                     std::string_view node) const {
  const auto found = std::find_if(metrics.begin(), metrics.end(), [&](const MetricSeries& series) {
    return series.metric == metric && series.label == label && series.node == node;
  });
  return found == metrics.end() ? nullptr : &*found;
}

}  // namespace headroom::record
