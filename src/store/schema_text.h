// The text of schema version 1. SQLite keeps the comments, so `.schema` explains itself. Included
// by schema.cc alone.
#pragma once

#include <array>
#include <string_view>
#include <utility>

namespace headroom::store::schema_text {

struct SchemaText {
  std::string_view type;
  std::string_view name;
  std::string_view sql;
  std::string_view order;
};

inline constexpr std::array kAbout = {
    std::pair<std::string_view, std::string_view>{
        "what", "A run file of Headroom, a performance lab for Valkey and Redis caches."},
    std::pair<std::string_view, std::string_view>{
        "time",
        "Columns named _ns are nanoseconds of monotonic run time: 0 is the run's origin, "
        "whose wall time stands in the table run. Columns named _s are the same in seconds."},
    std::pair<std::string_view, std::string_view>{
        "start here",
        "The views throughput_per_second, latency_per_second, workers_per_second, "
        "labelled_samples_named, phases_named, events_named and warnings_named."},
    std::pair<std::string_view, std::string_view>{
        "absent", "What could not be read has no row or is NULL; it is never 0."},
    std::pair<std::string_view, std::string_view>{
        "incomplete",
        "A file without a row in seal was never finished: it holds all that was "
        "committed until the run died, or the run still goes. Keep FILE-wal beside "
        "such a FILE."},
    std::pair<std::string_view, std::string_view>{
        "documentation", "docs/RUN_FILE.md describes every column, the histograms and the digest."},
};

inline constexpr std::array kTables = {
    SchemaText{"table", "about", R"(CREATE TABLE about (
  topic TEXT NOT NULL PRIMARY KEY,
  explanation TEXT NOT NULL
) WITHOUT ROWID)",
               "topic"},

    SchemaText{"table", "run", R"(CREATE TABLE run (
  run_id TEXT NOT NULL PRIMARY KEY,   -- random, hex
  started_utc TEXT NOT NULL,          -- wall time of run time 0, ISO 8601, whole seconds
  started_unix_ns INTEGER NOT NULL,   -- the same exactly: nanoseconds since 1970-01-01 UTC
  tool_version TEXT NOT NULL,
  command_line TEXT NOT NULL,         -- without secrets
  scenario_toml TEXT NOT NULL         -- what was run, fully resolved
) WITHOUT ROWID)",
               "run_id"},

    SchemaText{"table", "facts", R"(CREATE TABLE facts (
  key TEXT NOT NULL PRIMARY KEY,      -- such as engine.version
  value TEXT NOT NULL
) WITHOUT ROWID)",
               "key"},

    SchemaText{"table", "phase_names", R"(CREATE TABLE phase_names (
  phase INTEGER NOT NULL PRIMARY KEY,
  name TEXT NOT NULL
))",
               "phase"},

    SchemaText{"table", "outcome_names", R"(CREATE TABLE outcome_names (
  outcome INTEGER NOT NULL PRIMARY KEY,
  name TEXT NOT NULL
))",
               "outcome"},

    SchemaText{"table", "latency_kinds", R"(CREATE TABLE latency_kinds (
  kind INTEGER NOT NULL PRIMARY KEY,
  name TEXT NOT NULL                  -- service: from the send; response: from the intended time
))",
               "kind"},

    SchemaText{"table", "connect_steps", R"(CREATE TABLE connect_steps (
  step INTEGER NOT NULL PRIMARY KEY,
  name TEXT NOT NULL                  -- connect: until connected; tls: handshake; greeting: AUTH...
))",
               "step"},

    SchemaText{"table", "event_kinds", R"(CREATE TABLE event_kinds (
  kind INTEGER NOT NULL PRIMARY KEY,
  name TEXT NOT NULL
))",
               "kind"},

    SchemaText{"table", "warning_kinds", R"(CREATE TABLE warning_kinds (
  kind INTEGER NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  next_step TEXT NOT NULL
))",
               "kind"},

    SchemaText{"table", "run_ends", R"(CREATE TABLE run_ends (
  run_end INTEGER NOT NULL PRIMARY KEY,
  name TEXT NOT NULL
))",
               "run_end"},

    SchemaText{"table", "phases", R"(CREATE TABLE phases (
  phase INTEGER NOT NULL PRIMARY KEY, -- phase_names
  begin_ns INTEGER NOT NULL,
  end_ns INTEGER                      -- NULL: the run died in this phase
))",
               "phase"},

    SchemaText{"table", "operations", R"(CREATE TABLE operations (
  operation_id INTEGER NOT NULL PRIMARY KEY,  -- from 0
  name TEXT NOT NULL                  -- SET, GET
))",
               "operation_id"},

    SchemaText{"table", "loads", R"(CREATE TABLE loads (
  load_id INTEGER NOT NULL PRIMARY KEY,  -- from 0
  name TEXT NOT NULL,                 -- of the tenant or of the stage that fills; else main
  first_worker INTEGER NOT NULL,
  workers INTEGER NOT NULL,
  first_operation INTEGER NOT NULL,
  operations INTEGER NOT NULL
))",
               "load_id"},

    SchemaText{"table", "stages", R"(CREATE TABLE stages (
  stage_id INTEGER NOT NULL PRIMARY KEY,  -- from 0
  name TEXT NOT NULL,
  begin_ns INTEGER NOT NULL,          -- since measure began
  end_ns INTEGER NOT NULL             -- the same
))",
               "stage_id"},

    SchemaText{"table", "intervals", R"(CREATE TABLE intervals (
  interval_id INTEGER NOT NULL PRIMARY KEY,
  phase INTEGER NOT NULL,             -- phase_names
  number INTEGER NOT NULL,            -- within the phase, from 0
  begin_ns INTEGER NOT NULL,
  end_ns INTEGER NOT NULL,            -- one second later, or the phase's end
  workers INTEGER                     -- how many are merged; NULL: not merged (yet)
))",
               "interval_id"},

    SchemaText{"table", "interval_counts", R"(CREATE TABLE interval_counts (
  interval_id INTEGER NOT NULL,
  operation_id INTEGER NOT NULL,
  sent INTEGER NOT NULL,              -- requests; the others are outcomes
  hit INTEGER NOT NULL,
  miss INTEGER NOT NULL,
  ok INTEGER NOT NULL,
  rejected INTEGER NOT NULL,
  error INTEGER NOT NULL,
  timeout INTEGER NOT NULL,
  lost INTEGER NOT NULL,
  unsent INTEGER NOT NULL,
  corrupt INTEGER NOT NULL,
  PRIMARY KEY (interval_id, operation_id)
) WITHOUT ROWID)",
               "interval_id, operation_id"},

    SchemaText{"table", "latencies", R"(CREATE TABLE latencies (
  latency_id INTEGER NOT NULL PRIMARY KEY,
  interval_id INTEGER NOT NULL,
  operation_id INTEGER NOT NULL,
  outcome INTEGER NOT NULL,           -- outcome_names
  kind INTEGER NOT NULL,              -- latency_kinds
  count INTEGER NOT NULL,             -- requests in the histogram
  p50_ns INTEGER NOT NULL,
  p99_ns INTEGER NOT NULL,
  max_ns INTEGER NOT NULL,
  histogram BLOB NOT NULL             -- encoded: all that the other columns say, and more
))",
               "latency_id"},

    SchemaText{"table", "connect_times", R"(CREATE TABLE connect_times (
  connect_id INTEGER NOT NULL PRIMARY KEY,
  interval_id INTEGER NOT NULL,
  step INTEGER NOT NULL,              -- connect_steps
  again INTEGER NOT NULL,             -- 1: of a connection that had been open before
  count INTEGER NOT NULL,             -- connections that did the step
  p50_ns INTEGER NOT NULL,
  p99_ns INTEGER NOT NULL,
  max_ns INTEGER NOT NULL,
  histogram BLOB NOT NULL             -- encoded
))",
               "connect_id"},

    SchemaText{"table", "cache_aside", R"(CREATE TABLE cache_aside (
  interval_id INTEGER NOT NULL PRIMARY KEY,  -- rows only of a workload that fills what it misses
  begun INTEGER NOT NULL,             -- reads that missed and asked the backend
  filled INTEGER NOT NULL,            -- ended with the SET's OK
  failed INTEGER NOT NULL,            -- the SET had an error or no reply
  abandoned INTEGER NOT NULL,         -- no SET was sent: the load ended, or the connection was gone
  p50_ns INTEGER,                     -- of the filled: from the read's send to the SET's reply
  p99_ns INTEGER,
  max_ns INTEGER,
  histogram BLOB,                     -- encoded; NULL: none was filled
  response_histogram BLOB             -- the same from the read's intended time; NULL: closed loop
))",
               "interval_id"},

    SchemaText{"table", "nodes", R"(CREATE TABLE nodes (
  node_id INTEGER NOT NULL PRIMARY KEY,
  name TEXT NOT NULL                  -- host:port, as the cluster names it
))",
               "node_id"},

    SchemaText{"table", "node_intervals", R"(CREATE TABLE node_intervals (
  interval_id INTEGER NOT NULL,       -- rows only of a cluster's nodes that had requests
  node_id INTEGER NOT NULL,
  sent INTEGER NOT NULL,              -- requests that went there first; the others: ended there as
  hit INTEGER NOT NULL,
  miss INTEGER NOT NULL,
  ok INTEGER NOT NULL,
  rejected INTEGER NOT NULL,
  error INTEGER NOT NULL,
  timeout INTEGER NOT NULL,
  lost INTEGER NOT NULL,
  unsent INTEGER NOT NULL,            -- always 0: it went nowhere
  corrupt INTEGER NOT NULL,
  moved INTEGER NOT NULL,             -- answers MOVED
  asked INTEGER NOT NULL,             -- answers ASK
  retried INTEGER NOT NULL,           -- answers after which the request was repeated
  p50_ns INTEGER,                     -- of what completed there, from the first send
  p99_ns INTEGER,
  max_ns INTEGER,
  service BLOB,                       -- encoded histogram of the same; NULL: nothing did
  response BLOB,                      -- the same from the intended time; NULL: no schedule
  PRIMARY KEY (interval_id, node_id)
) WITHOUT ROWID)",
               "interval_id, node_id"},

    SchemaText{"table", "outages", R"(CREATE TABLE outages (
  outage_id INTEGER NOT NULL PRIMARY KEY,
  interval_id INTEGER NOT NULL,       -- in which it ended
  node_id INTEGER NOT NULL,           -- whose slots had no good reply
  worker INTEGER NOT NULL,            -- that got none
  begin_ns INTEGER NOT NULL,          -- the first failure
  end_ns INTEGER,                     -- the first good reply; NULL: there was none
  successor INTEGER                   -- nodes: who gave it
))",
               "outage_id"},

    SchemaText{"table", "worker_intervals", R"(CREATE TABLE worker_intervals (
  interval_id INTEGER NOT NULL,
  worker INTEGER NOT NULL,            -- from 0
  cpu_ns INTEGER NOT NULL,            -- CPU time of the worker's thread
  loop_lag_max_ns INTEGER NOT NULL,   -- longest time without a look at the sockets
  loops INTEGER NOT NULL,             -- turns of the event loop
  bytes_sent INTEGER NOT NULL,
  bytes_received INTEGER NOT NULL,
  in_flight INTEGER NOT NULL,         -- requests without a reply at the interval's end
  PRIMARY KEY (interval_id, worker)
) WITHOUT ROWID)",
               "interval_id, worker"},

    SchemaText{"table", "worker_counts", R"(CREATE TABLE worker_counts (
  interval_id INTEGER NOT NULL,
  worker INTEGER NOT NULL,
  operation_id INTEGER NOT NULL,
  sent INTEGER NOT NULL,              -- requests; the others are outcomes
  hit INTEGER NOT NULL,
  miss INTEGER NOT NULL,
  ok INTEGER NOT NULL,
  PRIMARY KEY (interval_id, worker, operation_id)
) WITHOUT ROWID)",
               "interval_id, worker, operation_id"},

    // Apart from the good outcomes, because in most runs nearly every row would be zeros.
    SchemaText{"table", "worker_failures", R"(CREATE TABLE worker_failures (
  interval_id INTEGER NOT NULL,       -- a row only where something is not 0
  worker INTEGER NOT NULL,
  operation_id INTEGER NOT NULL,
  rejected INTEGER NOT NULL,
  error INTEGER NOT NULL,
  timeout INTEGER NOT NULL,
  lost INTEGER NOT NULL,
  unsent INTEGER NOT NULL,
  corrupt INTEGER NOT NULL,
  PRIMARY KEY (interval_id, worker, operation_id)
) WITHOUT ROWID)",
               "interval_id, worker, operation_id"},

    SchemaText{"table", "worker_connections", R"(CREATE TABLE worker_connections (
  interval_id INTEGER NOT NULL,       -- a row only where something is not 0
  worker INTEGER NOT NULL,
  opened INTEGER NOT NULL,
  lost INTEGER NOT NULL,
  refused INTEGER NOT NULL,           -- attempts that failed
  renewed INTEGER NOT NULL,           -- closed by plan, to be opened again
  idle INTEGER NOT NULL,              -- open and without use at the interval's end
  PRIMARY KEY (interval_id, worker)
) WITHOUT ROWID)",
               "interval_id, worker"},

    SchemaText{"table", "worker_schedules", R"(CREATE TABLE worker_schedules (
  interval_id INTEGER NOT NULL,       -- rows only of an open loop
  worker INTEGER NOT NULL,
  due INTEGER NOT NULL,               -- requests whose intended time fell into it
  late INTEGER NOT NULL,              -- sent in it, by 1 ms or more after their intended time
  backlog INTEGER NOT NULL,           -- due and not sent at its end
  lag_max_ns INTEGER NOT NULL,        -- longest from intended time to send
  PRIMARY KEY (interval_id, worker)
) WITHOUT ROWID)",
               "interval_id, worker"},

    SchemaText{"table", "worker_windows", R"(CREATE TABLE worker_windows (
  window_id INTEGER NOT NULL PRIMARY KEY,
  worker INTEGER NOT NULL,
  phase INTEGER NOT NULL,             -- phase_names; the window is the whole phase
  loop_lag BLOB NOT NULL,             -- encoded histogram of every turn of the loop
  schedule_lag BLOB                   -- the same from intended time to send; NULL: no schedule
))",
               "window_id"},

    SchemaText{"table", "worker_latencies", R"(CREATE TABLE worker_latencies (
  latency_id INTEGER NOT NULL PRIMARY KEY,
  window_id INTEGER NOT NULL,
  operation_id INTEGER NOT NULL,
  outcome INTEGER NOT NULL,           -- outcome_names
  kind INTEGER NOT NULL,              -- latency_kinds
  count INTEGER NOT NULL,
  p50_ns INTEGER NOT NULL,
  p99_ns INTEGER NOT NULL,
  max_ns INTEGER NOT NULL,
  histogram BLOB NOT NULL             -- encoded
))",
               "latency_id"},

    SchemaText{"table", "members", R"(CREATE TABLE members (
  name TEXT NOT NULL PRIMARY KEY,     -- host:port; also the column node of samples
  shard INTEGER NOT NULL,             -- from 1
  role TEXT NOT NULL                  -- when the run began: primary, replica
) WITHOUT ROWID)",
               "name"},
    SchemaText{"table", "split_kinds", R"(CREATE TABLE split_kinds (
  split INTEGER NOT NULL PRIMARY KEY,
  name TEXT NOT NULL                  -- value-size, keys
))",
               "split"},

    SchemaText{"table", "split_latencies", R"(CREATE TABLE split_latencies (
  split_id INTEGER NOT NULL PRIMARY KEY,
  split INTEGER NOT NULL,             -- split_kinds; all is of measure
  part INTEGER NOT NULL,              -- value-size: largest size, in bytes; keys: 1 hot, 0 cold
  operation_id INTEGER NOT NULL,
  outcome INTEGER NOT NULL,           -- outcome_names
  kind INTEGER NOT NULL,              -- latency_kinds
  count INTEGER NOT NULL,             -- requests in the histogram
  p50_ns INTEGER NOT NULL,
  p99_ns INTEGER NOT NULL,
  max_ns INTEGER NOT NULL,
  histogram BLOB NOT NULL             -- encoded
))",
               "split_id"},

    SchemaText{"table", "slowest_requests", R"(CREATE TABLE slowest_requests (
  request_id INTEGER NOT NULL PRIMARY KEY,  -- of measure; the slowest first
  sent_ns INTEGER NOT NULL,
  worker INTEGER NOT NULL,
  connection INTEGER NOT NULL,        -- of the worker, from 0
  operation_id INTEGER NOT NULL,
  outcome INTEGER NOT NULL,           -- outcome_names
  key TEXT NOT NULL,                  -- the first one
  value_bytes INTEGER,                -- written or found; NULL: none, or several
  service_ns INTEGER,                 -- from the send; NULL: no reply
  response_ns INTEGER                 -- from the intended time; NULL: closed loop
))",
               "request_id"},

    SchemaText{"table", "request_log", R"(CREATE TABLE request_log (
  request_id INTEGER NOT NULL PRIMARY KEY,  -- a sample of measure (load.request_log)
  sent_ns INTEGER NOT NULL,
  worker INTEGER NOT NULL,
  connection INTEGER NOT NULL,        -- of the worker, from 0
  operation_id INTEGER NOT NULL,
  outcome INTEGER NOT NULL,           -- outcome_names
  key TEXT NOT NULL,                  -- the first one
  value_bytes INTEGER,                -- written or found; NULL: none, or several
  service_ns INTEGER,                 -- from the send; NULL: no reply
  response_ns INTEGER                 -- from the intended time; NULL: closed loop
))",
               "request_id"},

    SchemaText{"table", "metrics", R"(CREATE TABLE metrics (
  metric_id INTEGER NOT NULL PRIMARY KEY,  -- from 0
  name TEXT NOT NULL,                 -- also a column of samples
  source TEXT NOT NULL,               -- engine, node, generator
  kind TEXT NOT NULL,                 -- gauge, or counter: cumulative, use differences
  unit TEXT NOT NULL,
  help TEXT NOT NULL
))",
               "metric_id"},

    SchemaText{"table", "samples", "", "sample_id"},  // samples_sql()

    SchemaText{"table", "labelled_series", R"(CREATE TABLE labelled_series (
  series_id INTEGER NOT NULL PRIMARY KEY,
  metric_id INTEGER NOT NULL,
  label TEXT NOT NULL,                -- what shares the metric: a command
  node TEXT                           -- members; NULL: the target as a whole
))",
               "series_id"},

    SchemaText{"table", "labelled_samples", R"(CREATE TABLE labelled_samples (
  sample_id INTEGER NOT NULL,         -- samples has its time
  series_id INTEGER NOT NULL,
  value REAL NOT NULL,                -- in the unit of the metric
  PRIMARY KEY (sample_id, series_id)
) WITHOUT ROWID)",
               "sample_id, series_id"},

    SchemaText{"table", "events", R"(CREATE TABLE events (
  event_id INTEGER NOT NULL PRIMARY KEY,
  time_ns INTEGER NOT NULL,
  kind INTEGER NOT NULL,              -- event_kinds
  text TEXT NOT NULL
))",
               "event_id"},

    SchemaText{"table", "warnings", R"(CREATE TABLE warnings (
  warning_id INTEGER NOT NULL PRIMARY KEY,
  kind INTEGER NOT NULL,              -- warning_kinds
  text TEXT NOT NULL
))",
               "warning_id"},

    SchemaText{"table", "receipts", R"(CREATE TABLE receipts (
  receipt_id INTEGER NOT NULL PRIMARY KEY,
  time_ns INTEGER NOT NULL,
  what TEXT NOT NULL,                 -- which step of the tear-down
  evidence TEXT NOT NULL,
  proved INTEGER NOT NULL             -- 1, or 0: could not be proved
))",
               "receipt_id"},

    SchemaText{"table", "ending", R"(CREATE TABLE ending (
  run_end INTEGER NOT NULL PRIMARY KEY,  -- run_ends; the only row
  reason TEXT NOT NULL
))",
               "run_end"},

    SchemaText{"table", "seal", R"(CREATE TABLE seal (
  algorithm TEXT NOT NULL PRIMARY KEY,
  digest TEXT NOT NULL                -- hex, over all other tables
) WITHOUT ROWID)",
               ""},
};

}  // namespace headroom::store::schema_text
