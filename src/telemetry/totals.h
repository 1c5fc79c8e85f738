// What several nodes are together. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "record/metric.h"
#include "telemetry/telemetry.h"

namespace headroom::telemetry {

// What one node told in a turn.
struct NodeReading {
  std::uint32_t shard = 1;
  bool is_primary = true;
  std::vector<record::Sample> samples;
};

// The value of a metric without a label.
[[nodiscard]] std::optional<double> value_of(const std::vector<record::Sample>& samples,
                                             std::string_view metric);

// The sums over the primaries of the metrics that can be summed (record::AcrossNodes::kSum).
// Nothing unless each of the `shards` has exactly one primary among the readings: a sum with a hole
// in it, or with a shard twice, would be no sum. A metric that not every primary told is left out;
// of the labelled ones (commands), what a primary does not list it has never done.
[[nodiscard]] std::vector<record::Sample> totals(std::span<const NodeReading> readings,
                                                 std::uint32_t shards);

// Memory of the fullest primary, counts over all; `readings` as above.
[[nodiscard]] Glance glance_of(std::span<const NodeReading> readings, std::uint32_t shards);

// By how many bytes of the replication stream each replica was behind its primary, in the order of
// the readings; absent for primaries and for what cannot be told. What a replica is ahead, because
// it answered a moment later, is 0.
[[nodiscard]] std::vector<std::optional<double>> replication_lags(
    std::span<const NodeReading> readings);

}  // namespace headroom::telemetry
