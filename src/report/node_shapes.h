// The catalogue of node shapes, for people and for programs. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "scenario/node_shapes.h"

namespace headroom::report {

// A table: a line for each, with what ElastiCache leaves of the memory to the engine.
[[nodiscard]] std::string render_node_shapes(std::span<const scenario::NodeShape> shapes,
                                             std::string_view as_of);
// {"as_of": ..., "shapes": [...]}; credits are null for types that are not burstable.
[[nodiscard]] std::string node_shapes_json(std::span<const scenario::NodeShape> shapes,
                                           std::string_view as_of);

}  // namespace headroom::report
