#include "telemetry/engine_metrics.h"

#include <optional>
#include <utility>

#include "base/text.h"

namespace headroom::telemetry {
namespace {

// One INFO field that holds one number.
struct FieldMetric {
  std::string_view field;
  std::string_view metric;
  bool everywhere = true;  // told by every Valkey and by Redis since 6.2
  double scale = 1;
};

constexpr bool kSomewhere = false;

constexpr std::array kFields = {
    FieldMetric{"uptime_in_seconds", "engine_uptime_seconds"},

    FieldMetric{"connected_clients", "CurrConnections"},
    FieldMetric{"blocked_clients", "BlockedConnections"},

    FieldMetric{"used_memory", "BytesUsedForCache"},
    FieldMetric{"maxmemory", "maxmemory"},
    FieldMetric{"used_memory_dataset", "used_memory_dataset"},
    FieldMetric{"used_memory_overhead", "used_memory_overhead"},
    FieldMetric{"used_memory_startup", "used_memory_startup"},
    FieldMetric{"used_memory_peak", "used_memory_peak"},
    FieldMetric{"used_memory_rss", "used_memory_rss"},
    FieldMetric{"mem_fragmentation_ratio", "MemoryFragmentationRatio"},
    FieldMetric{"allocator_allocated", "allocator_allocated", kSomewhere},
    FieldMetric{"allocator_active", "allocator_active", kSomewhere},
    FieldMetric{"allocator_resident", "allocator_resident", kSomewhere},
    FieldMetric{"mem_not_counted_for_evict", "mem_not_counted_for_evict"},
    FieldMetric{"mem_clients_normal", "mem_clients_normal"},
    FieldMetric{"mem_total_replication_buffers", "mem_replication_buffers", kSomewhere},
    FieldMetric{"lazyfree_pending_objects", "lazyfree_pending_objects"},
    FieldMetric{"active_defrag_running", "active_defrag_running", kSomewhere, 0.01},

    FieldMetric{"loading", "loading"},
    FieldMetric{"rdb_changes_since_last_save", "rdb_changes_since_last_save"},
    FieldMetric{"rdb_bgsave_in_progress", "SaveInProgress"},
    FieldMetric{"aof_rewrite_in_progress", "aof_rewrite_in_progress"},

    FieldMetric{"total_connections_received", "NewConnections"},
    FieldMetric{"rejected_connections", "rejected_connections"},
    FieldMetric{"evicted_clients", "evicted_clients", kSomewhere},
    FieldMetric{"total_commands_processed", "total_commands_processed"},
    FieldMetric{"total_error_replies", "ErrorCount"},
    FieldMetric{"total_net_input_bytes", "total_net_input_bytes"},
    FieldMetric{"total_net_output_bytes", "total_net_output_bytes"},
    FieldMetric{"total_reads_processed", "total_reads_processed"},
    FieldMetric{"total_writes_processed", "total_writes_processed"},
    FieldMetric{"expired_keys", "Reclaimed"},
    FieldMetric{"evicted_keys", "Evictions"},
    FieldMetric{"total_eviction_exceeded_time", "total_eviction_exceeded_time", kSomewhere},
    FieldMetric{"keyspace_hits", "CacheHits"},
    FieldMetric{"keyspace_misses", "CacheMisses"},
    FieldMetric{"active_defrag_hits", "ActiveDefragHits"},
    FieldMetric{"master_last_io_seconds_ago", "ReplicationLag", kSomewhere},
    FieldMetric{"latest_fork_usec", "latest_fork_usec"},
    FieldMetric{"total_forks", "total_forks"},

    FieldMetric{"used_cpu_user", "used_cpu_user_seconds"},
    FieldMetric{"used_cpu_sys", "used_cpu_sys_seconds"},
    FieldMetric{"used_cpu_user_main_thread", "used_cpu_user_main_thread_seconds"},
    FieldMetric{"used_cpu_sys_main_thread", "used_cpu_sys_main_thread_seconds"},
    FieldMetric{"used_active_time_main_thread", "used_active_time_main_thread_seconds", kSomewhere},
    FieldMetric{"used_cpu_user_children", "used_cpu_user_children_seconds"},
    FieldMetric{"used_cpu_sys_children", "used_cpu_sys_children_seconds"},
};

// The parts of "cmdstat_get:calls=1,usec=91,...,rejected_calls=0,failed_calls=0".
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kCommandParts = {{
    {"calls", "command_calls"},
    {"usec", "command_usec"},
    {"rejected_calls", "command_rejected"},
    {"failed_calls", "command_failed"},
}};

constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kKeyspaceParts = {{
    {"keys", "CurrItems"},
    {"expires", "CurrVolatileItems"},
}};

void add(std::vector<record::Sample>& samples, std::string_view metric, double value,
         std::string label = {}) {
  samples.push_back({record::metric(metric), std::move(label), value});
}

void add_commands(std::vector<record::Sample>& samples, const resp::Info& info) {
  constexpr std::string_view kPrefix = "cmdstat_";
  const resp::Info::Section* commands = info.section("Commandstats");
  if (commands == nullptr) return;
  for (const auto& [name, value] : commands->fields) {
    if (!name.starts_with(kPrefix)) continue;
    // Engines write them in lower case; some proxies do not.
    const std::string label = lower(std::string_view(name).substr(kPrefix.size()));
    for (const auto& [part, metric] : kCommandParts) {
      const auto text = resp::info_part(value, part);
      const auto number = text ? resp::info_number(*text) : std::nullopt;
      if (number) add(samples, metric, *number, label);
    }
  }
}

void add_replication(std::vector<record::Sample>& samples, const resp::Info& info) {
  const auto role = info.text("role");
  if (!role) return;
  const bool is_primary = role == "master";
  add(samples, "IsMaster", is_primary ? 1 : 0);
  // A replica's master_repl_offset is what it would send on; what it has applied stands apart.
  const auto offset = info.number(is_primary ? "master_repl_offset" : "slave_repl_offset");
  if (offset) add(samples, "replication_offset_bytes", *offset);
  if (is_primary) return;
  if (const auto link = info.text("master_link_status"))
    add(samples, "MasterLinkHealthStatus", link == "up" ? 1 : 0);
}

}  // namespace

std::vector<record::Sample> engine_samples(const resp::Info& info) {
  std::vector<record::Sample> samples;
  for (const FieldMetric& known : kFields) {
    if (const auto value = info.number(known.field)) {
      add(samples, known.metric, *value * known.scale);
    }
  }
  for (const auto& [part, metric] : kKeyspaceParts) {
    if (const auto sum = info.keyspace_sum(part)) add(samples, metric, static_cast<double>(*sum));
  }
  add_replication(samples, info);
  add_commands(samples, info);
  return samples;
}

std::vector<std::string> missing_metrics(const resp::Info& info) {
  std::vector<std::string> missing;
  for (const FieldMetric& known : kFields) {
    if (known.everywhere && !info.number(known.field)) missing.emplace_back(known.metric);
  }
  for (const auto& [part, metric] : kKeyspaceParts) {
    if (!info.keyspace_sum(part)) missing.emplace_back(metric);
  }
  if (info.section("Commandstats") == nullptr) missing.emplace_back("command_calls");
  return missing;
}

}  // namespace headroom::telemetry
