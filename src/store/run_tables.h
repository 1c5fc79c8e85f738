// The rows of a run file's tables: one prepared statement each, no transactions, no policy.
// Internal to store.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "record/event.h"
#include "record/load.h"
#include "record/member.h"
#include "record/metric.h"
#include "record/run.h"
#include "store/schema.h"
#include "store/sqlite.h"

namespace headroom::store {

// Every member that writes returns SQLite's result code. Nothing may be written after release().
class RunTables {
 public:
  // `database` outlives this.
  explicit RunTables(const Database& database) : database_(database) {}

  // Makes the tables and writes the header; before anything else.
  int create(const record::RunHeader& header);
  // Prepares all that follows.
  int prepare();
  // Frees the statements, so that the database can be closed.
  void release();

  int add_fact(std::string_view key, std::string_view value);
  int add_phase(record::Phase phase, Nanos begin);
  int end_phase(record::Phase phase, Nanos end);  // aborts unless it was added
  int add_interval(const record::MergedInterval& interval);
  int add_worker_counts(const record::WorkerCounts& counts);
  int add_worker_window(const record::WorkerWindow& window);
  int add_member(const record::Member& member);
  int add_split_latency(const record::SplitSeries& series);
  int add_slow_request(const record::RequestRecord& request);
  int add_logged_request(const record::RequestRecord& request);
  int add_samples(const record::SampleBatch& batch);
  int add_event(const record::Event& event);
  int add_warning(const record::Warning& warning);
  int add_receipt(const record::Receipt& receipt);

  // Valid after create().
  [[nodiscard]] const Schema& schema() const { return schema_; }

 private:
  int add_header(const record::RunHeader& header);
  int add_loads(const scenario::Scenario& scenario);
  int add_stages(const scenario::Scenario& scenario);
  // Writes no row where all are 0.
  [[nodiscard]] int add_worker_connections(std::int64_t interval, std::uint32_t worker,
                                           const record::WorkerHealth& health);
  int add_worker_operation(std::int64_t interval, std::uint32_t worker, std::size_t operation,
                           const record::OperationCounts& counts);
  int add_latency(Statement& statement, std::int64_t owner, const record::LatencySeries& series);
  int add_cache_aside(std::int64_t interval, const record::CacheAside& fills);
  int add_request(Statement& statement, const record::RequestRecord& request);
  int add_node_interval(std::int64_t interval, const record::NodeSeries& series);
  int add_outage(std::int64_t interval, const record::Outage& outage);
  int add_connect_times(std::int64_t interval, const record::ConnectSeries& series);
  // Rows that others refer to, made when they are first named; 0 after a failure.
  std::int64_t interval_id(const record::Interval& interval);
  std::int64_t series_id(record::MetricId metric, const std::string& label,
                         const std::string& node);
  std::int64_t node_id(const std::string& name);
  [[nodiscard]] std::int64_t last_row() const {
    return sqlite3_last_insert_rowid(database_.handle());
  }
  [[nodiscard]] int last_code() const { return sqlite3_extended_errcode(database_.handle()); }

  const Database& database_;
  Schema schema_;
  std::size_t operations_ = 0;  // how many there are
  Statement fact_, phase_, phase_end_, interval_, interval_workers_, interval_counts_, latency_,
      connect_times_, node_, node_interval_, outage_, worker_interval_, worker_counts_,
      worker_failures_, worker_connections_, worker_schedule_, worker_window_, worker_latency_,
      cache_aside_, split_latency_, slow_request_, logged_request_, member_, series_, sample_,
      labelled_sample_, event_, warning_, receipt_;
  std::deque<std::pair<record::Interval, std::int64_t>> known_intervals_;  // the newest last
  std::map<std::tuple<record::MetricId, std::string, std::string>, std::int64_t> known_series_;
  std::map<std::string, std::int64_t> known_nodes_;
};

}  // namespace headroom::store
