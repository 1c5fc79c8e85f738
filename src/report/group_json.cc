// A group of runs as JSON, for programs and for its HTML page.
#include "report/group_json.h"

#include <fmt/format.h>

#include <cstdlib>

#include "base/units.h"
#include "report/group.h"

namespace headroom::report {
namespace {

Json member_json(const GroupMember& member) {
  const analysis::ObservedRun& run = member.observed;
  Json json;
  json["name"] = text(run.name);
  json["file"] = text(member.file);
  json["started_utc"] = run.started ? Json(iso_time(*run.started)) : Json();
  json["state"] = member.state;
  json["regime"] = run.regime ? Json(analysis::regime_name(*run.regime)) : Json();
  json["limiter"] = run.limiter ? Json(analysis::limiter_name(*run.limiter)) : Json();
  json["faults"] = Json::array();
  for (const analysis::Fault& fault : run.faults)
    json["faults"].push_back(
        {{"kind", analysis::fault_name(fault.kind)}, {"seen", text(fault.seen)}});
  return json;
}

Json range_json(const GroupFigure& figure) {
  Json values = Json::array();
  for (const auto& value : figure.values) values.push_back(number(value));
  return {{"label", figure.label},
          {"meaning", figure.meaning},
          {"runs", figure.spread.runs},
          {"min", number(figure.spread.min)},
          {"median", number(figure.spread.median)},
          {"max", number(figure.spread.max)},
          {"mean", number(figure.spread.mean)},
          {"cv_ratio", number(figure.spread.cv())},
          {"values", std::move(values)}};
}

Json standing_json(const analysis::Contract& contract) {
  Json reasons = Json::array();
  for (const analysis::Reason& reason : contract.reasons)
    reasons.push_back({{"kind", text(reason.name)},
                       {"seen", text(reason.seen)},
                       {"settle", analysis::reason_info(reason.kind).settle}});
  return {{"standing", analysis::standing_name(contract.standing)},
          {"reasons", std::move(reasons)}};
}

}  // namespace

Json group_json(const Group& group) {
  Json json;
  json["schema"] = "headroom-group";
  json["schema_version"] = kGroupSchemaVersion;
  json["headline"] = text(group_headline(group));
  json["runs"] = Json::array();
  for (const GroupMember& member : group.members) json["runs"].push_back(member_json(member));
  json["contract"] = standing_json(group.contract);
  json["figures"] = Json::object();
  for (const GroupFigure& figure : group.figures) json["figures"][figure.key] = range_json(figure);
  json["agreed"] = Json::object();
  for (const auto& [key, value] : group.agreed) json["agreed"][text(key)] = text(value);
  json["differing"] = Json::object();
  for (const GroupDifference& difference : group.differences) {
    Json values = Json::array();
    for (const auto& value : difference.values)
      values.push_back(value ? Json(text(*value)) : Json());
    json["differing"][text(difference.key)] = std::move(values);
  }
  return json;
}

std::string render_group_json(const Group& group) { return dump(group_json(group)); }

}  // namespace headroom::report
