#include "store/run_tables.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/check.h"
#include "base/units.h"
#include "scenario/loads.h"

namespace headroom::store {
namespace {

// Reports of one interval come within moments of one another; an interval that is older than so
// many others gets a second row if it comes again.
constexpr std::size_t kKnownIntervals = 256;

std::int64_t ns(std::optional<Nanos> time) { return time.value_or(Nanos{0}).count(); }

void bind_counts(Statement& statement, int first, const record::OperationCounts& counts) {
  statement.bind(first, counts.sent);
  for (std::size_t i = 0; i < counts.outcomes.size(); ++i) {
    statement.bind(first + 1 + static_cast<int>(i), counts.outcomes[i]);
  }
}

}  // namespace

int RunTables::create(const record::RunHeader& header) {
  if (const int code = create_schema(database_, schema_); code != SQLITE_OK) return code;
  return add_header(header);
}

int RunTables::add_header(const record::RunHeader& header) {
  Statement run(database_, "INSERT INTO run VALUES (?, ?, ?, ?, ?, ?)");
  Statement operation(database_, "INSERT INTO operations VALUES (?, ?)");
  if (!run.valid() || !operation.valid()) return last_code();
  const std::string started = iso_time(header.started);
  run.bind(1, header.run_id)
      .bind(2, started)
      .bind(3, std::int64_t{header.started.since_epoch.count()})
      .bind(4, header.tool_version)
      .bind(5, header.command_line)
      .bind(6, header.scenario_toml);
  if (const int code = run.run(); code != SQLITE_OK) return code;
  for (const std::string& name : header.operations) {
    const int code = operation.bind(1, operations_++).bind(2, name).run();
    if (code != SQLITE_OK) return code;
  }
  const int code = add_loads(header.scenario);
  return code == SQLITE_OK ? add_stages(header.scenario) : code;
}

int RunTables::add_loads(const scenario::Scenario& scenario) {
  Statement insert(database_, "INSERT INTO loads VALUES (?, ?, ?, ?, ?, ?)");
  if (!insert.valid()) return last_code();
  std::int64_t id = 0;
  for (const scenario::NamedLoad& load : scenario::loads_of(scenario)) {
    const std::string name = scenario::display_name(load);
    // Only its file knows those of a trace.
    const std::size_t operations = load.workload.replays() ? operations_ : load.operations;
    const int code = insert.bind(1, id++)
                         .bind(2, name)
                         .bind(3, std::int64_t{load.first_worker})
                         .bind(4, std::int64_t{load.load.workers})
                         .bind(5, static_cast<std::int64_t>(load.first_operation))
                         .bind(6, static_cast<std::int64_t>(operations))
                         .run();
    if (code != SQLITE_OK) return code;
  }
  return SQLITE_OK;
}

int RunTables::add_stages(const scenario::Scenario& scenario) {
  Statement insert(database_, "INSERT INTO stages VALUES (?, ?, ?, ?)");
  if (!insert.valid()) return last_code();
  std::int64_t id = 0;
  for (const scenario::StageTurn& turn : scenario::stage_turns(scenario)) {
    const int code = insert.bind(1, id++)
                         .bind(2, turn.name)
                         .bind(3, std::int64_t{turn.begin.count()})
                         .bind(4, std::int64_t{turn.end.count()})
                         .run();
    if (code != SQLITE_OK) return code;
  }
  return SQLITE_OK;
}

int RunTables::prepare() {
  std::string insert_sample = "INSERT INTO samples VALUES (NULL, ?, ?";
  for (std::size_t i = 0; i < schema_.metrics.size(); ++i) insert_sample += ", ?";
  insert_sample += ")";
  const std::pair<Statement*, std::string_view> statements[] = {
      {&fact_, "INSERT OR REPLACE INTO facts VALUES (?, ?)"},
      {&phase_, "INSERT INTO phases (phase, begin_ns) VALUES (?, ?)"},
      {&phase_end_, "UPDATE phases SET end_ns = ?2 WHERE phase = ?1"},
      {&event_, "INSERT INTO events (time_ns, kind, text) VALUES (?, ?, ?)"},
      {&warning_, "INSERT INTO warnings (kind, text) VALUES (?, ?)"},
      {&receipt_, "INSERT INTO receipts (time_ns, what, evidence, proved) VALUES (?, ?, ?, ?)"},
      {&interval_, "INSERT INTO intervals (phase, number, begin_ns, end_ns) VALUES (?, ?, ?, ?)"},
      {&interval_workers_, "UPDATE intervals SET workers = ?2 WHERE interval_id = ?1"},
      {&interval_counts_,
       "INSERT INTO interval_counts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"},
      {&latency_, "INSERT INTO latencies VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?)"},
      {&connect_times_, "INSERT INTO connect_times VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)"},
      {&node_, "INSERT INTO nodes (name) VALUES (?)"},
      {&node_interval_,
       "INSERT INTO node_intervals VALUES "
       "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"},
      {&outage_, "INSERT INTO outages VALUES (NULL, ?, ?, ?, ?, ?, ?)"},
      {&worker_interval_, "INSERT INTO worker_intervals VALUES (?, ?, ?, ?, ?, ?, ?, ?)"},
      {&worker_counts_, "INSERT INTO worker_counts VALUES (?, ?, ?, ?, ?, ?, ?)"},
      {&worker_failures_, "INSERT INTO worker_failures VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"},
      {&worker_connections_, "INSERT INTO worker_connections VALUES (?, ?, ?, ?, ?, ?, ?)"},
      {&worker_schedule_, "INSERT INTO worker_schedules VALUES (?, ?, ?, ?, ?, ?)"},
      {&worker_window_, "INSERT INTO worker_windows VALUES (NULL, ?, ?, ?, ?)"},
      {&worker_latency_, "INSERT INTO worker_latencies VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?)"},
      {&member_, "INSERT INTO members VALUES (?, ?, ?)"},
      {&cache_aside_, "INSERT INTO cache_aside VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"},
      {&split_latency_, "INSERT INTO split_latencies VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"},
      {&slow_request_, "INSERT INTO slowest_requests VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?)"},
      {&logged_request_, "INSERT INTO request_log VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?)"},
      {&series_, "INSERT INTO labelled_series (metric_id, label, node) VALUES (?, ?, ?)"},
      {&sample_, insert_sample},
      {&labelled_sample_, "INSERT OR REPLACE INTO labelled_samples VALUES (?, ?, ?)"},
  };
  for (const auto& [statement, sql] : statements) {
    *statement = Statement(database_, sql);
    if (!statement->valid()) return last_code();
  }
  return SQLITE_OK;
}

void RunTables::release() {
  for (Statement* statement : {&fact_,
                               &phase_,
                               &phase_end_,
                               &interval_,
                               &interval_workers_,
                               &interval_counts_,
                               &latency_,
                               &connect_times_,
                               &node_,
                               &node_interval_,
                               &outage_,
                               &worker_interval_,
                               &worker_counts_,
                               &worker_failures_,
                               &worker_connections_,
                               &worker_schedule_,
                               &worker_window_,
                               &worker_latency_,
                               &member_,
                               &cache_aside_,
                               &split_latency_,
                               &slow_request_,
                               &logged_request_,
                               &series_,
                               &sample_,
                               &labelled_sample_,
                               &event_,
                               &warning_,
                               &receipt_}) {
    *statement = Statement();
  }
}

int RunTables::add_fact(std::string_view key, std::string_view value) {
  return fact_.bind(1, key).bind(2, value).run();
}

int RunTables::add_phase(record::Phase phase, Nanos begin) {
  return phase_.bind(1, static_cast<int>(phase)).bind(2, ns(begin)).run();
}

int RunTables::end_phase(record::Phase phase, Nanos end) {
  const int code = phase_end_.bind(1, static_cast<int>(phase)).bind(2, ns(end)).run();
  check(code != SQLITE_OK || sqlite3_changes(database_.handle()) == 1,
        "a phase that ends has begun");
  return code;
}

std::int64_t RunTables::interval_id(const record::Interval& interval) {
  const auto known = std::find_if(known_intervals_.rbegin(), known_intervals_.rend(),
                                  [&](const auto& entry) { return entry.first == interval; });
  if (known != known_intervals_.rend()) return known->second;
  interval_.bind(1, static_cast<int>(interval.phase))
      .bind(2, interval.index)
      .bind(3, ns(interval.begin))
      .bind(4, ns(interval.end));
  if (interval_.run() != SQLITE_OK) return 0;
  known_intervals_.emplace_back(interval, last_row());
  if (known_intervals_.size() > kKnownIntervals) known_intervals_.pop_front();
  return known_intervals_.back().second;
}

int RunTables::add_latency(Statement& statement, std::int64_t owner,
                           const record::LatencySeries& series) {
  check(series.key.operation < operations_, "a latency of an operation that the run does not have");
  const stats::Histogram& histogram = series.histogram;
  const std::string encoded = histogram.encode();
  statement.bind(1, owner)
      .bind(2, int{series.key.operation})
      .bind(3, static_cast<int>(series.key.outcome))
      .bind(4, static_cast<int>(series.key.kind))
      .bind(5, histogram.count())
      .bind(6, ns(histogram.quantile(0.5)))
      .bind(7, ns(histogram.quantile(0.99)))
      .bind(8, ns(histogram.max()))
      .bind_blob(9, encoded);
  return statement.run();
}

int RunTables::add_connect_times(std::int64_t interval, const record::ConnectSeries& series) {
  const stats::Histogram& histogram = series.histogram;
  const std::string encoded = histogram.encode();
  connect_times_.bind(1, interval)
      .bind(2, static_cast<int>(series.key.step))
      .bind(3, series.key.again ? 1 : 0)
      .bind(4, histogram.count())
      .bind(5, ns(histogram.quantile(0.5)))
      .bind(6, ns(histogram.quantile(0.99)))
      .bind(7, ns(histogram.max()))
      .bind_blob(8, encoded);
  return connect_times_.run();
}

int RunTables::add_cache_aside(std::int64_t interval, const record::CacheAside& fills) {
  const std::string service = fills.service.encode();
  const std::string response = fills.response.encode();
  cache_aside_.clear_bindings();
  cache_aside_.bind(1, interval)
      .bind(2, fills.begun)
      .bind(3, fills.filled)
      .bind(4, fills.failed)
      .bind(5, fills.abandoned);
  if (!fills.service.empty()) {
    cache_aside_.bind(6, ns(fills.service.quantile(0.5)))
        .bind(7, ns(fills.service.quantile(0.99)))
        .bind(8, ns(fills.service.max()))
        .bind_blob(9, service);
  }
  if (!fills.response.empty()) cache_aside_.bind_blob(10, response);
  return cache_aside_.run();
}

int RunTables::add_split_latency(const record::SplitSeries& series) {
  const record::LatencyKey& key = series.key.latency;
  check(key.operation < operations_, "a latency of an operation that the run does not have");
  const stats::Histogram& histogram = series.histogram;
  const std::string encoded = histogram.encode();
  return split_latency_.bind(1, static_cast<int>(series.key.split))
      .bind(2, series.key.part)
      .bind(3, int{key.operation})
      .bind(4, static_cast<int>(key.outcome))
      .bind(5, static_cast<int>(key.kind))
      .bind(6, histogram.count())
      .bind(7, ns(histogram.quantile(0.5)))
      .bind(8, ns(histogram.quantile(0.99)))
      .bind(9, ns(histogram.max()))
      .bind_blob(10, encoded)
      .run();
}

int RunTables::add_request(Statement& statement, const record::RequestRecord& request) {
  check(request.operation < operations_, "a request of an operation that the run does not have");
  statement.clear_bindings();
  statement.bind(1, ns(request.sent))
      .bind(2, request.worker)
      .bind(3, request.connection)
      .bind(4, int{request.operation})
      .bind(5, static_cast<int>(request.outcome))
      .bind(6, request.key);
  if (request.value_bytes) statement.bind(7, *request.value_bytes);
  if (request.service) statement.bind(8, ns(request.service));
  if (request.response) statement.bind(9, ns(request.response));
  return statement.run();
}

int RunTables::add_slow_request(const record::RequestRecord& request) {
  return add_request(slow_request_, request);
}

int RunTables::add_logged_request(const record::RequestRecord& request) {
  return add_request(logged_request_, request);
}

int RunTables::add_interval(const record::MergedInterval& interval) {
  check(interval.counts.size() == operations_, "an interval has counts for every operation");
  const std::int64_t id = interval_id(interval.interval);
  if (id == 0) return last_code();
  int code = interval_workers_.bind(1, id).bind(2, interval.workers).run();
  for (std::size_t i = 0; i < operations_ && code == SQLITE_OK; ++i) {
    interval_counts_.bind(1, id).bind(2, i);
    bind_counts(interval_counts_, 3, interval.counts[i]);
    code = interval_counts_.run();
  }
  for (const record::LatencySeries& series : interval.latencies) {
    if (code == SQLITE_OK && !series.histogram.empty()) code = add_latency(latency_, id, series);
  }
  for (const record::ConnectSeries& series : interval.connects) {
    if (code == SQLITE_OK && !series.histogram.empty()) code = add_connect_times(id, series);
  }
  if (code == SQLITE_OK && interval.cache_aside) code = add_cache_aside(id, *interval.cache_aside);
  for (const record::NodeSeries& series : interval.nodes) {
    if (code == SQLITE_OK) code = add_node_interval(id, series);
  }
  for (const record::Outage& outage : interval.outages) {
    if (code == SQLITE_OK) code = add_outage(id, outage);
  }
  return code;
}

int RunTables::add_node_interval(std::int64_t interval, const record::NodeSeries& series) {
  const std::int64_t node = node_id(series.node);
  if (node == 0) return last_code();
  const std::string service = series.service.encode();
  const std::string response = series.response.encode();
  node_interval_.clear_bindings();
  node_interval_.bind(1, interval).bind(2, node);
  bind_counts(node_interval_, 3, series.counts.requests);
  node_interval_.bind(13, series.counts.moved)
      .bind(14, series.counts.asked)
      .bind(15, series.counts.retried);
  if (!series.service.empty()) {
    node_interval_.bind(16, ns(series.service.quantile(0.5)))
        .bind(17, ns(series.service.quantile(0.99)))
        .bind(18, ns(series.service.max()))
        .bind_blob(19, service);
  }
  if (!series.response.empty()) node_interval_.bind_blob(20, response);
  return node_interval_.run();
}

int RunTables::add_outage(std::int64_t interval, const record::Outage& outage) {
  const std::int64_t node = node_id(outage.node);
  if (node == 0) return last_code();
  outage_.clear_bindings();
  outage_.bind(1, interval).bind(2, node).bind(3, outage.worker).bind(4, ns(outage.begin));
  if (outage.end) outage_.bind(5, ns(outage.end));
  if (!outage.successor.empty()) {
    const std::int64_t successor = node_id(outage.successor);
    if (successor == 0) return last_code();
    outage_.bind(6, successor);
  }
  return outage_.run();
}

std::int64_t RunTables::node_id(const std::string& name) {
  const auto known = known_nodes_.find(name);
  if (known != known_nodes_.end()) return known->second;
  if (node_.bind(1, name).run() != SQLITE_OK) return 0;
  return known_nodes_.emplace(name, last_row()).first->second;
}

int RunTables::add_worker_operation(std::int64_t interval, std::uint32_t worker,
                                    std::size_t operation, const record::OperationCounts& counts) {
  worker_counts_.bind(1, interval).bind(2, worker).bind(3, operation).bind(4, counts.sent);
  worker_failures_.bind(1, interval).bind(2, worker).bind(3, operation);
  int good = 5;
  int failed = 4;
  std::uint64_t failures = 0;
  for (const record::Outcome outcome : record::kOutcomes) {
    if (record::is_completed(outcome)) {
      worker_counts_.bind(good++, counts.of(outcome));
    } else {
      worker_failures_.bind(failed++, counts.of(outcome));
      failures |= counts.of(outcome);
    }
  }
  const int code = worker_counts_.run();
  return code == SQLITE_OK && failures != 0 ? worker_failures_.run() : code;
}

int RunTables::add_worker_connections(std::int64_t interval, std::uint32_t worker,
                                      const record::WorkerHealth& health) {
  worker_connections_.bind(1, interval).bind(2, worker);
  int column = 3;
  std::uint64_t any = 0;
  for (const std::uint64_t count :
       {health.connections_opened, health.connections_lost, health.connections_refused,
        health.connections_renewed, health.connections_idle}) {
    worker_connections_.bind(column++, count);
    any |= count;
  }
  return any == 0 ? SQLITE_OK : worker_connections_.run();
}

int RunTables::add_worker_counts(const record::WorkerCounts& counts) {
  check(counts.counts.size() == operations_, "a worker has counts for every operation");
  const std::int64_t id = interval_id(counts.interval);
  if (id == 0) return last_code();
  const record::WorkerHealth& health = counts.health;
  worker_interval_.bind(1, id)
      .bind(2, counts.worker)
      .bind(3, ns(health.cpu))
      .bind(4, ns(health.loop_lag_max))
      .bind(5, health.loops)
      .bind(6, health.bytes_sent)
      .bind(7, health.bytes_received)
      .bind(8, health.in_flight);
  int code = worker_interval_.run();
  if (code == SQLITE_OK) code = add_worker_connections(id, counts.worker, health);
  if (code == SQLITE_OK && health.schedule) {
    worker_schedule_.bind(1, id)
        .bind(2, counts.worker)
        .bind(3, health.schedule->due)
        .bind(4, health.schedule->late)
        .bind(5, health.schedule->backlog)
        .bind(6, ns(health.schedule->lag_max));
    code = worker_schedule_.run();
  }
  for (std::size_t i = 0; i < operations_ && code == SQLITE_OK; ++i) {
    code = add_worker_operation(id, counts.worker, i, counts.counts[i]);
  }
  return code;
}

int RunTables::add_worker_window(const record::WorkerWindow& window) {
  const std::string loop_lag = window.loop_lag.encode();
  const std::string schedule_lag = window.schedule_lag.encode();
  worker_window_.clear_bindings();
  worker_window_.bind(1, window.worker).bind(2, static_cast<int>(window.phase));
  worker_window_.bind_blob(3, loop_lag);
  if (!window.schedule_lag.empty()) worker_window_.bind_blob(4, schedule_lag);
  int code = worker_window_.run();
  const std::int64_t id = last_row();
  for (const record::LatencySeries& series : window.latencies) {
    if (code == SQLITE_OK && !series.histogram.empty()) {
      code = add_latency(worker_latency_, id, series);
    }
  }
  return code;
}

std::int64_t RunTables::series_id(record::MetricId metric, const std::string& label,
                                  const std::string& node) {
  const auto known = known_series_.find({metric, label, node});
  if (known != known_series_.end()) return known->second;
  series_.clear_bindings();
  series_.bind(1, int{metric}).bind(2, label);
  if (!node.empty()) series_.bind(3, node);
  if (series_.run() != SQLITE_OK) return 0;
  return known_series_.emplace(std::tuple{metric, label, node}, last_row()).first->second;
}

int RunTables::add_member(const record::Member& member) {
  return member_.bind(1, member.name)
      .bind(2, member.shard)
      .bind(3, record::member_role_name(member.role))
      .run();
}

int RunTables::add_samples(const record::SampleBatch& batch) {
  sample_.clear_bindings();
  sample_.bind(1, ns(batch.time));
  if (!batch.node.empty()) sample_.bind(2, batch.node);
  for (const record::Sample& sample : batch.samples) {
    check(sample.metric < schema_.metrics.size(), "a sample's metric is in the catalogue");
    if (sample.label.empty() && !std::isnan(sample.value)) {
      sample_.bind(3 + int{sample.metric}, sample.value);
    }
  }
  if (const int code = sample_.run(); code != SQLITE_OK) return code;
  const std::int64_t id = last_row();
  for (const record::Sample& sample : batch.samples) {
    if (sample.label.empty() || std::isnan(sample.value)) continue;
    const std::int64_t series = series_id(sample.metric, sample.label, batch.node);
    if (series == 0) return last_code();
    const int code = labelled_sample_.bind(1, id).bind(2, series).bind(3, sample.value).run();
    if (code != SQLITE_OK) return code;
  }
  return SQLITE_OK;
}

int RunTables::add_event(const record::Event& event) {
  event_.bind(1, ns(event.time)).bind(2, static_cast<int>(event.kind)).bind(3, event.text);
  return event_.run();
}

int RunTables::add_warning(const record::Warning& warning) {
  return warning_.bind(1, static_cast<int>(warning.kind)).bind(2, warning.text).run();
}

int RunTables::add_receipt(const record::Receipt& receipt) {
  return receipt_.bind(1, ns(receipt.time))
      .bind(2, receipt.what)
      .bind(3, receipt.evidence)
      .bind(4, receipt.proved ? 1 : 0)
      .run();
}

}  // namespace headroom::store
