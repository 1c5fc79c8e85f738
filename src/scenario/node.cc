#include "scenario/node.h"

#include <fmt/format.h>

#include <cmath>

#include "base/units.h"
#include "scenario/keys.h"

namespace headroom::scenario {
namespace {

constexpr double kAll = 100;

double scaled(double bytes, const Target& target) { return bytes * target.scale.value_or(1); }

}  // namespace

std::optional<std::uint64_t> shaped_maxmemory_bytes(const Target& target) {
  if (!target.memory_bytes) return std::nullopt;
  const double given = static_cast<double>(*target.memory_bytes) *
                       (kAll - target.reserved_memory_pct.value_or(0)) / kAll;
  return static_cast<std::uint64_t>(std::floor(scaled(given, target)));
}

std::uint64_t local_node_memory_bytes(const Target& target) {
  if (!target.memory_bytes) return implied_node_memory_bytes(target.maxmemory_bytes);
  return static_cast<std::uint64_t>(
      std::floor(scaled(static_cast<double>(*target.memory_bytes), target)));
}

std::uint64_t local_memory_bytes(const Target& target) {
  return local_node_memory_bytes(target) * target.shards.value_or(1);
}

std::optional<CpuEnvelope> cpu_envelope(const Target& target) {
  if (!target.vcpus) return std::nullopt;
  CpuEnvelope envelope{*target.vcpus, std::nullopt};
  if (target.credits_per_hour) {
    envelope.credits = CreditBucketSize{*target.credits_per_hour, target.credits_max.value_or(0),
                                        target.credits_initial.value_or(0)};
  }
  return envelope;
}

std::string node_text(const Target& target) {
  std::string text;
  if (target.shape) {
    text = *target.shape;
  } else if (target.memory_bytes) {
    text = fmt::format("a node of {}", print_bytes(*target.memory_bytes));
  } else if (target.vcpus) {
    text = fmt::format("a node of {} vCPUs", *target.vcpus);
  }
  if (target.scale.value_or(1) != 1) text += fmt::format(" at scale {}", *target.scale);
  return text;
}

std::string topology_text(const Target& target) {
  const auto counted = [](std::uint32_t count, std::string_view what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
  };
  const std::string replicas =
      target.replicas > 0 ? "with " + counted(target.replicas, "replica") : std::string();
  if (!target.shards) return replicas;
  const std::string shards = "a cluster of " + counted(*target.shards, "shard");
  if (replicas.empty()) return shards;
  return fmt::format("{} {}{}", shards, replicas, *target.shards > 1 ? " each" : "");
}

std::string envelope_text(const CpuEnvelope& envelope) {
  const std::string full = fmt::format("{} vCPU{}", envelope.vcpus, envelope.vcpus == 1 ? "" : "s");
  if (!envelope.credits) return full;
  const CreditBucketSize& credits = *envelope.credits;
  return fmt::format("{}, {} without credits ({} an hour, {} at most, {} at the start)", full,
                     envelope.baseline_vcpus(), credits.per_hour, credits.max, credits.initial);
}

}  // namespace headroom::scenario
