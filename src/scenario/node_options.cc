#include "scenario/node_options.h"

#include <cstdint>

#include "base/units.h"
#include "scenario/node.h"
#include "scenario/node_shapes.h"

namespace headroom::scenario {
namespace {

constexpr double kHoursToFillABucket = 24;  // docs of burstable EC2 instances

// Access to a member of Target that is absent when it has no value.
template <auto Member>
constexpr Access optional_at() {
  return {[](const Scenario& s, std::size_t) -> std::optional<Value> {
            const auto& member = s.target.*Member;
            return member ? std::optional<Value>(*member) : std::nullopt;
          },
          [](Scenario& s, std::size_t, const Value& value) {
            auto& member = s.target.*Member;
            member =
                std::get<typename std::remove_reference_t<decltype(member)>::value_type>(value);
          }};
}

// What the shape's type has, where it has it.
template <class Get>
std::optional<Value> of_shape(const Scenario& scenario, Get get) {
  const NodeShape* shape = find_node_shape(scenario.target.shape.value_or(""));
  return shape == nullptr ? std::nullopt : std::optional<Value>(get(*shape));
}

std::optional<Value> derive_memory(const Scenario& scenario) {
  return of_shape(scenario, [](const NodeShape& s) { return Value(s.memory_bytes); });
}

std::optional<Value> derive_vcpus(const Scenario& scenario) {
  return of_shape(scenario, [](const NodeShape& s) { return Value(s.vcpus); });
}

std::optional<Value> derive_credits_per_hour(const Scenario& scenario) {
  const NodeShape* shape = find_node_shape(scenario.target.shape.value_or(""));
  if (shape == nullptr || !shape->credits) return std::nullopt;
  return Value(shape->credits->per_hour);
}

std::optional<Value> derive_credits_max(const Scenario& scenario) {
  const NodeShape* shape = find_node_shape(scenario.target.shape.value_or(""));
  if (shape != nullptr && shape->credits) return Value(shape->credits->max);
  return Value(kHoursToFillABucket * scenario.target.credits_per_hour.value());
}

std::optional<Value> derive_credits_initial(const Scenario& scenario) {
  return Value(scenario.target.credits_max.value());
}

ChoiceType shape_names() {
  ChoiceType names{{}, "headroom node shapes"};
  for (const NodeShape& shape : node_catalogue().shapes) names.choices.push_back(shape.name);
  return names;
}

void add_memory(std::vector<Option>& table, const std::vector<TargetKind>& local) {
  table.push_back({.section = "target",
                   .name = "shape",
                   .type = shape_names(),
                   .when_absent = "none; what the options below say",
                   .help = "Gives the node memory, vCPUs and CPU credits of an ElastiCache node "
                           "type. Each stands in the options below, which can also be written "
                           "out for a node of any other shape.",
                   .kinds = local,
                   .access = optional_at<&Target::shape>()});
  table.push_back({.section = "target",
                   .name = "memory",
                   .type = BytesType{8 * kMiB, kTiB},
                   .when_absent = "of the shape; without one, not set",
                   .help = "Memory of the whole node. maxmemory follows from it.",
                   .kinds = local,
                   .derive = &derive_memory,
                   .access = optional_at<&Target::memory_bytes>()});
  table.push_back({.section = "target",
                   .name = "reserved_memory_pct",
                   .type = DecimalType{0, 90},
                   .default_text = "25",
                   .unit = "percent",
                   .help = "Part of the node's memory that the engine may not use for data, as "
                           "ElastiCache's parameter of the same name with hyphens.",
                   .kinds = local,
                   .needs = "memory",
                   .access = optional_at<&Target::reserved_memory_pct>()});
  table.push_back({.section = "target",
                   .name = "scale",
                   .type = DecimalType{0.001, 1},
                   .default_text = "1",
                   .help = "Shrinks the node's memory, and with it the key space of keys = "
                           "\"auto\", so that the memory cliff comes sooner. CPU is not scaled.",
                   .kinds = local,
                   .needs = "memory",
                   .access = optional_at<&Target::scale>()});
}

void add_cpu(std::vector<Option>& table, const std::vector<TargetKind>& local) {
  table.push_back({.section = "target",
                   .name = "vcpus",
                   .type = DecimalType{0.01, 1024},
                   .when_absent = "of the shape; without one, the whole machine",
                   .help = "CPU time per second that the engine may use, held to by a cgroup. "
                           "Where that cannot be had the run goes on and says so.",
                   .kinds = local,
                   .derive = &derive_vcpus,
                   .access = optional_at<&Target::vcpus>()});
  table.push_back({.section = "target",
                   .name = "credits_per_hour",
                   .type = DecimalType{0.1, 100'000},
                   .when_absent = "of the shape; without one, no credits are needed",
                   .help = "CPU credits that a burstable node earns, one being a vCPU for a "
                           "minute. What is earned is also what the node falls back to without "
                           "credits: 12 an hour are 0.2 vCPUs.",
                   .kinds = local,
                   .needs = "vcpus",
                   .derive = &derive_credits_per_hour,
                   .access = optional_at<&Target::credits_per_hour>()});
  table.push_back({.section = "target",
                   .name = "credits_max",
                   .type = DecimalType{0, 10'000'000},
                   .when_absent = "of the shape; without one, what is earned in 24 hours",
                   .help = "CPU credits that the node can save up.",
                   .kinds = local,
                   .needs = "credits_per_hour",
                   .derive = &derive_credits_max,
                   .access = optional_at<&Target::credits_max>()});
  table.push_back({.section = "target",
                   .name = "credits_initial",
                   .type = DecimalType{0, 10'000'000},
                   .when_absent = "credits_max, as after a day without work",
                   .help = "CPU credits that the node has when its engine starts.",
                   .kinds = local,
                   .needs = "credits_per_hour",
                   .derive = &derive_credits_initial,
                   .access = optional_at<&Target::credits_initial>()});
}

}  // namespace

std::optional<Value> derive_maxmemory(const Scenario& scenario) {
  const auto bytes = shaped_maxmemory_bytes(scenario.target);
  return bytes ? std::optional<Value>(*bytes) : std::nullopt;
}

void add_node_options(std::vector<Option>& table) {
  const std::vector<TargetKind> local = {TargetKind::kLocal};
  add_memory(table, local);
  add_cpu(table, local);
}

}  // namespace headroom::scenario
