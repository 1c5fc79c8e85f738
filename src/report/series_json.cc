#include <nlohmann/json.hpp>

#include "analysis/series.h"
#include "base/units.h"
#include "report/json.h"
#include "report/json_value.h"

namespace headroom::report {
namespace {

using analysis::Second;
using analysis::SecondLatency;

Json latency_json(const SecondLatency& latency) {
  return {{"count", latency.count},
          {"p50_ns", nanos(latency.p50)},
          {"p99_ns", nanos(latency.p99)},
          {"p999_ns", nanos(latency.p999)},
          {"max_ns", nanos(latency.max)}};
}

Json second_json(const record::Run& run, const Second& second) {
  Json json;
  json["begin_ns"] = second.interval.begin.count();
  json["end_ns"] = second.interval.end.count();
  json["phase"] = record::phase_name(second.interval.phase);
  json["completed"] = second.completed;
  json["throughput_per_s"] = number(second.throughput_per_s);
  json["latency"] = latency_json(second.all);
  json["operations"] = Json::array();
  for (std::size_t i = 0; i < run.header.operations.size(); ++i) {
    Json operation;
    operation["operation"] = text(run.header.operations[i]);
    operation["sent"] = second.counts[i].sent;
    for (const record::Outcome outcome : record::kOutcomes)
      operation[std::string(outcome_name(outcome))] = second.counts[i].of(outcome);
    operation["latency"] = latency_json(second.latencies[i]);
    json["operations"].push_back(std::move(operation));
  }
  json["memory_used_ratio"] = number(second.memory_used_ratio);
  json["keys"] = number(second.keys);
  json["evictions_per_s"] = number(second.evictions_per_s);
  json["worker_cpu_max_ratio"] = number(second.worker_cpu_max_ratio);
  json["loop_lag_max_ns"] = nanos(second.loop_lag_max);
  json["in_flight"] = second.in_flight;
  json["connections_lost"] = second.connections_lost;
  json["response"] = second.response ? latency_json(*second.response) : Json();
  json["schedule"] = Json();
  if (second.schedule) {
    json["schedule"] = {{"due", second.schedule->due},
                        {"late", second.schedule->late},
                        {"backlog", second.schedule->backlog},
                        {"lag_max_ns", second.schedule->lag_max.count()}};
  }
  return json;
}

std::string_view unit_of(const std::string& metric) {
  const auto id = record::metric_by_name(metric);
  return id ? record::metric_catalogue()[*id].unit : "unknown";
}

bool is_counter(const std::string& metric) {
  const auto id = record::metric_by_name(metric);
  return id && record::metric_catalogue()[*id].kind == record::MetricKind::kCounter;
}

Json metric_json(const record::MetricSeries& series) {
  Json json;
  json["metric"] = text(series.metric);
  json["label"] = text(series.label);
  json["node"] = series.node.empty() ? Json() : Json(text(series.node));
  json["unit"] = unit_of(series.metric);
  json["cumulative"] = is_counter(series.metric);
  json["time_ns"] = Json::array();
  json["value"] = Json::array();
  for (const record::Point& point : series.points) {
    json["time_ns"].push_back(point.time.count());
    json["value"].push_back(exact(point.value));
  }
  return json;
}

}  // namespace

std::string render_series_json(const record::Run& run) {
  Json json;
  json["schema"] = "headroom-series";
  json["schema_version"] = kSeriesSchemaVersion;
  json["run_id"] = text(run.header.run_id);
  json["scenario"] = text(run.header.scenario.name);
  json["started_utc"] = iso_time(run.header.started);
  json["end"] = record::run_end_name(run.end);
  json["seconds"] = Json::array();
  for (const Second& second : analysis::per_second(run))
    json["seconds"].push_back(second_json(run, second));
  json["events"] = Json::array();
  for (const record::Event& event : run.events)
    json["events"].push_back({{"time_ns", event.time.count()},
                              {"kind", record::event_name(event.kind)},
                              {"text", text(event.text)}});
  json["metrics"] = Json::array();
  for (const record::MetricSeries& series : run.metrics)
    json["metrics"].push_back(metric_json(series));
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace headroom::report
