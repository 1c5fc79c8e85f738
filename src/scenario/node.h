// What a local node may use, worked out from its options. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "scenario/scenario.h"

namespace headroom::scenario {

// floor(memory * (1 - reserved_memory_pct / 100) * scale), as ElastiCache gives it to the engine;
// nullopt for a node whose memory is not given.
[[nodiscard]] std::optional<std::uint64_t> shaped_maxmemory_bytes(const Target& target);

// Of one whole local node, scaled. Without a given memory, what its maxmemory implies (keys.h).
[[nodiscard]] std::uint64_t local_node_memory_bytes(const Target& target);

// Of all that hold keys of their own, which the key space of keys = "auto" is for: a local node's,
// times the shards of a cluster.
[[nodiscard]] std::uint64_t local_memory_bytes(const Target& target);

struct CreditBucketSize {
  double per_hour = 0;
  double max = 0;
  double initial = 0;
};
// What the node's CPU is held to. One vCPU is one second of CPU time each second.
struct CpuEnvelope {
  double vcpus = 0;
  std::optional<CreditBucketSize> credits;  // of burstable nodes
  // What is left to a burstable node without credits, in vCPUs; vcpus for others.
  [[nodiscard]] double baseline_vcpus() const { return credits ? credits->per_hour / 60 : vcpus; }
};
// nullopt: the node may use whatever the machine gives it.
[[nodiscard]] std::optional<CpuEnvelope> cpu_envelope(const Target& target);

// "cache.t3.small at scale 0.05", "a node of 1GiB", "a node of 2 vCPUs"; empty: no shape at all.
// Whoever names the node says its scale with it.
[[nodiscard]] std::string node_text(const Target& target);
// "a cluster of 3 shards with 1 replica each", "with 2 replicas"; empty: one node.
[[nodiscard]] std::string topology_text(const Target& target);
// "2 vCPUs", "2 vCPUs, 0.2 without credits (12 an hour, 288 at most, 288 at the start)".
[[nodiscard]] std::string envelope_text(const CpuEnvelope& envelope);

}  // namespace headroom::scenario
