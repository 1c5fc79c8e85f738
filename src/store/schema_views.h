// The views of schema version 1, for people who ask a run file with sqlite3. Included by schema.cc
// alone.
#pragma once

#include <array>

#include "store/schema_text.h"

namespace headroom::store::schema_text {

inline constexpr std::array kViews = {
    SchemaText{"view", "phases_named", R"(CREATE VIEW phases_named AS
SELECT name AS phase, begin_ns / 1e9 AS begin_s, end_ns / 1e9 AS end_s,
       (end_ns - begin_ns) / 1e9 AS seconds
FROM phases JOIN phase_names USING (phase))",
               ""},

    SchemaText{"view", "throughput_per_second", R"(CREATE VIEW throughput_per_second AS
SELECT p.name AS phase, i.begin_ns / 1e9 AS begin_s, (i.end_ns - i.begin_ns) / 1e9 AS seconds,
       sum(c.hit + c.miss + c.ok) * 1e9 / (i.end_ns - i.begin_ns) AS completed_per_s,
       sum(c.hit) * 1.0 / nullif(sum(c.hit + c.miss), 0) AS hit_ratio,
       sum(c.sent) AS sent, sum(c.hit) AS hit, sum(c.miss) AS miss, sum(c.ok) AS ok,
       sum(c.rejected) AS rejected, sum(c.error) AS error, sum(c.timeout) AS timeout,
       sum(c.lost) AS lost, sum(c.unsent) AS unsent, sum(c.corrupt) AS corrupt
FROM intervals i JOIN phase_names p USING (phase) JOIN interval_counts c USING (interval_id)
GROUP BY i.interval_id)",
               ""},

    SchemaText{"view", "loads_per_second", R"(CREATE VIEW loads_per_second AS
SELECT p.name AS phase, i.begin_ns / 1e9 AS begin_s, d.name AS load,
       sum(c.hit + c.miss + c.ok) * 1e9 / (i.end_ns - i.begin_ns) AS completed_per_s,
       sum(c.hit) * 1.0 / nullif(sum(c.hit + c.miss), 0) AS hit_ratio, sum(c.sent) AS sent
FROM intervals i JOIN phase_names p USING (phase) JOIN interval_counts c USING (interval_id)
  JOIN loads d ON c.operation_id >= d.first_operation
    AND c.operation_id < d.first_operation + d.operations
GROUP BY i.interval_id, d.load_id)",
               ""},

    SchemaText{"view", "latency_per_second", R"(CREATE VIEW latency_per_second AS
SELECT p.name AS phase, i.begin_ns / 1e9 AS begin_s, o.name AS operation, u.name AS outcome,
       k.name AS kind, l.count, l.p50_ns / 1e3 AS p50_us, l.p99_ns / 1e3 AS p99_us,
       l.max_ns / 1e3 AS max_us
FROM latencies l JOIN intervals i USING (interval_id) JOIN phase_names p USING (phase)
  JOIN operations o USING (operation_id) JOIN outcome_names u USING (outcome)
  JOIN latency_kinds k USING (kind))",
               ""},

    SchemaText{"view", "connect_times_named", R"(CREATE VIEW connect_times_named AS
SELECT p.name AS phase, i.begin_ns / 1e9 AS begin_s, s.name AS step, t.again, t.count,
       t.p50_ns / 1e3 AS p50_us, t.p99_ns / 1e3 AS p99_us, t.max_ns / 1e3 AS max_us
FROM connect_times t JOIN intervals i USING (interval_id) JOIN phase_names p USING (phase)
  JOIN connect_steps s USING (step))",
               ""},

    SchemaText{"view", "workers_per_second", R"(CREATE VIEW workers_per_second AS
SELECT p.name AS phase, i.begin_ns / 1e9 AS begin_s, w.worker,
       sum(c.hit + c.miss + c.ok) * 1e9 / (i.end_ns - i.begin_ns) AS completed_per_s,
       w.cpu_ns * 1.0 / (i.end_ns - i.begin_ns) AS cpu_ratio,
       w.loop_lag_max_ns / 1e3 AS loop_lag_max_us, w.loops, w.bytes_sent, w.bytes_received,
       w.in_flight, ifnull(n.opened, 0) AS connections_opened, ifnull(n.lost, 0) AS connections_lost,
       ifnull(n.refused, 0) AS connections_refused, ifnull(n.renewed, 0) AS connections_renewed,
       ifnull(n.idle, 0) AS connections_idle
FROM worker_intervals w JOIN intervals i USING (interval_id) JOIN phase_names p USING (phase)
  JOIN worker_counts c USING (interval_id, worker)
  LEFT JOIN worker_connections n USING (interval_id, worker)
GROUP BY w.interval_id, w.worker)",
               ""},

    SchemaText{"view", "nodes_per_second", R"(CREATE VIEW nodes_per_second AS
SELECT p.name AS phase, i.begin_ns / 1e9 AS begin_s, n.name AS node,
       (c.hit + c.miss + c.ok) * 1e9 / (i.end_ns - i.begin_ns) AS completed_per_s,
       c.p50_ns / 1e3 AS p50_us, c.p99_ns / 1e3 AS p99_us, c.max_ns / 1e3 AS max_us, c.moved,
       c.asked, c.retried, c.error, c.timeout, c.lost
FROM node_intervals c JOIN intervals i USING (interval_id) JOIN phase_names p USING (phase)
  JOIN nodes n USING (node_id))",
               ""},

    SchemaText{"view", "schedule_per_second", R"(CREATE VIEW schedule_per_second AS
SELECT p.name AS phase, i.begin_ns / 1e9 AS begin_s,
       sum(s.due) * 1e9 / (i.end_ns - i.begin_ns) AS asked_per_s, sum(s.due) AS due,
       sum(s.late) AS late, sum(s.backlog) AS backlog, max(s.lag_max_ns) / 1e3 AS lag_max_us
FROM worker_schedules s JOIN intervals i USING (interval_id) JOIN phase_names p USING (phase)
GROUP BY i.interval_id)",
               ""},

    SchemaText{"view", "cache_aside_per_second", R"(CREATE VIEW cache_aside_per_second AS
SELECT p.name AS phase, i.begin_ns / 1e9 AS begin_s, c.begun, c.filled, c.failed, c.abandoned,
       c.p50_ns / 1e3 AS p50_us, c.p99_ns / 1e3 AS p99_us, c.max_ns / 1e3 AS max_us
FROM cache_aside c JOIN intervals i USING (interval_id) JOIN phase_names p USING (phase))",
               ""},

    SchemaText{"view", "splits_named", R"(CREATE VIEW splits_named AS
SELECT s.name AS split, l.part, o.name AS operation, u.name AS outcome, k.name AS kind, l.count,
       l.p50_ns / 1e3 AS p50_us, l.p99_ns / 1e3 AS p99_us, l.max_ns / 1e3 AS max_us
FROM split_latencies l JOIN split_kinds s USING (split) JOIN operations o USING (operation_id)
  JOIN outcome_names u USING (outcome) JOIN latency_kinds k USING (kind))",
               ""},

    SchemaText{"view", "slowest_requests_named", R"(CREATE VIEW slowest_requests_named AS
SELECT r.sent_ns / 1e9 AS sent_s, o.name AS operation, u.name AS outcome, r.key, r.value_bytes,
       r.service_ns / 1e3 AS service_us, r.response_ns / 1e3 AS response_us, r.worker, r.connection
FROM slowest_requests r JOIN operations o USING (operation_id) JOIN outcome_names u USING (outcome)
ORDER BY r.request_id)",
               ""},

    SchemaText{"view", "request_log_named", R"(CREATE VIEW request_log_named AS
SELECT r.sent_ns / 1e9 AS sent_s, o.name AS operation, u.name AS outcome, r.key, r.value_bytes,
       r.service_ns / 1e3 AS service_us, r.response_ns / 1e3 AS response_us, r.worker, r.connection
FROM request_log r JOIN operations o USING (operation_id) JOIN outcome_names u USING (outcome)
ORDER BY r.request_id)",
               ""},

    SchemaText{"view", "labelled_samples_named", R"(CREATE VIEW labelled_samples_named AS
SELECT t.time_ns / 1e9 AS time_s, s.node, m.name AS metric, s.label, v.value, m.unit, m.source,
       m.kind
FROM labelled_samples v JOIN samples t USING (sample_id) JOIN labelled_series s USING (series_id)
  JOIN metrics m USING (metric_id))",
               ""},

    SchemaText{"view", "events_named", R"(CREATE VIEW events_named AS
SELECT e.time_ns / 1e9 AS time_s, k.name AS kind, e.text
FROM events e JOIN event_kinds k USING (kind))",
               ""},

    SchemaText{"view", "warnings_named", R"(CREATE VIEW warnings_named AS
SELECT k.name AS kind, w.text, k.next_step
FROM warnings w JOIN warning_kinds k USING (kind))",
               ""},
};

}  // namespace headroom::store::schema_text
