// What a list of runs shows of one: a few hundred bytes, so that thousands can be kept.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/summary.h"
#include "record/run.h"

namespace headroom::serve {

// A small picture: the measure window from left to right, each column the mean (throughput,
// evictions) or the highest (latency, memory) of its seconds. Absent is not known.
using Sparkline = std::vector<std::optional<double>>;
inline constexpr std::size_t kSparklineColumns = 48;

struct RunEntry {
  std::string scenario;
  std::string engine;  // "valkey 9.1.2"; empty: not recorded
  std::string target;  // as in the head of a report
  std::string load;
  WallTime started;
  std::string headline;
  std::string tone;   // of the headline: "good", "caution", "bad", "plain"
  std::string state;  // "complete", "interrupted", "failed", "unfinished"
  std::optional<analysis::Regime> regime;
  std::optional<analysis::Limiter> limiter;  // absent: nothing was measured
  double measured_s = 0;
  std::optional<double> throughput_per_s;
  std::optional<Nanos> p99;  // response latency in open loop, else service
  bool open_loop = false;
  std::optional<double> memory_used_max_ratio;
  std::optional<double> evictions;
  std::optional<double> hit_ratio;
  std::size_t warnings = 0;
  Sparkline throughput_line, p99_line, memory_line, evictions_line;
};

// `summary` is analysis::summarize(run).
[[nodiscard]] RunEntry entry_of(const record::Run& run, const analysis::Summary& summary);

}  // namespace headroom::serve
