// A group of runs as one HTML page: what the JSON says, and every run's line over time.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "report/group.h"
#include "report/group_json.h"
#include "report/html_data.h"
#include "report/text.h"

namespace headroom::report {
namespace {

// Of each line; the page of five runs of an hour stays below 1 MB.
constexpr std::size_t kMostColumns = 600;

std::size_t longest_line(const Group& group) {
  std::size_t longest = 0;
  for (const GroupMember& member : group.members) {
    for (const GroupValues& values : member.lines) longest = std::max(longest, values.size());
  }
  return longest;
}

Json values_json(const GroupValues& values, std::size_t columns, std::size_t longest, Join join) {
  GroupValues padded = values;
  padded.resize(longest);
  Json json = Json::array();
  for (const auto& value : resample(padded, columns, join)) {
    if (value)
      json.push_back(exact(std::strtod(fmt::format("{:.6g}", *value).c_str(), nullptr)));
    else
      json.push_back(nullptr);
  }
  return json;
}

// What a column shows of its seconds: rates their mean, states and latencies the highest. A p99 of
// several seconds is not made from those of each.
Join join_of(GroupLine line) {
  return line == GroupLine::kP99 || line == GroupLine::kMemoryUsed ? Join::kMax : Join::kMean;
}

}  // namespace

std::string render_group_html(const Group& group, const Served& served) {
  const std::size_t longest = longest_line(group);
  const std::size_t step = values_per_column(longest, kMostColumns);
  Json json;
  json["words"] = {{"headline", group_headline(group)},
                   {"tone", tone_name(group_tone(group))},
                   {"scenario", text(group.members.front().scenario)},
                   {"target", group.members.front().target},
                   {"load", group.members.front().load}};
  json["group"] = group_json(group);
  json["step_s"] = step;
  json["lines"] = Json::array();
  for (const GroupLineInfo& info : group_line_catalogue()) {
    const auto index = static_cast<std::size_t>(info.line);
    const Join join = join_of(info.line);
    Json runs = Json::array();
    for (const GroupMember& member : group.members)
      runs.push_back(values_json(member.lines.at(index), kMostColumns, longest, join));
    json["lines"].push_back(
        {{"key", info.key},
         {"title", info.title},
         {"unit", info.unit},
         {"highest", join == Join::kMax},
         {"runs", std::move(runs)},
         {"median", values_json(median_line(group, info.line), kMostColumns, longest, join)}});
  }
  json["served"] = {{"list", served.list.empty() ? Json() : Json(served.list)}};
  return fill_page(group_template(), json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace headroom::report
