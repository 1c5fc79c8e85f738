#include "report/json.h"

#include <nlohmann/json.hpp>

#include "analysis/latency.h"
#include "base/text.h"
#include "base/units.h"
#include "report/expectations.h"
#include "report/json_value.h"
#include "report/summary_json.h"

namespace headroom::report {
namespace {

using analysis::Summary;
using analysis::WindowSummary;
using record::Outcome;

Json name_or_null(const std::string& name) { return name.empty() ? Json() : Json(text(name)); }

Json window_json(const analysis::Window& window, Nanos origin) {
  return {{"name", window.name},
          {"begin_ns", (window.begin - origin).count()},
          {"end_ns", (window.end - origin).count()},
          {"length_s", number(window.seconds())}};
}

Json latency_json(const analysis::LatencySummary& latency) {
  Json json;
  json["operation"] = text(latency.operation);
  json["outcome"] = latency.all_completed ? "completed" : Json(outcome_name(latency.outcome));
  json["from"] = latency.kind == record::LatencyKind::kService ? "send" : "intended";
  json["count"] = latency.count;
  json["out_of_range"] = latency.out_of_range;
  json["mean_ns"] = number(latency.mean_ns);
  json["min_ns"] = nanos(latency.min);
  json["p50_ns"] = nanos(latency.p50);
  json["p90_ns"] = nanos(latency.p90);
  json["p99_ns"] = nanos(latency.p99);
  json["p999_ns"] = nanos(latency.p999);
  json["p9999_ns"] = nanos(latency.p9999);
  json["max_ns"] = nanos(latency.max);
  return json;
}

Json outcomes_json(const WindowSummary& window) {
  Json json = Json::object();
  for (const auto& [operation, outcomes] : window.outcomes) {
    Json counts = Json::object();
    for (const auto& [outcome, count] : outcomes)
      counts[std::string(outcome_name(outcome))] = count;
    json[text(operation)] = std::move(counts);
  }
  return json;
}

Json window_summary_json(const WindowSummary& window, Nanos origin) {
  Json json;
  json["window"] = window_json(window.window, origin);
  json["completed"] = window.completed;
  json["throughput_per_s"] = number(window.throughput_per_s);
  json["throughput_cv_per_minute_ratio"] = number(window.throughput_cv_per_minute);
  json["throughput_cv_per_second_ratio"] = number(window.throughput_cv_per_second);
  json["peak_minute_throughput_per_s"] = number(window.peak_throughput_per_minute);
  json["peak_second_throughput_per_s"] = number(window.peak_throughput_per_second);
  json["outcomes"] = outcomes_json(window);
  json["latencies"] = Json::array();
  for (const auto& latency : window.latencies) json["latencies"].push_back(latency_json(latency));
  json["hit_ratio_client"] = number(window.hit_ratio_client);
  json["hit_ratio_engine"] = number(window.hit_ratio_engine);
  json["memory_used_max_ratio"] = number(window.memory_used_max_ratio);
  json["memory_used_mean_ratio"] = number(window.memory_used_mean_ratio);
  json["evictions"] = number(window.evictions);
  json["expired"] = number(window.expired);
  json["engine_cpu_main_thread_ratio"] = number(window.engine_cpu_main_thread);
  json["engine_cpu_process_ratio"] = number(window.engine_cpu_process);
  json["engines_cpu_ratio"] = number(window.engines_cpu);
  json["busiest_node"] = name_or_null(window.busiest_node);
  json["fullest_node"] = name_or_null(window.fullest_node);
  json["in_flight_mean"] = number(window.concurrency);
  return json;
}

Json run_json(const record::Run& run, const Summary& summary, const Source& source) {
  const record::RunHeader& header = run.header;
  Json json;
  json["run_id"] = text(header.run_id);
  json["scenario"] = text(header.scenario.name);
  json["started_utc"] = iso_time(header.started);
  json["command_line"] = text(header.command_line);
  json["tool_version"] = text(header.tool_version);
  json["file"] = source.file.empty() ? Json() : Json(text(source.file));
  json["complete"] = summary.complete;
  json["end"] = record::run_end_name(run.end);
  json["end_reason"] = run.end_reason.empty() ? Json() : Json(text(run.end_reason));
  json["seal"] = seal_name(source.seal);
  json["digest_sha256"] = source.digest.empty() ? Json() : Json(text(source.digest));
  json["scenario_toml"] = header.scenario_toml;
  json["facts"] = Json::object();
  for (const auto& [key, value] : run.facts) json["facts"][text(key)] = text(value);
  return json;
}

Json memory_json(const Summary& summary) {
  Json json;
  json["headroom_ratio"] = number(summary.headroom_ratio);
  json["first_eviction_ns"] = nanos(summary.first_eviction);
  json["peak_keys"] = number(summary.peak_keys);
  json["per_key_bytes"] = number(summary.bytes_per_key);
  json["maxmemory_bytes"] = number(summary.maxmemory_bytes);
  json["used_max_bytes"] = number(summary.memory_used_max_bytes);
  json["dataset_max_bytes"] = number(summary.dataset_max_bytes);
  json["rss_max_bytes"] = number(summary.rss_max_bytes);
  json["swap_max_bytes"] = number(summary.swap_max_bytes);
  json["fragmentation_ratio"] = number(summary.fragmentation_ratio);
  return json;
}

Json cpu_json(const analysis::NodeCpu& node) {
  return {{"cpu_quota_ratio", number(node.quota_vcpus)},
          {"cpu_ratio", number(node.cpu_ratio)},
          {"held_ratio", number(node.held_ratio)},
          {"throttled_ratio", number(node.throttled_ratio)},
          {"credits_first", number(node.credits_first)},
          {"credits_last", number(node.credits_last)},
          {"credits_spent", number(node.credits_spent)}};
}

Json node_json(const record::Run& run, const Summary& summary) {
  if (!summary.node) return {};
  const scenario::Target& target = run.header.scenario.target;
  Json json = {{"name", name_or_null(summary.node->name)},
               {"shape", target.shape ? Json(text(*target.shape)) : Json()},
               {"scale_ratio", number(target.scale)}};
  json.update(cpu_json(*summary.node));
  return json;
}

Json engine_commands_json(const Summary& summary) {
  Json json = Json::array();
  for (const analysis::EngineCommand& command : summary.engine_commands) {
    json.push_back({{"command", text(command.name)},
                    {"calls", command.calls},
                    {"mean_ns", number(command.mean_ns)},
                    {"p50_at_most_ns", nanos(command.p50_at_most)},
                    {"p99_at_most_ns", nanos(command.p99_at_most)},
                    {"client_mean_ns", number(command.client_mean_ns)},
                    {"client_p50_ns", nanos(command.client_p50)},
                    {"client_p99_ns", nanos(command.client_p99)}});
  }
  return json;
}

Json members_json(const Summary& summary) {
  Json json = Json::array();
  for (const analysis::MemberSummary& member : summary.members) {
    json.push_back({{"name", text(member.member.name)},
                    {"shard", member.member.shard},
                    {"role", record::member_role_name(member.member.role)},
                    {"memory_used_max_ratio", number(member.memory_used_max_ratio)},
                    {"peak_keys", number(member.peak_keys)},
                    {"evictions", number(member.evictions)},
                    {"commands_per_s", number(member.commands_per_s)},
                    {"engine_cpu_main_thread_ratio", number(member.engine_cpu_main_thread)},
                    {"engine_cpu_process_ratio", number(member.engine_cpu_process)},
                    {"rss_max_bytes", number(member.rss_max_bytes)},
                    {"cpu_quota", member.node ? cpu_json(*member.node) : Json()},
                    {"replication_lag_max_bytes", number(member.lag_max_bytes)},
                    {"replication_lag_max_s", number(member.lag_max_seconds)},
                    {"link_up_ratio", number(member.link_up_ratio)}});
  }
  return json;
}

Json limiter_json(const analysis::LimiterVerdict& limiter, Nanos origin) {
  Json json = {{"name", analysis::limiter_name(limiter.limiter)},
               {"evidence", text(limiter.evidence)},
               {"parts", Json::array()}};
  for (const analysis::LimiterPart& part : limiter.parts) {
    json["parts"].push_back({{"begin_ns", (part.window.begin - origin).count()},
                             {"end_ns", (part.window.end - origin).count()},
                             {"name", analysis::limiter_name(part.limiter)},
                             {"evidence", text(part.evidence)}});
  }
  return json;
}

Json generator_json(const Summary& summary) {
  Json json;
  json["configured_slots"] = summary.configured_slots;
  json["in_flight_at_end"] = summary.in_flight_at_end ? Json(*summary.in_flight_at_end) : Json();
  json["worker_skew_ratio"] = number(summary.worker_skew_ratio);
  json["host_cpu_busy_ratio"] = number(summary.host_cpu_busy_ratio);
  json["workers"] = Json::array();
  for (const analysis::WorkerSummary& worker : summary.workers) {
    json["workers"].push_back({{"worker", worker.worker},
                               {"throughput_per_s", number(worker.throughput_per_s)},
                               {"cpu_ratio", number(worker.cpu_ratio)},
                               {"away_ratio", number(worker.away_ratio)},
                               {"loop_lag_p99_ns", nanos(worker.loop_lag_p99)},
                               {"loop_lag_max_ns", nanos(worker.loop_lag_max)}});
  }
  return json;
}

Json connections_json(const analysis::ConnectionsSummary& connections) {
  Json json;
  json["opened"] = connections.opened;
  json["renewed"] = connections.renewed;
  json["lost"] = connections.lost;
  json["refused"] = connections.refused;
  json["idle_at_end"] = connections.idle ? Json(*connections.idle) : Json();
  json["steps"] = Json::array();
  for (const analysis::ConnectSummary& step : connections.steps) {
    json["steps"].push_back({{"step", record::connect_step_name(step.key.step)},
                             {"again", step.key.again},
                             {"count", step.count},
                             {"mean_ns", number(step.mean_ns)},
                             {"min_ns", nanos(step.min)},
                             {"p50_ns", nanos(step.p50)},
                             {"p90_ns", nanos(step.p90)},
                             {"p99_ns", nanos(step.p99)},
                             {"p999_ns", nanos(step.p999)},
                             {"max_ns", nanos(step.max)}});
  }
  return json;
}

Json splits_json(const Summary& summary) {
  Json json = Json::array();
  for (const analysis::SplitSummary& split : summary.splits) {
    const bool sized = split.split == record::Split::kValueSize;
    Json latencies = Json::array();
    for (const auto& latency : split.latencies) latencies.push_back(latency_json(latency));
    json.push_back({{"split", record::split_name(split.split)},
                    {"part", record::part_label(split.split, split.part)},
                    {"most_bytes", sized ? Json(split.part) : Json()},
                    {"latencies", std::move(latencies)}});
  }
  return json;
}

Json slowest_json(const record::Run& run, Nanos origin) {
  Json json = Json::array();
  for (const record::RequestRecord& request : run.slowest) {
    json.push_back({{"sent_ns", (request.sent - origin).count()},
                    {"operation", text(run.header.operations.at(request.operation))},
                    {"outcome", record::outcome_name(request.outcome)},
                    {"key", text(request.key)},
                    {"value_bytes", request.value_bytes ? Json(*request.value_bytes) : Json()},
                    {"worker", request.worker},
                    {"connection", request.connection},
                    {"service_ns", nanos(request.service)},
                    {"response_ns", nanos(request.response)}});
  }
  return json;
}

Json cache_aside_json(const std::optional<analysis::CacheAsideSummary>& fills) {
  if (!fills) return {};
  return {{"begun", fills->begun},
          {"filled", fills->filled},
          {"failed", fills->failed},
          {"abandoned", fills->abandoned},
          {"waiting_at_end", fills->waiting_at_end}};
}

Json schedule_json(const std::optional<analysis::ScheduleSummary>& schedule) {
  if (!schedule) return {};
  return {{"asked_per_s", number(schedule->asked_per_s)},
          {"due", schedule->due},
          {"sent", schedule->sent},
          {"late", schedule->late},
          {"unsent", schedule->unsent},
          {"backlog_max", schedule->backlog_max},
          {"lag_p50_ns", nanos(schedule->lag_p50)},
          {"lag_p99_ns", nanos(schedule->lag_p99)},
          {"lag_max_ns", schedule->lag_max.count()},
          {"oldest_unsent_ns", nanos(schedule->oldest_unsent)}};
}

Json node_counts_json(const record::NodeCounts& counts) {
  Json json;
  json["sent"] = counts.requests.sent;
  for (const record::Outcome outcome : record::kOutcomes) {
    if (outcome == record::Outcome::kUnsent) continue;
    json[record::outcome_name(outcome)] = counts.requests.of(outcome);
  }
  json["moved"] = counts.moved;
  json["asked"] = counts.asked;
  json["retried"] = counts.retried;
  return json;
}

Json node_latency_json(const analysis::NodeLatency& latency) {
  return {{"p50_ns", nanos(latency.p50)},
          {"p99_ns", nanos(latency.p99)},
          {"p999_ns", nanos(latency.p999)},
          {"max_ns", nanos(latency.max)}};
}

Json cluster_json(const std::optional<analysis::ClusterSummary>& cluster, Nanos origin) {
  if (!cluster) return {};
  Json json = {{"total", node_counts_json(cluster->total)},
               {"nodes", Json::array()},
               {"outages", Json::array()}};
  for (const analysis::NodeSummary& node : cluster->nodes) {
    json["nodes"].push_back(
        {{"node", text(node.node)},
         {"throughput_per_s", number(node.throughput_per_s)},
         {"counts", node_counts_json(node.counts)},
         {"service", node_latency_json(node.service)},
         {"response", node.response ? node_latency_json(*node.response) : Json()}});
  }
  for (const analysis::OutageSummary& outage : cluster->outages) {
    const auto length = outage.end ? std::optional(*outage.end - outage.begin) : std::nullopt;
    json["outages"].push_back(
        {{"node", text(outage.node)},
         {"begin_ns", (outage.begin - origin).count()},
         {"unavailable_ns", nanos(length)},
         {"successor", outage.successor.empty() ? Json() : Json(text(outage.successor))},
         {"workers", outage.workers},
         {"failed", outage.failed},
         {"recovered_after_ns", nanos(outage.recovered_after)}});
  }
  return json;
}

Json conservation_json(const analysis::Conservation& account) {
  Json json;
  json["client_adds_up"] = account.client_adds_up;
  json["engine_agrees"] = account.engine_agrees ? Json(*account.engine_agrees) : Json();
  json["in_flight"] = account.in_flight;
  json["operations"] = Json::array();
  for (const analysis::Conservation::Row& row : account.rows) {
    const auto calls = account.engine_calls(row);
    json["operations"].push_back({{"operation", text(row.operation)},
                                  {"sent", row.sent},
                                  {"ended", row.outcomes},
                                  {"unanswered", row.unanswered},
                                  {"engine_calls", calls ? Json(*calls) : Json()}});
  }
  json["commands"] = Json::array();
  for (const analysis::Conservation::Command& command : account.commands) {
    json["commands"].push_back(
        {{"command", text(command.name)},
         {"sent", command.sent},
         {"uncertain", command.uncertain},
         {"engine_calls", command.engine_calls ? Json(*command.engine_calls) : Json()}});
  }
  return json;
}

Json stable_json(const std::optional<analysis::StableSegment>& stable, Nanos origin) {
  if (!stable) return {};
  Json json;
  json["mean_per_s"] = number(stable->mean_per_s);
  json["mean_low_per_s"] = number(stable->low_per_s);
  json["mean_high_per_s"] = number(stable->high_per_s);
  json["confidence_ratio"] = number(stable->confidence);
  json["interval_too_narrow"] = stable->interval_too_narrow;
  json["segments"] = stable->segments;
  json["summary"] = window_summary_json(stable->summary, origin);
  return json;
}

Json loads_json(const std::vector<analysis::LoadSummary>& loads) {
  Json json = Json::array();
  for (const analysis::LoadSummary& load : loads) {
    Json one;
    one["load"] = text(load.name);
    one["fills"] = load.fills;
    one["first_worker"] = load.first_worker;
    one["workers"] = load.workers;
    one["slots"] = load.slots;
    one["slots_used_ratio"] = number(load.slots_used_ratio);
    one["worker_cpu_max_ratio"] = number(load.worker_cpu_max_ratio);
    one["completed"] = load.measure.completed;
    one["throughput_per_s"] = number(load.measure.throughput_per_s);
    one["throughput_cv_per_second_ratio"] = number(load.measure.throughput_cv_per_second);
    one["peak_second_throughput_per_s"] = number(load.measure.peak_throughput_per_second);
    one["outcomes"] = outcomes_json(load.measure);
    one["latencies"] = Json::array();
    for (const auto& latency : load.measure.latencies)
      one["latencies"].push_back(latency_json(latency));
    one["hit_ratio_client"] = number(load.measure.hit_ratio_client);
    one["in_flight_mean"] = number(load.measure.concurrency);
    one["schedule"] = schedule_json(load.schedule);
    one["sent"] = load.sent;
    one["ended"] = load.ended;
    one["adds_up"] = load.adds_up;
    json.push_back(std::move(one));
  }
  return json;
}

Json stages_json(const std::vector<analysis::StageSummary>& stages, Nanos origin) {
  Json json = Json::array();
  for (const analysis::StageSummary& stage : stages) {
    json.push_back(
        {{"is_stage", stage.is_stage}, {"summary", window_summary_json(stage.summary, origin)}});
  }
  return json;
}

Json lifecycle_json(const record::Run& run) {
  Json json;
  json["phases"] = Json::array();
  for (const record::PhaseSpan& span : run.phases) {
    json["phases"].push_back({{"phase", record::phase_name(span.phase)},
                              {"begin_ns", span.begin.count()},
                              {"end_ns", nanos(span.end)}});
  }
  json["receipts"] = Json::array();
  for (const record::Receipt& receipt : run.receipts) {
    json["receipts"].push_back({{"time_ns", receipt.time.count()},
                                {"what", text(receipt.what)},
                                {"proved", receipt.proved},
                                {"evidence", text(receipt.evidence)}});
  }
  return json;
}

Json warnings_json(const Summary& summary) {
  Json json = Json::array();
  for (const analysis::Doubt& doubt : summary.warnings) {
    json.push_back({{"kind", record::warning_info(doubt.kind).name},
                    {"seen", text(doubt.seen)},
                    {"next_step", doubt.next_step}});
  }
  return json;
}

}  // namespace

Json summary_json(const record::Run& run, const Summary& summary, const Source& source) {
  const Nanos origin = summary.measure.window.begin;
  const auto part = [&](const std::optional<WindowSummary>& window) {
    return window ? window_summary_json(*window, origin) : Json();
  };
  Json json;
  json["schema"] = "headroom-summary";
  json["schema_version"] = kSummarySchemaVersion;
  json["run"] = run_json(run, summary, source);
  json["regime"] = {
      {"name",
       summary.regime.regime ? Json(analysis::regime_name(*summary.regime.regime)) : Json()},
      {"evidence", text(summary.regime.evidence)}};
  json["limiter"] = limiter_json(summary.limiter, origin);
  json["warnings"] = warnings_json(summary);
  json["expectations"] = expectations_json(summary.expectations);
  json["measure"] = window_summary_json(summary.measure, origin);
  json["before_first_eviction"] = part(summary.before_eviction);
  json["after_first_eviction"] = part(summary.after_eviction);
  json["stages"] = stages_json(summary.stages, origin);
  json["loads"] = loads_json(summary.loads);
  json["stable_segment"] = stable_json(summary.stable, origin);
  json["memory"] = memory_json(summary);
  json["node"] = node_json(run, summary);
  json["nodes"] = members_json(summary);
  json["engine_commands"] = engine_commands_json(summary);
  json["generator"] = generator_json(summary);
  json["connections"] = connections_json(summary.connections);
  json["splits"] = splits_json(summary);
  json["slowest"] = slowest_json(run, origin);
  json["cache_aside"] = cache_aside_json(summary.cache_aside);
  json["schedule"] = schedule_json(summary.schedule);
  json["cluster"] = cluster_json(summary.cluster, origin);
  json["conservation"] = conservation_json(summary.conservation);
  json["lifecycle"] = lifecycle_json(run);
  json["not_available"] = Json::object();
  for (const auto& [name, why] : summary.not_available)
    json["not_available"][text(name)] = text(why);
  return json;
}

std::string render_json(const record::Run& run, const Summary& summary, const Source& source) {
  return dump(summary_json(run, summary, source));
}

}  // namespace headroom::report
