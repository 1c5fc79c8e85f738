#include "report/node_shapes.h"

#include <fmt/format.h>

#include "base/units.h"
#include "report/json_value.h"
#include "scenario/node.h"

namespace headroom::report {
namespace {

constexpr double kReservedByDefaultPct = 25;

std::uint64_t default_maxmemory(const scenario::NodeShape& shape) {
  scenario::Target target;
  target.memory_bytes = shape.memory_bytes;
  target.reserved_memory_pct = kReservedByDefaultPct;
  return scenario::shaped_maxmemory_bytes(target).value();
}

double baseline_vcpus(const scenario::CreditRule& rule) { return rule.per_hour / 60; }

}  // namespace

std::string render_node_shapes(std::span<const scenario::NodeShape> shapes,
                               std::string_view as_of) {
  std::string text = fmt::format("{:<22}{:>9}{:>11}{:>7}{:>10}{:>8}{:>6}  {}\n", "shape", "memory",
                                 "maxmemory", "vCPUs", "baseline", "cr./h", "max", "CPU");
  for (const scenario::NodeShape& shape : shapes) {
    const auto& credits = shape.credits;
    text +=
        fmt::format("{:<22}{:>9}{:>11}{:>7}{:>10}{:>8}{:>6}  {} {}\n", shape.name,
                    human_bytes(static_cast<double>(shape.memory_bytes)),
                    human_bytes(static_cast<double>(default_maxmemory(shape))), shape.vcpus,
                    credits ? fmt::format("{:.1f}", baseline_vcpus(*credits)) : "-",
                    credits ? fmt::format("{}", credits->per_hour) : "-",
                    credits ? fmt::format("{}", credits->max) : "-", shape.architecture, shape.cpu);
  }
  return text + fmt::format(
                    "maxmemory: with the default reserved_memory_pct of {}. baseline: vCPUs that "
                    "are\nleft without CPU credits; cr./h: credits earned an hour. As of {}.\n",
                    kReservedByDefaultPct, as_of);
}

std::string node_shapes_json(std::span<const scenario::NodeShape> shapes, std::string_view as_of) {
  Json json;
  json["as_of"] = as_of;
  json["shapes"] = Json::array();
  for (const scenario::NodeShape& shape : shapes) {
    const auto& credits = shape.credits;
    json["shapes"].push_back({{"name", shape.name},
                              {"memory_bytes", shape.memory_bytes},
                              {"maxmemory_bytes", default_maxmemory(shape)},
                              {"vcpus", shape.vcpus},
                              {"architecture", shape.architecture},
                              {"cpu", shape.cpu},
                              {"baseline_vcpus", credits ? Json(baseline_vcpus(*credits)) : Json()},
                              {"credits_per_hour", credits ? Json(credits->per_hour) : Json()},
                              {"credits_max", credits ? Json(credits->max) : Json()}});
  }
  return dump(json);
}

}  // namespace headroom::report
