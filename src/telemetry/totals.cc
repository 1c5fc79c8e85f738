#include "telemetry/totals.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace headroom::telemetry {
namespace {

// One for each shard; empty if that cannot be.
std::vector<const NodeReading*> primaries(std::span<const NodeReading> readings,
                                          std::uint32_t shards) {
  std::map<std::uint32_t, const NodeReading*> of_shard;
  for (const NodeReading& reading : readings) {
    if (reading.is_primary && !of_shard.emplace(reading.shard, &reading).second) return {};
  }
  if (of_shard.size() != shards) return {};
  std::vector<const NodeReading*> found;
  for (const auto& [shard, reading] : of_shard) found.push_back(reading);
  return found;
}

}  // namespace

std::optional<double> value_of(const std::vector<record::Sample>& samples,
                               std::string_view metric) {
  const record::MetricId id = record::metric(metric);
  const auto found = std::ranges::find_if(samples, [id](const record::Sample& sample) {
    return sample.metric == id && sample.label.empty();
  });
  return found == samples.end() ? std::nullopt : std::optional(found->value);
}

std::vector<record::Sample> totals(std::span<const NodeReading> readings, std::uint32_t shards) {
  struct Sum {
    double value = 0;
    std::uint32_t told = 0;
  };
  std::map<std::pair<record::MetricId, std::string>, Sum> sums;
  for (const NodeReading* primary : primaries(readings, shards)) {
    for (const record::Sample& sample : primary->samples) {
      if (record::metric_catalogue()[sample.metric].across != record::AcrossNodes::kSum) continue;
      Sum& sum = sums[{sample.metric, sample.label}];
      sum.value += sample.value;
      ++sum.told;
    }
  }
  std::vector<record::Sample> samples;
  for (auto& [key, sum] : sums) {
    if (key.second.empty() && sum.told < shards) continue;
    samples.push_back({key.first, key.second, sum.value});
  }
  return samples;
}

Glance glance_of(std::span<const NodeReading> readings, std::uint32_t shards) {
  Glance glance;
  double fullest = -1;
  const auto found = primaries(readings, shards);
  for (const NodeReading* primary : found) {
    const auto used = value_of(primary->samples, "BytesUsedForCache");
    auto limit = value_of(primary->samples, "maxmemory");
    if (limit == 0.0) limit.reset();  // it has none
    const double ratio = used && limit ? *used / *limit : 0;
    if (ratio <= fullest) continue;
    fullest = ratio;
    glance.used_memory_bytes = used;
    glance.maxmemory_bytes = limit;
  }
  const auto sum = [&](std::string_view metric) -> std::optional<double> {
    if (found.empty()) return std::nullopt;
    double total = 0;
    for (const NodeReading* primary : found) {
      const auto value = value_of(primary->samples, metric);
      if (!value) return std::nullopt;
      total += *value;
    }
    return total;
  };
  glance.evicted_keys = sum("Evictions");
  glance.keys = sum("CurrItems");
  return glance;
}

std::vector<std::optional<double>> replication_lags(std::span<const NodeReading> readings) {
  std::map<std::uint32_t, std::optional<double>> offsets;  // of the primaries
  for (const NodeReading& reading : readings) {
    if (reading.is_primary)
      offsets[reading.shard] = value_of(reading.samples, "replication_offset_bytes");
  }
  std::vector<std::optional<double>> lags;
  for (const NodeReading& reading : readings) {
    const auto primary = offsets.find(reading.shard);
    const auto own = value_of(reading.samples, "replication_offset_bytes");
    const bool known =
        !reading.is_primary && own && primary != offsets.end() && primary->second.has_value();
    lags.push_back(known ? std::optional(std::max(0.0, *primary->second - *own)) : std::nullopt);
  }
  return lags;
}

}  // namespace headroom::telemetry
