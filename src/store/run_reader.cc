#include "store/run_reader.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "scenario/parse.h"
#include "store/bounded_rows.h"
#include "store/run_file.h"
#include "store/schema.h"
#include "store/typed_row.h"

namespace headroom::store {
namespace {

// More than any run has, and few enough that what is sized by them stays small.
constexpr std::int64_t kMostWorkers = 65'536;
constexpr std::int64_t kMostOperations = 4'096;

// Hit, miss, ok: the first of the outcomes. The others stand in a table of their own.
constexpr std::size_t kGoodOutcomes = 3;
static_assert(record::is_completed(record::kOutcomes[kGoodOutcomes - 1]) &&
              !record::is_completed(record::kOutcomes[kGoodOutcomes]));

std::optional<record::LatencyKind> latency_kind_from_value(int stored) {
  if (stored == 0) return record::LatencyKind::kService;
  if (stored == 1) return record::LatencyKind::kResponse;
  return std::nullopt;
}

std::optional<record::RunEnd> run_end_from_value(int stored) {
  if (stored < 0 || stored > static_cast<int>(record::RunEnd::kFailed)) return std::nullopt;
  return static_cast<record::RunEnd>(stored);
}

record::OperationCounts counts_at(TypedRow& row, int first) {
  record::OperationCounts counts;
  counts.sent = row.count(first);
  for (std::size_t i = 0; i < counts.outcomes.size(); ++i) {
    counts.outcomes[i] = row.count(first + 1 + static_cast<int>(i));
  }
  return counts;
}

// Builds a Run table by table. Tables that others refer to come first.
class Reading {
 public:
  explicit Reading(const RunFile& file)
      : database_(file.database), schema_(file.schema), rows_(file.database) {}

  [[nodiscard]] Result<record::Run> run();

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
  [[nodiscard]] Status read_worker_intervals();
  [[nodiscard]] Status read_worker_counts();
  [[nodiscard]] Status read_worker_failures();
  [[nodiscard]] Status read_worker_schedules();
  [[nodiscard]] Status read_worker_windows();
  [[nodiscard]] Status read_worker_latencies();
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
  stats::Histogram histogram_at(TypedRow& row, int column);
  // The key and the histogram of a row whose columns from `first` on are operation, outcome, kind,
  // count, histogram.
  record::LatencySeries latency_at(TypedRow& row, int first);

  const Database& database_;
  const Schema& schema_;
  BoundedRows rows_;
  record::Run run_;
  std::unordered_map<std::int64_t, record::Interval> intervals_;
  std::unordered_map<std::int64_t, std::size_t> merged_;   // interval_id -> index in run_.intervals
  std::unordered_map<std::int64_t, std::size_t> windows_;  // window_id -> index
  std::unordered_map<std::int64_t, Nanos> sample_times_;
  // interval_id of each of run_.workers, as long as they are in the order of the table.
  std::vector<std::int64_t> worker_interval_ids_;
};

Result<record::Run> Reading::run() {
  for (const auto read :
       {&Reading::read_header, &Reading::read_scenario, &Reading::read_operations,
        &Reading::read_facts, &Reading::read_phases, &Reading::read_intervals,
        &Reading::read_interval_counts, &Reading::read_latencies, &Reading::read_connect_times,
        &Reading::read_worker_intervals, &Reading::read_worker_counts,
        &Reading::read_worker_failures, &Reading::read_worker_schedules,
        &Reading::read_worker_windows, &Reading::read_worker_latencies, &Reading::read_samples,
        &Reading::read_labelled_samples, &Reading::read_remarks, &Reading::read_ending}) {
    if (Status status = (this->*read)(); !status) return fail(status.error());
  }
  tidy();
  return std::move(run_);
}

Status Reading::read_header() {
  int found = 0;
  Status read = each(
      "run", "SELECT run_id, started_unix_ns, tool_version, command_line, scenario_toml FROM run",
      [&](TypedRow& row) {
        ++found;
        run_.header.run_id = row.text(0);
        run_.header.started.since_epoch = Nanos{row.integer(1, INT64_MIN, INT64_MAX)};
        run_.header.tool_version = row.text(2);
        run_.header.command_line = row.text(3);
        run_.header.scenario_toml = row.text(4);
      });
  if (!read || found == 1) return read;
  return fail(ErrorKind::kUsage, "{}: table run has {} rows, not one; the file is damaged",
              database_.shown(), found);
}

Status Reading::read_scenario() {
  auto scenario = scenario::parse_scenario(run_.header.scenario_toml, "scenario_toml");
  if (!scenario) {
    const std::string& message = scenario.error().message;
    return fail(ErrorKind::kUsage, "{}: its scenario is refused: {}", database_.shown(),
                printable(message.substr(0, message.find('\n'))));
  }
  run_.header.scenario = std::move(*scenario);
  return {};
}

Status Reading::read_operations() {
  return each("operations", "SELECT operation_id, name FROM operations ORDER BY operation_id",
              [&](TypedRow& row) {
                const auto next = std::ssize(run_.header.operations);
                row.integer(0, next, std::min<std::int64_t>(next, kMostOperations - 1));
                run_.header.operations.push_back(row.text(1));
              });
}

Status Reading::read_facts() {
  return each("facts", "SELECT key, value FROM facts",
              [&](TypedRow& row) { run_.facts.insert_or_assign(row.text(0), row.text(1)); });
}

Status Reading::read_phases() {
  return each("phases", "SELECT phase, begin_ns, end_ns FROM phases ORDER BY phase",
              [&](TypedRow& row) {
                record::PhaseSpan span;
                span.phase = row.value(0, record::phase_from_value);
                span.begin = row.time(1);
                span.end = row.time_or_null(2);
                if (span.end && *span.end < span.begin) row.complain(2, "is before begin_ns");
                run_.phases.push_back(span);
              });
}

Status Reading::read_intervals() {
  return each("intervals",
              "SELECT interval_id, phase, number, begin_ns, end_ns, workers FROM intervals"
              " ORDER BY interval_id",
              [&](TypedRow& row) {
                const std::int64_t id = row.integer(0, INT64_MIN, INT64_MAX);
                record::Interval interval;
                interval.phase = row.value(1, record::phase_from_value);
                interval.index = row.integer(2, 0, INT64_MAX);
                interval.begin = row.time(3);
                interval.end = row.time(4);
                if (interval.end < interval.begin) row.complain(4, "is before begin_ns");
                intervals_.insert_or_assign(id, interval);
                if (row.is_null(5)) return;
                record::MergedInterval merged;
                merged.interval = interval;
                merged.workers = static_cast<std::uint32_t>(row.integer(5, 0, kMostWorkers));
                merged.counts.resize(run_.header.operations.size());
                merged_.insert_or_assign(id, run_.intervals.size());
                run_.intervals.push_back(std::move(merged));
              });
}

Status Reading::read_interval_counts() {
  return each("interval_counts", "SELECT * FROM interval_counts ORDER BY interval_id, operation_id",
              [&](TypedRow& row) {
                const auto merged = merged_.find(row.integer(0, INT64_MIN, INT64_MAX));
                const auto operation = static_cast<std::size_t>(operation_at(row, 1));
                if (merged == merged_.end()) return row.complain(0, "names an unknown interval");
                if (!row.problem().empty()) return;
                run_.intervals[merged->second].counts[operation] = counts_at(row, 2);
              });
}

stats::Histogram Reading::histogram_at(TypedRow& row, int column) {
  auto histogram = stats::Histogram::decode(row.blob(column));
  if (histogram) return std::move(*histogram);
  row.complain(column, histogram.error().message);
  return {};
}

record::LatencySeries Reading::latency_at(TypedRow& row, int first) {
  record::LatencySeries series;
  series.key.operation = static_cast<std::uint16_t>(operation_at(row, first));
  series.key.outcome = row.value(first + 1, record::outcome_from_value);
  series.key.kind = row.value(first + 2, latency_kind_from_value);
  const std::uint64_t count = row.count(first + 3);
  series.histogram = histogram_at(row, first + 4);
  if (series.histogram.count() != count) row.complain(first + 3, "disagrees with the histogram");
  return series;
}

Status Reading::read_latencies() {
  return each("latencies",
              "SELECT interval_id, operation_id, outcome, kind, count, histogram FROM latencies"
              " ORDER BY latency_id",
              [&](TypedRow& row) {
                const auto merged = merged_.find(row.integer(0, INT64_MIN, INT64_MAX));
                if (merged == merged_.end()) return row.complain(0, "names an unknown interval");
                auto& latencies = run_.intervals[merged->second].latencies;
                latencies.push_back(latency_at(row, 1));
                const auto same_key = [&](const record::LatencySeries& series) {
                  return series.key == latencies.back().key;
                };
                if (std::count_if(latencies.begin(), latencies.end(), same_key) > 1) {
                  row.complain(0, "has the same histogram twice");
                }
              });
}

Status Reading::read_connect_times() {
  return each("connect_times",
              "SELECT interval_id, step, again, count, histogram FROM connect_times"
              " ORDER BY connect_id",
              [&](TypedRow& row) {
                const auto merged = merged_.find(row.integer(0, INT64_MIN, INT64_MAX));
                if (merged == merged_.end()) return row.complain(0, "names an unknown interval");
                record::ConnectSeries series;
                series.key.step = row.value(1, record::connect_step_from_value);
                series.key.again = row.integer(2, 0, 1) == 1;
                const std::uint64_t count = row.count(3);
                series.histogram = histogram_at(row, 4);
                if (series.histogram.count() != count) {
                  row.complain(3, "disagrees with the histogram");
                }
                auto& connects = run_.intervals[merged->second].connects;
                const auto same_key = [&](const record::ConnectSeries& each) {
                  return each.key == series.key;
                };
                if (std::any_of(connects.begin(), connects.end(), same_key)) {
                  row.complain(0, "has the same histogram twice");
                }
                connects.push_back(std::move(series));
              });
}

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
                                 .connections_opened = row.count(7),
                                 .connections_lost = row.count(8),
                                 .connections_refused = row.count(9),
                                 .connections_renewed = row.count(10),
                                 .connections_idle = row.count(11),
                                 .in_flight = row.count(12)};
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

Status Reading::read_samples() {
  run_.metrics.resize(schema_.metrics.size());
  for (std::size_t i = 0; i < schema_.metrics.size(); ++i) {
    run_.metrics[i].metric = schema_.metrics[i];
  }
  return each("samples", "SELECT * FROM samples ORDER BY sample_id", [&](TypedRow& row) {
    const Nanos time = row.time(1);
    sample_times_.insert_or_assign(row.integer(0, INT64_MIN, INT64_MAX), time);
    for (std::size_t i = 0; i < schema_.metrics.size(); ++i) {
      const int column = 2 + static_cast<int>(i);
      if (!row.is_null(column)) run_.metrics[i].points.push_back({time, row.real(column)});
    }
  });
}

Status Reading::read_labelled_samples() {
  std::unordered_map<std::int64_t, std::size_t> series;  // series_id -> index in run_.metrics
  Status read =
      each("labelled_series",
           "SELECT series_id, metric_id, label FROM labelled_series ORDER BY series_id",
           [&](TypedRow& row) {
             const std::int64_t metric = row.integer(1, 0, std::ssize(schema_.metrics) - 1);
             if (!row.problem().empty()) return;
             series.insert_or_assign(row.integer(0, INT64_MIN, INT64_MAX), run_.metrics.size());
             run_.metrics.push_back(
                 {schema_.metrics[static_cast<std::size_t>(metric)], row.text(2), {}});
           });
  if (!read) return read;
  return each("labelled_samples",
              "SELECT sample_id, series_id, value FROM labelled_samples"
              " ORDER BY sample_id, series_id",
              [&](TypedRow& row) {
                const auto time = sample_times_.find(row.integer(0, INT64_MIN, INT64_MAX));
                const auto one = series.find(row.integer(1, INT64_MIN, INT64_MAX));
                if (time == sample_times_.end()) return row.complain(0, "names an unknown sample");
                if (one == series.end()) return row.complain(1, "names an unknown series");
                run_.metrics[one->second].points.push_back({time->second, row.real(2)});
              });
}

Status Reading::read_remarks() {
  Status read = each(
      "events", "SELECT time_ns, kind, text FROM events ORDER BY event_id", [&](TypedRow& row) {
        run_.events.push_back({row.time(0), row.value(1, record::event_from_value), row.text(2)});
      });
  if (!read) return read;
  read =
      each("warnings", "SELECT kind, text FROM warnings ORDER BY warning_id", [&](TypedRow& row) {
        run_.warnings.push_back({row.value(0, record::warning_from_value), row.text(1)});
      });
  if (!read) return read;
  return each(
      "receipts", "SELECT time_ns, what, evidence, proved FROM receipts ORDER BY receipt_id",
      [&](TypedRow& row) {
        run_.receipts.push_back({row.time(0), row.text(1), row.text(2), row.integer(3, 0, 1) == 1});
      });
}

Status Reading::read_ending() {
  return each("ending", "SELECT run_end, reason FROM ending", [&](TypedRow& row) {
    run_.end = row.value(0, run_end_from_value);
    run_.end_reason = row.text(1);
  });
}

void Reading::tidy() {
  // A metric without a point was never read: absent.
  std::erase_if(run_.metrics, [](const auto& series) { return series.points.empty(); });
  for (record::MetricSeries& series : run_.metrics) {
    std::stable_sort(series.points.begin(), series.points.end(),
                     [](const auto& a, const auto& b) { return a.time < b.time; });
  }
  std::stable_sort(run_.intervals.begin(), run_.intervals.end(), [](const auto& a, const auto& b) {
    return a.interval.begin < b.interval.begin;
  });
  std::stable_sort(run_.workers.begin(), run_.workers.end(), [](const auto& a, const auto& b) {
    return std::pair(a.interval.begin, a.worker) < std::pair(b.interval.begin, b.worker);
  });
}

}  // namespace

Result<record::Run> read_run(const std::filesystem::path& path) {
  const auto file = open_run_file(path);
  if (!file) return fail(file.error());
  return Reading(*file).run();
}

}  // namespace headroom::store
