#include "analysis/steady.h"

#include <algorithm>
#include <ranges>
#include <span>
#include <vector>

#include "analysis/prose.h"
#include "analysis/window.h"
#include "stats/change_point.h"
#include "stats/sample.h"

namespace headroom::analysis {

Known<StableSegment> stable_segment(const record::Run& run, const Window& window,
                                    Reasons& reasons) {
  // Stages may cut seconds short: only full ones have an index.
  std::vector<record::Interval> full;
  const Intervals intervals = intervals_in(run, window);
  for (const record::MergedInterval& interval : intervals)
    if (is_full_second(interval)) full.push_back(interval.interval);
  const std::vector<double> rates = throughput_by_second(intervals);
  if (rates.size() < kSteadyNeeds)
    return unknown("needs {} full seconds, has {}", kSteadyNeeds, rates.size());
  stats::ChangePointOptions options;
  options.noise_floor = kSteadyResolution * stats::mean(rates).value_or(0);
  const std::vector<stats::Segment> segments = stats::find_segments(rates, options);
  // Of equally long ones the last.
  const stats::Segment& longest =
      *std::ranges::max_element(std::views::reverse(segments), {}, &stats::Segment::length);
  if (longest.length() < kSteadyNeeds)
    return unknown("throughput changed its level {}: no level lasted {} seconds",
                   counted(segments.size() - 1, "time"), kSteadyNeeds);

  StableSegment stable;
  const Window part{"stable segment", full[longest.begin].begin, full[longest.end - 1].end};
  stable.summary = summarize_window(run, part, reasons, "stable_segment");
  stable.segments = segments.size();
  stable.confidence = kSteadyConfidence;
  const auto values = std::span(rates).subspan(longest.begin, longest.length());
  stable.mean_per_s = stats::mean(values).value_or(0);
  if (const auto interval = stats::batch_means_interval(values, kSteadyConfidence)) {
    stable.low_per_s = interval->low;
    stable.high_per_s = interval->high;
    stable.interval_too_narrow = interval->batches_correlated;
  }
  return stable;
}

}  // namespace headroom::analysis
