#include "record/metric.h"

#include <array>
#include <unordered_map>

#include "base/check.h"

namespace headroom::record {
namespace {

constexpr auto kEngine = MetricSource::kEngine;
constexpr auto kNode = MetricSource::kNode;
constexpr auto kGenerator = MetricSource::kGenerator;
constexpr auto kGauge = MetricKind::kGauge;
constexpr auto kCounter = MetricKind::kCounter;
constexpr auto kEach = AcrossNodes::kEach;

// Names are stored in run files: one may be added, none changes its name or its meaning.
constexpr std::array kCatalogue = {
    // Memory.
    MetricInfo{"BytesUsedForCache", kEngine, kGauge, "bytes",
               "Memory the engine has allocated: INFO used_memory."},
    MetricInfo{"maxmemory", kEngine, kGauge, "bytes",
               "The engine's memory limit; 0 means that it has none: INFO maxmemory."},
    MetricInfo{"used_memory_dataset", kEngine, kGauge, "bytes",
               "Memory of the data without the engine's own overhead: INFO used_memory_dataset."},
    MetricInfo{"used_memory_overhead", kEngine, kGauge, "bytes",
               "Memory of the engine's own structures and buffers: INFO used_memory_overhead."},
    MetricInfo{"used_memory_startup", kEngine, kGauge, "bytes",
               "Memory that the engine used when it had just started: INFO used_memory_startup."},
    MetricInfo{"used_memory_peak", kEngine, kGauge, "bytes",
               "Largest used_memory since the engine started: INFO used_memory_peak."},
    MetricInfo{"used_memory_rss", kEngine, kGauge, "bytes",
               "Resident memory as the engine sees it: INFO used_memory_rss."},
    MetricInfo{"MemoryFragmentationRatio", kEngine, kGauge, "ratio",
               "used_memory_rss / used_memory: INFO mem_fragmentation_ratio.", kEach},
    MetricInfo{"allocator_allocated", kEngine, kGauge, "bytes",
               "Bytes the allocator has handed out: INFO allocator_allocated."},
    MetricInfo{"allocator_active", kEngine, kGauge, "bytes",
               "Bytes in the allocator's active pages: INFO allocator_active."},
    MetricInfo{"allocator_resident", kEngine, kGauge, "bytes",
               "Bytes the allocator holds resident: INFO allocator_resident."},
    MetricInfo{
        "mem_not_counted_for_evict", kEngine, kGauge, "bytes",
        "Part of used_memory that maxmemory does not count: INFO mem_not_counted_for_evict."},
    MetricInfo{"mem_clients_normal", kEngine, kGauge, "bytes",
               "Memory of the buffers of ordinary clients: INFO mem_clients_normal."},
    MetricInfo{"mem_replication_buffers", kEngine, kGauge, "bytes",
               "Memory of the replication backlog and of the buffers of replicas: INFO "
               "mem_total_replication_buffers."},
    MetricInfo{"lazyfree_pending_objects", kEngine, kGauge, "count",
               "Objects that wait to be freed: INFO lazyfree_pending_objects."},
    MetricInfo{"active_defrag_running", kEngine, kGauge, "ratio",
               "Share of the CPU that active defragmentation aims at, 0 when it rests: INFO "
               "active_defrag_running / 100.",
               kEach},

    // Keys.
    MetricInfo{"CurrItems", kEngine, kGauge, "count",
               "Keys in all databases: INFO keyspace, sum of keys."},
    MetricInfo{"CurrVolatileItems", kEngine, kGauge, "count",
               "Keys with a time to live in all databases: INFO keyspace, sum of expires."},
    MetricInfo{"Evictions", kEngine, kCounter, "count",
               "Keys evicted because of maxmemory: INFO evicted_keys."},
    MetricInfo{"Reclaimed", kEngine, kCounter, "count", "Keys that expired: INFO expired_keys."},
    MetricInfo{"CacheHits", kEngine, kCounter, "count",
               "Look-ups of reads that found a key: INFO keyspace_hits."},
    MetricInfo{"CacheMisses", kEngine, kCounter, "count",
               "Look-ups of reads that found none: INFO keyspace_misses."},
    MetricInfo{"ActiveDefragHits", kEngine, kCounter, "count",
               "Values that active defragmentation moved: INFO active_defrag_hits."},
    MetricInfo{"total_eviction_exceeded_time", kEngine, kCounter, "milliseconds",
               "Time for which memory was above maxmemory: INFO total_eviction_exceeded_time."},

    // Clients and traffic.
    MetricInfo{"CurrConnections", kEngine, kGauge, "count",
               "Open client connections, this sampler's included: INFO connected_clients."},
    MetricInfo{"BlockedConnections", kEngine, kGauge, "count",
               "Connections that wait in a blocking command: INFO blocked_clients."},
    MetricInfo{"NewConnections", kEngine, kCounter, "count",
               "Connections accepted: INFO total_connections_received."},
    MetricInfo{"rejected_connections", kEngine, kCounter, "count",
               "Connections refused because of maxclients: INFO rejected_connections."},
    MetricInfo{"evicted_clients", kEngine, kCounter, "count",
               "Connections closed because of maxmemory-clients: INFO evicted_clients."},
    MetricInfo{"total_commands_processed", kEngine, kCounter, "count",
               "Commands executed, this sampler's included: INFO total_commands_processed."},
    MetricInfo{"ErrorCount", kEngine, kCounter, "count",
               "Error replies sent: INFO total_error_replies."},
    MetricInfo{"total_net_input_bytes", kEngine, kCounter, "bytes",
               "Bytes read from clients: INFO total_net_input_bytes."},
    MetricInfo{"total_net_output_bytes", kEngine, kCounter, "bytes",
               "Bytes written to clients: INFO total_net_output_bytes."},
    MetricInfo{"total_reads_processed", kEngine, kCounter, "count",
               "Read calls on client sockets: INFO total_reads_processed."},
    MetricInfo{"total_writes_processed", kEngine, kCounter, "count",
               "Write calls on client sockets: INFO total_writes_processed."},

    // Commands. A command without a sample has not been called since the engine started.
    MetricInfo{"command_calls", kEngine, kCounter, "count",
               "Calls of the labelled command: INFO commandstats, calls."},
    MetricInfo{"command_usec", kEngine, kCounter, "microseconds",
               "Time spent executing the labelled command: INFO commandstats, usec."},
    MetricInfo{"command_rejected", kEngine, kCounter, "count",
               "Calls refused before execution (out of memory, permissions): INFO commandstats, "
               "rejected_calls."},
    MetricInfo{"command_failed", kEngine, kCounter, "count",
               "Calls that failed while executing: INFO commandstats, failed_calls."},
    MetricInfo{"command_latency_count", kEngine, kCounter, "count",
               "Calls of the labelled command that took so long, by buckets that end with the "
               "labelled time: LATENCY HISTOGRAM, at the edges of measure."},

    // The engine's own account of its CPU.
    MetricInfo{"used_cpu_user_seconds", kEngine, kCounter, "seconds",
               "User CPU time of the whole engine process: INFO used_cpu_user.", kEach},
    MetricInfo{"used_cpu_sys_seconds", kEngine, kCounter, "seconds",
               "System CPU time of the whole engine process: INFO used_cpu_sys.", kEach},
    MetricInfo{"used_cpu_user_main_thread_seconds", kEngine, kCounter, "seconds",
               "User CPU time of the main thread: INFO used_cpu_user_main_thread.", kEach},
    MetricInfo{"used_cpu_sys_main_thread_seconds", kEngine, kCounter, "seconds",
               "System CPU time of the main thread: INFO used_cpu_sys_main_thread.", kEach},
    MetricInfo{
        "used_active_time_main_thread_seconds", kEngine, kCounter, "seconds",
        "Time the main thread worked rather than waited or polled (Valkey 9 and later): INFO "
        "used_active_time_main_thread.",
        kEach},
    MetricInfo{"used_cpu_user_children_seconds", kEngine, kCounter, "seconds",
               "User CPU time of ended child processes (saves): INFO used_cpu_user_children.",
               kEach},
    MetricInfo{"used_cpu_sys_children_seconds", kEngine, kCounter, "seconds",
               "System CPU time of ended child processes (saves): INFO used_cpu_sys_children.",
               kEach},

    // Persistence and life.
    MetricInfo{"SaveInProgress", kEngine, kGauge, "flag",
               "1 while a snapshot is being saved: INFO rdb_bgsave_in_progress."},
    MetricInfo{"aof_rewrite_in_progress", kEngine, kGauge, "flag",
               "1 while the append-only file is being rewritten: INFO aof_rewrite_in_progress."},
    MetricInfo{"rdb_changes_since_last_save", kEngine, kGauge, "count",
               "Writes since the last snapshot: INFO rdb_changes_since_last_save."},
    MetricInfo{"loading", kEngine, kGauge, "flag",
               "1 while the engine loads a dump from disk: INFO loading."},
    MetricInfo{"latest_fork_usec", kEngine, kGauge, "microseconds",
               "How long the latest fork held the engine up: INFO latest_fork_usec.", kEach},
    MetricInfo{"total_forks", kEngine, kCounter, "count",
               "Forks since the engine started: INFO total_forks."},
    MetricInfo{"engine_uptime_seconds", kEngine, kGauge, "seconds",
               "Time since the engine started, in whole seconds: INFO uptime_in_seconds.", kEach},
    MetricInfo{"info_round_trip_seconds", kEngine, kGauge, "seconds",
               "How long the engine took to answer this sampler's INFO, seen from the sampler.",
               kEach},

    // Replication.
    MetricInfo{"IsMaster", kEngine, kGauge, "flag", "1 for a primary, 0 for a replica: INFO role.",
               kEach},
    MetricInfo{"replication_offset_bytes", kEngine, kCounter, "bytes",
               "Place in the replication stream, of what a primary has written and a replica has "
               "applied: INFO master_repl_offset, slave_repl_offset.",
               kEach},
    MetricInfo{"replication_lag_bytes", kEngine, kGauge, "bytes",
               "By how much a replica's place in the stream was behind its primary's in the same "
               "turn.",
               kEach},
    MetricInfo{"ReplicationLag", kEngine, kGauge, "seconds",
               "Whole seconds since a replica last heard of its primary: INFO "
               "master_last_io_seconds_ago.",
               kEach},
    MetricInfo{"MasterLinkHealthStatus", kEngine, kGauge, "flag",
               "1 while a replica's link to its primary is up: INFO master_link_status.", kEach},

    // The engine's process as the kernel sees it; only where Headroom started the engine.
    MetricInfo{"process_cpu_user_seconds", kNode, kCounter, "seconds",
               "User CPU time of the engine process: /proc/PID/stat utime.", kEach},
    MetricInfo{"process_cpu_system_seconds", kNode, kCounter, "seconds",
               "System CPU time of the engine process: /proc/PID/stat stime.", kEach},
    MetricInfo{"process_main_thread_cpu_user_seconds", kNode, kCounter, "seconds",
               "User CPU time of the engine's main thread: /proc/PID/task/PID/stat utime.", kEach},
    MetricInfo{"process_main_thread_cpu_system_seconds", kNode, kCounter, "seconds",
               "System CPU time of the engine's main thread: /proc/PID/task/PID/stat stime.",
               kEach},
    MetricInfo{"process_threads", kNode, kGauge, "count",
               "Threads of the engine process: /proc/PID/stat num_threads.", kEach},
    MetricInfo{"process_rss_bytes", kNode, kGauge, "bytes",
               "Resident memory of the engine process: /proc/PID/status VmRSS."},
    MetricInfo{"process_swap_bytes", kNode, kGauge, "bytes",
               "Swapped-out memory of the engine process: /proc/PID/status VmSwap."},
    MetricInfo{"process_minor_faults", kNode, kCounter, "count",
               "Page faults of the engine process that needed no disk: /proc/PID/stat minflt."},
    MetricInfo{"process_major_faults", kNode, kCounter, "count",
               "Page faults of the engine process that waited for a disk: /proc/PID/stat majflt."},
    MetricInfo{"process_voluntary_context_switches", kNode, kCounter, "count",
               "Times a thread of the engine gave the CPU up to wait, sum over its threads: "
               "/proc/PID/task/*/status."},
    MetricInfo{"process_involuntary_context_switches", kNode, kCounter, "count",
               "Times a thread of the engine was taken off a CPU while it could run, sum over its "
               "threads: /proc/PID/task/*/status."},
    MetricInfo{"FreeableMemory", kNode, kGauge, "bytes",
               "Memory of the node that could be given to programs: /proc/meminfo MemAvailable."},
    MetricInfo{"SwapUsage", kNode, kGauge, "bytes",
               "Swap space in use on the node: /proc/meminfo SwapTotal - SwapFree."},

    // What a local node with a CPU quota may use and used: its cgroup's, not one process's.
    MetricInfo{"node_cpu_quota_ratio", kNode, kGauge, "ratio",
               "CPU time per second that the node may use: its vCPUs or, without CPU credits, its "
               "baseline.",
               kEach},
    MetricInfo{"node_cpu_seconds", kNode, kCounter, "seconds",
               "CPU time of the node: cgroup cpu.stat usage_usec (version 1: cpuacct.usage).",
               kEach},
    MetricInfo{"node_throttled_seconds", kNode, kCounter, "seconds",
               "Time for which the node wanted to run and its quota was used up, sum over CPUs: "
               "cgroup cpu.stat throttled_usec (version 1: throttled_time).",
               kEach},
    MetricInfo{"node_cpu_periods", kNode, kCounter, "count",
               "Quota periods in which the node wanted to run: cgroup cpu.stat nr_periods.", kEach},
    MetricInfo{"node_throttled_periods", kNode, kCounter, "count",
               "Quota periods in which the quota was used up: cgroup cpu.stat nr_throttled.",
               kEach},
    MetricInfo{"CPUCreditBalance", kNode, kGauge, "count",
               "CPU credits that the emulated node has left; one is a vCPU for a minute.", kEach},
    MetricInfo{"CPUCreditUsage", kNode, kCounter, "count",
               "CPU credits that the emulated node has spent.", kEach},

    // The machine Headroom runs on: the generator's always, and the node's too when Headroom
    // started
    // the engine.
    MetricInfo{"host_cpu_busy_seconds", kGenerator, kCounter, "seconds",
               "CPU time of all CPUs of this machine that was not idle, stolen time included: "
               "/proc/stat."},
    MetricInfo{"host_cpu_total_seconds", kGenerator, kCounter, "seconds",
               "CPU time of all CPUs of this machine, idle or not: /proc/stat."},
    MetricInfo{"host_cpu_steal_seconds", kGenerator, kCounter, "seconds",
               "CPU time that the hypervisor gave to others while this machine wanted it: "
               "/proc/stat steal."},
    MetricInfo{"host_cpus", kGenerator, kGauge, "count",
               "CPUs of this machine that are online: /proc/stat."},
};

}  // namespace

std::span<const MetricInfo> metric_catalogue() { return kCatalogue; }

std::optional<MetricId> metric_by_name(std::string_view name) {
  static const auto kByName = [] {
    std::unordered_map<std::string_view, MetricId> index;
    for (MetricId id = 0; id < kCatalogue.size(); ++id) {
      check(index.emplace(kCatalogue[id].name, id).second, "a metric stands twice");
    }
    return index;
  }();
  const auto found = kByName.find(name);
  if (found == kByName.end()) return std::nullopt;
  return found->second;
}

MetricId metric(std::string_view name) {
  const auto id = metric_by_name(name);
  check(id.has_value(), "no such metric in the catalogue");
  return *id;
}

}  // namespace headroom::record
