#include "store/run_reader.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "scenario/parse.h"
#include "store/run_reading.h"

namespace headroom::store {
namespace {

// More than any run has, and few enough that what is sized by it stays small.
constexpr std::int64_t kMostOperations = 4'096;
constexpr std::int64_t kMostMembers = 1'024;

std::optional<record::LatencyKind> latency_kind_from_value(int stored) {
  if (stored == 0) return record::LatencyKind::kService;
  if (stored == 1) return record::LatencyKind::kResponse;
  return std::nullopt;
}

std::optional<record::RunEnd> run_end_from_value(int stored) {
  if (stored < 0 || stored > static_cast<int>(record::RunEnd::kFailed)) return std::nullopt;
  return static_cast<record::RunEnd>(stored);
}

// What request_at() wants.
std::string request_query(std::string_view table) {
  return fmt::format(
      "SELECT sent_ns, worker, connection, operation_id, outcome, key, value_bytes, service_ns,"
      " response_ns FROM {} ORDER BY request_id",
      table);
}

}  // namespace

Result<record::Run> Reading::run() {
  for (const auto read : {&Reading::read_header,
                          &Reading::read_scenario,
                          &Reading::read_operations,
                          &Reading::read_facts,
                          &Reading::read_phases,
                          &Reading::read_intervals,
                          &Reading::read_interval_counts,
                          &Reading::read_connect_times,
                          &Reading::read_nodes,
                          &Reading::read_node_intervals,
                          &Reading::read_outages,
                          &Reading::read_worker_intervals,
                          &Reading::read_worker_counts,
                          &Reading::read_worker_failures,
                          &Reading::read_worker_connections,
                          &Reading::read_worker_schedules,
                          &Reading::read_worker_windows,
                          &Reading::read_worker_latencies,
                          &Reading::read_members,
                          &Reading::read_cache_aside,
                          &Reading::read_split_latencies,
                          &Reading::read_slowest_requests,
                          &Reading::read_samples,
                          &Reading::read_labelled_samples,
                          &Reading::read_remarks,
                          &Reading::read_ending,
                          &Reading::read_latencies}) {
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

record::OperationCounts Reading::counts_at(TypedRow& row, int first) {
  record::OperationCounts counts;
  counts.sent = row.count(first);
  for (std::size_t i = 0; i < counts.outcomes.size(); ++i) {
    counts.outcomes[i] = row.count(first + 1 + static_cast<int>(i));
  }
  return counts;
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

// After the ending, which says whether those of whole phases were written.
Status Reading::read_latencies() {
  if (detail_ == Detail::kPhases && run_.end == record::RunEnd::kComplete) return {};
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

Status Reading::read_cache_aside() {
  return each("cache_aside",
              "SELECT interval_id, begun, filled, failed, abandoned, histogram,"
              " response_histogram FROM cache_aside ORDER BY interval_id",
              [&](TypedRow& row) {
                const auto merged = merged_.find(row.integer(0, INT64_MIN, INT64_MAX));
                if (merged == merged_.end()) return row.complain(0, "names an unknown interval");
                record::CacheAside fills;
                fills.begun = row.count(1);
                fills.filled = row.count(2);
                fills.failed = row.count(3);
                fills.abandoned = row.count(4);
                if (!row.is_null(5)) fills.service = histogram_at(row, 5);
                if (!row.is_null(6)) fills.response = histogram_at(row, 6);
                if (fills.service.count() != fills.filled) {
                  row.complain(2, "disagrees with the histogram");
                }
                run_.intervals[merged->second].cache_aside = std::move(fills);
              });
}

Status Reading::read_split_latencies() {
  return each(
      "split_latencies",
      "SELECT split, part, operation_id, outcome, kind, count, histogram FROM split_latencies"
      " ORDER BY split_id",
      [&](TypedRow& row) {
        record::SplitSeries series;
        series.key.split = row.value(0, record::split_from_value);
        series.key.part = row.count(1);
        if (!record::is_part(series.key.split, series.key.part)) {
          row.complain(1, "is no part of that split");
        }
        record::LatencySeries latency = latency_at(row, 2);
        series.key.latency = latency.key;
        series.histogram = std::move(latency.histogram);
        const auto same_key = [&](const record::SplitSeries& each) {
          return each.key == series.key;
        };
        if (std::any_of(run_.splits.begin(), run_.splits.end(), same_key)) {
          row.complain(0, "has the same histogram twice");
        }
        run_.splits.push_back(std::move(series));
      });
}

record::RequestRecord Reading::request_at(TypedRow& row) {
  record::RequestRecord request;
  request.sent = row.time(0);
  request.worker = static_cast<std::uint32_t>(row.integer(1, 0, kMostWorkers - 1));
  request.connection = static_cast<std::uint32_t>(row.integer(2, 0, UINT32_MAX));
  request.operation = static_cast<std::uint16_t>(operation_at(row, 3));
  request.outcome = row.value(4, record::outcome_from_value);
  request.key = row.text(5);
  if (!row.is_null(6)) request.value_bytes = row.count(6);
  if (!row.is_null(7)) request.service = row.duration(7);
  if (!row.is_null(8)) request.response = row.duration(8);
  return request;
}

Status Reading::read_slowest_requests() {
  return each("slowest_requests", request_query("slowest_requests"),
              [&](TypedRow& row) { run_.slowest.push_back(request_at(row)); });
}

Status Reading::request_log(const VisitRequest& visit) {
  if (Status read = read_operations(); !read) return read;
  return each("request_log", request_query("request_log"), [&](TypedRow& row) {
    const record::RequestRecord request = request_at(row);
    if (row.problem().empty()) visit(run_.header.operations, request);
  });
}

Status Reading::read_members() {
  return each("members", "SELECT name, shard, role FROM members ORDER BY shard, role, name",
              [&](TypedRow& row) {
                record::Member member;
                member.name = row.text(0);
                member.shard = static_cast<std::uint32_t>(row.integer(1, 1, kMostMembers));
                const auto role = record::member_role_from_name(row.text(2));
                if (!role) row.complain(2, "is no role");
                if (member.name.empty()) row.complain(0, "is empty");
                if (std::ssize(run_.members) >= kMostMembers) row.complain(0, "is one too many");
                member.role = role.value_or(record::MemberRole::kPrimary);
                run_.members.push_back(std::move(member));
              });
}

std::size_t Reading::series_of(TypedRow& row, int column) {
  const std::string node = row.is_null(column) ? std::string() : row.text(column);
  const auto known = node_series_.find(node);
  if (known != node_series_.end()) return known->second;
  if (!row.is_null(column) &&
      std::ranges::find(run_.members, node, &record::Member::name) == run_.members.end()) {
    row.complain(column, "names an unknown member");
    return 0;
  }
  const std::size_t first = run_.metrics.size();
  for (const std::string& metric : schema_.metrics) run_.metrics.push_back({metric, "", {}, node});
  return node_series_.emplace(node, first).first->second;
}

Status Reading::read_samples() {
  return each("samples", "SELECT * FROM samples ORDER BY sample_id", [&](TypedRow& row) {
    const Nanos time = row.time(1);
    const std::size_t first = series_of(row, 2);
    if (!row.problem().empty()) return;
    sample_times_.insert_or_assign(row.integer(0, INT64_MIN, INT64_MAX), time);
    for (std::size_t i = 0; i < schema_.metrics.size(); ++i) {
      const int column = 3 + static_cast<int>(i);
      if (!row.is_null(column)) run_.metrics[first + i].points.push_back({time, row.real(column)});
    }
  });
}

Status Reading::read_labelled_samples() {
  std::unordered_map<std::int64_t, std::size_t> series;  // series_id -> index in run_.metrics
  Status read =
      each("labelled_series",
           "SELECT series_id, metric_id, label, node FROM labelled_series ORDER BY series_id",
           [&](TypedRow& row) {
             const std::int64_t metric = row.integer(1, 0, std::ssize(schema_.metrics) - 1);
             if (!row.problem().empty()) return;
             series.insert_or_assign(row.integer(0, INT64_MIN, INT64_MAX), run_.metrics.size());
             run_.metrics.push_back({schema_.metrics[static_cast<std::size_t>(metric)],
                                     row.text(2),
                                     {},
                                     row.is_null(3) ? std::string() : row.text(3)});
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
  // Files that we wrote are in order; to sort them would copy an hour of rows for nothing.
  const auto sort_by = [](auto& rows, auto key) {
    const auto before = [&](const auto& a, const auto& b) { return key(a) < key(b); };
    if (!std::is_sorted(rows.begin(), rows.end(), before))
      std::stable_sort(rows.begin(), rows.end(), before);
  };
  for (record::MetricSeries& series : run_.metrics)
    sort_by(series.points, [](const record::Point& point) { return point.time; });
  sort_by(run_.intervals, [](const auto& merged) { return merged.interval.begin; });
  sort_by(run_.workers,
          [](const auto& counts) { return std::pair(counts.interval.begin, counts.worker); });
}

Status read_request_log(const std::filesystem::path& path, const VisitRequest& visit) {
  const auto file = open_run_file(path);
  if (!file) return fail(file.error());
  return Reading(*file, Detail::kPhases).request_log(visit);
}

Result<record::Run> read_run(const std::filesystem::path& path, Detail detail) {
  const auto file = open_run_file(path);
  if (!file) return fail(file.error());
  return Reading(*file, detail).run();
}

}  // namespace headroom::store
