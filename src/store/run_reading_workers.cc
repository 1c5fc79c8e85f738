// The tables with a row for each worker.
#include <algorithm>

#include "store/run_reading.h"

namespace headroom::store {
namespace {

// Hit, miss, ok: the first of the outcomes. The others stand in a table of their own.
constexpr std::size_t kGoodOutcomes = 3;
static_assert(record::is_completed(record::kOutcomes[kGoodOutcomes - 1]) &&
              !record::is_completed(record::kOutcomes[kGoodOutcomes]));

}  // namespace

Status Reading::read_worker_intervals() {
  return each("worker_intervals", "SELECT * FROM worker_intervals ORDER BY interval_id, worker",
              [&](TypedRow& row) {
                const std::int64_t id = row.integer(0, INT64_MIN, INT64_MAX);
                const auto interval = intervals_.find(id);
                if (interval == intervals_.end()) {
                  return row.complain(0, "names an unknown interval");
                }
                record::WorkerCounts worker;
                worker.interval = interval->second;
                worker.worker = static_cast<std::uint32_t>(row.integer(1, 0, kMostWorkers - 1));
                worker.health = {.cpu = row.duration(2),
                                 .loop_lag_max = row.duration(3),
                                 .loops = row.count(4),
                                 .bytes_sent = row.count(5),
                                 .bytes_received = row.count(6),
                                 .in_flight = row.count(7)};
                worker.counts.reserve(run_.header.operations.size());
                run_.workers.push_back(std::move(worker));
                worker_interval_ids_.push_back(id);
              });
}

// The table has one row for each worker, interval and operation, in the order of the rows that are
// there already.
Status Reading::read_worker_counts() {
  const std::size_t operations = run_.header.operations.size();
  std::size_t next = 0;
  Status read = each("worker_counts",
                     "SELECT * FROM worker_counts ORDER BY interval_id, worker, operation_id",
                     [&](TypedRow& row) {
                       const bool fits = operations > 0 && next / operations < run_.workers.size();
                       if (!fits) return row.complain(0, "names an unknown interval or worker");
                       record::WorkerCounts& worker = run_.workers[next / operations];
                       const auto operation = static_cast<std::int64_t>(next % operations);
                       row.integer(0, worker_interval_ids_[next / operations],
                                   worker_interval_ids_[next / operations]);
                       row.integer(1, worker.worker, worker.worker);
                       row.integer(2, operation, operation);
                       record::OperationCounts counts;
                       counts.sent = row.count(3);
                       for (std::size_t i = 0; i < kGoodOutcomes; ++i) {
                         counts.outcomes[i] = row.count(4 + static_cast<int>(i));
                       }
                       worker.counts.push_back(counts);
                       ++next;
                     });
  if (!read || next == run_.workers.size() * operations) return read;
  return fail(ErrorKind::kUsage, "{}: table worker_counts lacks rows; the file is damaged",
              database_.shown());
}

record::WorkerCounts* Reading::worker_at(TypedRow& row) {
  const std::int64_t id = row.integer(0, INT64_MIN, INT64_MAX);
  const auto worker = static_cast<std::uint32_t>(row.integer(1, 0, kMostWorkers - 1));
  const auto [first, last] =
      std::equal_range(worker_interval_ids_.begin(), worker_interval_ids_.end(), id);
  for (auto it = first; it != last; ++it) {
    auto& counts = run_.workers[static_cast<std::size_t>(it - worker_interval_ids_.begin())];
    if (counts.worker == worker) return &counts;
  }
  row.complain(0, "names an unknown interval or worker");
  return nullptr;
}

Status Reading::read_worker_failures() {
  return each("worker_failures",
              "SELECT * FROM worker_failures ORDER BY interval_id, worker, operation_id",
              [&](TypedRow& row) {
                record::WorkerCounts* const counts = worker_at(row);
                const auto operation = static_cast<std::size_t>(operation_at(row, 2));
                if (!row.problem().empty()) return;
                for (std::size_t i = kGoodOutcomes; i < record::kOutcomeCount; ++i) {
                  counts->counts[operation].outcomes[i] =
                      row.count(3 + static_cast<int>(i - kGoodOutcomes));
                }
              });
}

Status Reading::read_worker_connections() {
  return each(
      "worker_connections",
      "SELECT interval_id, worker, opened, lost, refused, renewed, idle"
      " FROM worker_connections ORDER BY interval_id, worker",
      [&](TypedRow& row) {
        record::WorkerCounts* const counts = worker_at(row);
        if (counts == nullptr) return;
        record::WorkerHealth& h = counts->health;
        int column = 2;
        for (auto* count : {&h.connections_opened, &h.connections_lost, &h.connections_refused,
                            &h.connections_renewed, &h.connections_idle})
          *count = row.count(column++);
      });
}

Status Reading::read_worker_schedules() {
  return each("worker_schedules",
              "SELECT interval_id, worker, due, late, backlog, lag_max_ns FROM worker_schedules"
              " ORDER BY interval_id, worker",
              [&](TypedRow& row) {
                record::WorkerCounts* const counts = worker_at(row);
                if (counts == nullptr) return;
                counts->health.schedule = {.due = row.count(2),
                                           .late = row.count(3),
                                           .backlog = row.count(4),
                                           .lag_max = row.duration(5)};
              });
}

Status Reading::read_worker_windows() {
  return each("worker_windows",
              "SELECT window_id, worker, phase, loop_lag, schedule_lag FROM worker_windows"
              " ORDER BY window_id",
              [&](TypedRow& row) {
                windows_.insert_or_assign(row.integer(0, INT64_MIN, INT64_MAX),
                                          run_.worker_windows.size());
                record::WorkerWindow window;
                window.worker = static_cast<std::uint32_t>(row.integer(1, 0, kMostWorkers - 1));
                window.phase = row.value(2, record::phase_from_value);
                window.loop_lag = histogram_at(row, 3);
                if (!row.is_null(4)) window.schedule_lag = histogram_at(row, 4);
                run_.worker_windows.push_back(std::move(window));
              });
}

Status Reading::read_worker_latencies() {
  return each("worker_latencies",
              "SELECT window_id, operation_id, outcome, kind, count, histogram"
              " FROM worker_latencies ORDER BY latency_id",
              [&](TypedRow& row) {
                const auto window = windows_.find(row.integer(0, INT64_MIN, INT64_MAX));
                if (window == windows_.end()) return row.complain(0, "names an unknown window");
                run_.worker_windows[window->second].latencies.push_back(latency_at(row, 1));
              });
}

}  // namespace headroom::store
