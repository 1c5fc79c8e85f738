#include "report/instrument.h"
#include "report/json_value.h"

namespace headroom::report {
namespace {

using analysis::CeilingCheck;
using analysis::InstrumentCheck;
using analysis::InstrumentVerdict;
using analysis::LatenessCheck;
using analysis::MachineFacts;
using analysis::QuantileCheck;
using analysis::TruthCheck;

Json quantile_json(const QuantileCheck& quantile) {
  return {{"quantile_ratio", number(quantile.q)},
          {"added_ns", nanos(quantile.added)},
          {"true_ns", nanos(quantile.truth)},
          {"measured_ns", nanos(quantile.measured)},
          {"tolerance_ns", quantile.known() ? nanos(quantile.tolerance()) : Json()},
          {"holds", quantile.known() ? Json(quantile.holds()) : Json()}};
}

Json truth_json(const TruthCheck& truth) {
  Json json;
  json["name"] = truth.name;
  json["requests"] = truth.requests;
  json["reported"] = truth.reported;
  json["attempts"] = truth.attempts;
  json["holds"] = truth.holds();
  json["quantiles"] = Json::array();
  for (const QuantileCheck& quantile : truth.quantiles)
    json["quantiles"].push_back(quantile_json(quantile));
  return json;
}

Json lateness_json(const LatenessCheck& lateness) {
  return {{"samples", lateness.samples},
          {"p50_ns", nanos(lateness.p50)},
          {"p99_ns", nanos(lateness.p99)},
          {"max_ns", nanos(lateness.max)}};
}

Json ceiling_json(const CeilingCheck& ceiling) {
  return {{"pipeline", ceiling.pipeline},
          {"workers", ceiling.workers},
          {"connections_per_worker", ceiling.connections},
          {"operations", ceiling.operations},
          {"length_ns", ceiling.length.count()},
          {"worker_throughput_per_s", number(ceiling.throughput_per_s())},
          {"worker_cpu_ratio", number(ceiling.generator_ratio())},
          {"responder_cpu_ratio", number(ceiling.responder_ratio())},
          {"operation_cpu_ns", number(ceiling.cpu_ns())},
          {"limit", ceiling_limit_name(ceiling.limit())},
          {"worker_ceiling_per_s", number(ceiling.ceiling_per_s())}};
}

Json known_text(const std::string& foreign) {
  return foreign.empty() ? Json() : Json(text(foreign));
}

Json machine_json(const MachineFacts& machine) {
  return {{"cpu_model", known_text(machine.cpu_model)},
          {"kernel", known_text(machine.kernel)},
          {"clocksource", known_text(machine.clocksource)},
          {"cpu_governor", known_text(machine.governor)},
          {"clock_reading_ns", machine.clock_reading.count()},
          {"cpus_allowed", machine.cpus_allowed},
          {"optimized_build", machine.optimized_build},
          {"others_cpus", number(machine.others_cpus)},
          {"steal_ratio", number(machine.steal_ratio)},
          {"quota_cpus", number(machine.quota_cpus)},
          {"throttled_ratio", number(machine.throttled_ratio)}};
}

}  // namespace

std::string render_check_json(const InstrumentCheck& check, const InstrumentVerdict& verdict) {
  Json json;
  json["schema"] = "headroom-check";
  json["schema_version"] = kCheckSchemaVersion;
  json["trust"] = trust_name(verdict.trust);
  json["conclusions"] = verdict.conclusions;
  json["doubts"] = Json::array();
  for (const analysis::InstrumentDoubt& doubt : verdict.doubts) {
    json["doubts"].push_back(
        {{"fatal", doubt.fatal}, {"what", text(doubt.what)}, {"remedy", doubt.remedy}});
  }
  json["own_p50_ns"] = nanos(verdict.own_p50);
  json["own_p99_ns"] = nanos(verdict.own_p99);
  json["quick"] = check.quick;
  json["workers"] = check.workers;
  json["took_ns"] = check.took.count();
  json["truths"] = Json::array();
  for (const TruthCheck& truth : check.truths) json["truths"].push_back(truth_json(truth));
  json["timers"] = lateness_json(check.timers.lateness);
  json["timers"]["rate_per_s"] = number(check.timers.rate_per_s);
  json["timers"]["no_cpu_ratio"] = number(check.timers.kept_waiting_ratio);
  json["loop_lag"] = lateness_json(check.loop_lag);
  json["ceilings"] = Json::array();
  for (const CeilingCheck& ceiling : check.ceilings)
    json["ceilings"].push_back(ceiling_json(ceiling));
  json["machine"] = machine_json(check.machine);
  return dump(json);
}

}  // namespace headroom::report
