// The closed catalogue of what telemetry samples: name, unit, kind, meaning. CloudWatch's name is
// used where it has one for the same thing. docs/MEASUREMENT.md has the same table.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"

namespace headroom::record {

enum class MetricSource : int { kEngine = 0, kNode = 1, kGenerator = 2 };

enum class MetricKind : int {
  kGauge = 0,    // a state at the sample's time
  kCounter = 1,  // cumulative since the engine's (process's, thread's) start; use differences
};

// What the metric is of a target of several nodes.
enum class AcrossNodes : int {
  kSum = 0,   // the sum over the primaries
  kEach = 1,  // nothing: it has a meaning only for each node
};

struct MetricInfo {
  std::string_view name;
  MetricSource source;
  MetricKind kind;
  // "bytes", "seconds", "milliseconds", "microseconds", "count", "ratio", "flag" (0 or 1)
  std::string_view unit;
  std::string_view help;  // one sentence: what it is and where it was read
  AcrossNodes across = AcrossNodes::kSum;
};

// All metrics, in a fixed order; an index into it is a MetricId within this build. Files store
// names.
[[nodiscard]] std::span<const MetricInfo> metric_catalogue();
using MetricId = std::uint16_t;
[[nodiscard]] std::optional<MetricId> metric_by_name(std::string_view name);
// Aborts if there is no such metric: for names written in our own code.
[[nodiscard]] MetricId metric(std::string_view name);

// One value of one metric. `label` tells apart what shares the metric: a command ("get"), a worker
// ("worker-3"); usually empty. What could not be read has no sample: absent is not zero.
struct Sample {
  MetricId metric = 0;
  std::string label;
  double value = 0;
};

// All that one sampler read in one turn, with one time: the middle between asking and the answer.
struct SampleBatch {
  Nanos time{0};  // run time
  std::vector<Sample> samples;
  // Of a target of several nodes, the member's name that it is about; empty: the target as a whole,
  // or this machine.
  std::string node = {};
};

}  // namespace headroom::record
