// The reading of one run file, table by table. Private to read_run().
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "record/run.h"
#include "store/bounded_rows.h"
#include "store/run_file.h"
#include "store/run_reader.h"
#include "store/schema.h"
#include "store/typed_row.h"

namespace headroom::store {

// More than any run has, and few enough that what is sized by it stays small.
inline constexpr std::int64_t kMostWorkers = 65'536;

// Builds a Run table by table. Tables that others refer to come first.
class Reading {
 public:
  Reading(const RunFile& file, Detail detail)
      : database_(file.database), schema_(file.schema), rows_(file.database), detail_(detail) {}

  [[nodiscard]] Result<record::Run> run();
  [[nodiscard]] Status request_log(const VisitRequest& visit);

 private:
  // Calls visit(row, statement) for each row and turns what the row complains of into an error.
  template <class Visit>
  [[nodiscard]] Status each(std::string_view table, std::string_view query, Visit visit) {
    return rows_.each(table, query, [&](const Statement& statement) -> Status {
      TypedRow row(statement);
      visit(row);
      if (row.problem().empty()) return {};
      return fail(ErrorKind::kUsage, "{}: table {}: {}; the file is damaged", database_.shown(),
                  table, row.problem());
    });
  }

  [[nodiscard]] Status read_header();
  [[nodiscard]] Status read_scenario();
  [[nodiscard]] Status read_operations();
  [[nodiscard]] Status read_facts();
  [[nodiscard]] Status read_phases();
  [[nodiscard]] Status read_intervals();
  [[nodiscard]] Status read_interval_counts();
  [[nodiscard]] Status read_latencies();
  [[nodiscard]] Status read_connect_times();
  [[nodiscard]] Status read_nodes();
  [[nodiscard]] Status read_node_intervals();
  [[nodiscard]] Status read_outages();
  [[nodiscard]] Status read_worker_intervals();
  [[nodiscard]] Status read_worker_counts();
  [[nodiscard]] Status read_worker_failures();
  [[nodiscard]] Status read_worker_connections();
  [[nodiscard]] Status read_worker_schedules();
  [[nodiscard]] Status read_worker_windows();
  [[nodiscard]] Status read_worker_latencies();
  [[nodiscard]] Status read_members();
  [[nodiscard]] Status read_cache_aside();
  [[nodiscard]] Status read_split_latencies();
  [[nodiscard]] Status read_slowest_requests();
  [[nodiscard]] Status read_samples();
  [[nodiscard]] Status read_labelled_samples();
  [[nodiscard]] Status read_remarks();
  [[nodiscard]] Status read_ending();
  // Puts all in the order that record::Run promises.
  void tidy();

  std::int64_t operation_at(TypedRow& row, int column) {
    if (run_.header.operations.empty()) row.complain(column, "names an operation; there are none");
    return row.integer(column, 0, std::ssize(run_.header.operations) - 1);
  }
  // What a row is about whose first columns are interval_id and worker; null, and the row
  // complains, if there is no such interval or worker.
  record::WorkerCounts* worker_at(TypedRow& row);
  std::string node_at(TypedRow& row, int column);
  // A row's columns from `first` on are sent and all outcomes.
  static record::OperationCounts counts_at(TypedRow& row, int first);
  // Where the series of the row's node begin in run_.metrics, one for each metric of the file. The
  // row complains of a node that is no member.
  std::size_t series_of(TypedRow& row, int column);
  stats::Histogram histogram_at(TypedRow& row, int column);
  // A row of slowest_requests or request_log, without its id.
  record::RequestRecord request_at(TypedRow& row);
  // The key and the histogram of a row whose columns from `first` on are operation, outcome, kind,
  // count, histogram.
  record::LatencySeries latency_at(TypedRow& row, int first);

  const Database& database_;
  const Schema& schema_;
  BoundedRows rows_;
  const Detail detail_;
  record::Run run_;
  std::unordered_map<std::int64_t, record::Interval> intervals_;
  std::unordered_map<std::int64_t, std::size_t> merged_;   // interval_id -> index in run_.intervals
  std::unordered_map<std::int64_t, std::string> nodes_;    // node_id -> name
  std::unordered_map<std::int64_t, std::size_t> windows_;  // window_id -> index
  std::unordered_map<std::int64_t, Nanos> sample_times_;
  std::unordered_map<std::string, std::size_t> node_series_;  // node -> index in run_.metrics
  // interval_id of each of run_.workers, as long as they are in the order of the table.
  std::vector<std::int64_t> worker_interval_ids_;
};

}  // namespace headroom::store
